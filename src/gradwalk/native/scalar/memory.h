/* Where nodes live: pages of 63, given out in the order of their addresses.
 *
 * A graph that is built again has to lie in memory in the order in which it is walked. A stack of
 * free nodes shuffles them a little more with every training step: after 60 steps on moons 2 % of
 * the neighbours in the graph are neighbours in memory, against 89 % here, and a sweep takes five
 * times as long. */

typedef struct Arena Arena;
typedef struct Page Page;

enum { NODE_SIZE = 64, PAGE = 4096, ARENA_SIZE = 1 << 18 };
enum { PLACES = PAGE / NODE_SIZE - 1 };     /* the first place of a page is its header */
enum { KEPT = (1 << 17) * NODE_SIZE / ARENA_SIZE }; /* arenas kept in any case */

struct Arena {
    void *start; /* what the system gave */
    size_t live; /* nodes in use */
    Arena *next, *previous;
};

struct Page {
    uint64_t free; /* one bit for each place */
    Page *next, *previous;
    Arena *arena;
};

/* make sanitize finds uses of nodes that have been freed, because their places are poisoned. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define POISON(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define UNPOISON(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#else
#define POISON(start, size) ((void)0)
#define UNPOISON(start, size) ((void)0)
#endif

static Page *open_pages; /* those with a free place */
static Arena *all_arenas;
static int arenas, kept = KEPT;
static int used, peak, is_growing; /* arenas with nodes in them, and the most of late */

static inline void open_page(Page *page)
{
    page->next = open_pages;
    page->previous = NULL;
    if (open_pages)
        open_pages->previous = page;
    open_pages = page;
}

static inline void close_page(Page *page)
{
    if (page->next)
        page->next->previous = page->previous;
    if (page->previous)
        page->previous->next = page->next;
    else
        open_pages = page->next;
}

/* The first page of an arena is its header. */
#define FIRST_PAGE(arena) ((char *)(arena) + PAGE)
#define END(arena) ((char *)(arena) + ARENA_SIZE - PAGE)

static int arena_new(void)
{
    PyObjectArenaAllocator system;
    PyObject_GetArenaAllocator(&system);
    char *start = system.alloc(system.ctx, ARENA_SIZE);
    if (!start)
        return 0;
    /* Aligned already wherever there is mmap; one page fewer makes sure of it elsewhere. */
    Arena *arena = (Arena *)(((uintptr_t)start + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    arena->start = start;
    arena->live = 0;
    arena->previous = NULL;
    arena->next = all_arenas;
    if (all_arenas)
        all_arenas->previous = arena;
    all_arenas = arena;
    arenas++;
    for (char *at = END(arena) - PAGE; at >= FIRST_PAGE(arena); at -= PAGE) {
        Page *page = (Page *)at;
        page->free = (UINT64_C(1) << PLACES) - 1;
        page->arena = arena;
        POISON((char *)page + NODE_SIZE, PAGE - NODE_SIZE);
        open_page(page);
    }
    return 1;
}

static void arena_free(Arena *arena)
{
    PyObjectArenaAllocator system;
    PyObject_GetArenaAllocator(&system);
    for (char *at = FIRST_PAGE(arena); at < END(arena); at += PAGE)
        close_page((Page *)at);
    if (arena->next)
        arena->next->previous = arena->previous;
    if (arena->previous)
        arena->previous->next = arena->next;
    else
        all_arenas = arena->next;
    arenas--;
    UNPOISON(arena->start, ARENA_SIZE);
    system.free(system.ctx, arena->start, ARENA_SIZE);
}

/* A graph is built and freed again at every training step: as many arenas as its last peak took stay
 * for the next one. To fetch them from the system each time took a quarter of a step of 200,000
 * nodes. When a graph has been freed, an eighth of what a larger one had needed before goes back. */
static void arena_emptied(void)
{
    if (4 * --used > peak || !is_growing)
        return;
    is_growing = 0;
    kept -= (kept + 7) / 8;
    kept = peak > kept ? peak : kept;
    kept = KEPT > kept ? KEPT : kept;
    peak = used;
    for (Arena *arena = all_arenas, *next; arena && arenas > kept; arena = next) {
        next = arena->next;
        if (!arena->live)
            arena_free(arena);
    }
}

static inline void arena_entered(void)
{
    is_growing = 1;
    used++;
    peak = used > peak ? used : peak;
}

#ifdef _MSC_VER
#include <intrin.h>
static inline int lowest(uint64_t bits)
{
    unsigned long i;
    _BitScanForward64(&i, bits);
    return (int)i;
}
#else
#define lowest(bits) __builtin_ctzll(bits)
#endif

/* Room for one node, or NULL. */
static inline void *take_place(void)
{
    if (!open_pages && !arena_new())
        return NULL;
    Page *page = open_pages;
    int i = lowest(page->free);
    page->free &= page->free - 1;
    if (!page->arena->live++)
        arena_entered();
    if (!page->free)
        close_page(page);
    UNPOISON((char *)page + NODE_SIZE * (i + 1), NODE_SIZE);
    return (char *)page + NODE_SIZE * (i + 1);
}

static inline void give_place(void *place)
{
    uintptr_t offset = (uintptr_t)place & (PAGE - 1);
    Page *page = (Page *)((uintptr_t)place - offset);
    POISON(place, NODE_SIZE);
    if (!page->free)
        open_page(page);
    page->free |= UINT64_C(1) << (offset / NODE_SIZE - 1);
    if (!--page->arena->live)
        arena_emptied();
}

/* Call `see` with every place in use, until it gives 0; whether it never did. It must neither take
 * nor give places. */
static int each_place(int (*see)(void *place, void *state), void *state)
{
    for (Arena *arena = all_arenas; arena; arena = arena->next)
        for (char *at = FIRST_PAGE(arena); at < END(arena); at += PAGE) {
            uint64_t used = ~((Page *)at)->free & ((UINT64_C(1) << PLACES) - 1);
            for (; used; used &= used - 1)
                if (!see(at + NODE_SIZE * (lowest(used) + 1), state))
                    return 0;
        }
    return 1;
}
