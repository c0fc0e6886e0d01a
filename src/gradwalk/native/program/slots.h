/* An open hash table of indices. What they stand for, and which are equal, its owner decides. */

typedef struct {
    uint64_t hash;
    int32_t index; /* -1: an empty slot */
} Slot;

typedef struct {
    Slot *at;
    size_t count; /* 0, or a power of two */
} Slots;

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2)))
                 * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 29);
}

static inline Slot *first_slot(const Slots *s, uint64_t hash)
{
    return &s->at[hash & (s->count - 1)];
}

static inline Slot *next_slot(const Slots *s, const Slot *slot)
{
    return &s->at[(size_t)(slot - s->at + 1) & (s->count - 1)];
}

/* Keep the table at most half full; 0 with the error set. */
static int spare_slots(Slots *s, size_t used)
{
    if (2 * used < s->count)
        return 1;
    Slots more = {NULL, s->count ? 4 * s->count : 1024};
    if (!(more.at = PyMem_RawMalloc(more.count * sizeof *more.at))) {
        PyErr_NoMemory();
        return 0;
    }
    memset(more.at, -1, more.count * sizeof *more.at);
    for (size_t i = 0; i < s->count; i++) {
        if (s->at[i].index < 0)
            continue;
        Slot *to = first_slot(&more, s->at[i].hash);
        while (to->index >= 0)
            to = next_slot(&more, to);
        *to = s->at[i];
    }
    PyMem_RawFree(s->at);
    *s = more;
    return 1;
}
