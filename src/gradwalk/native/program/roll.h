/* From instructions on single numbers to groups of lanes: which belong together.
 *
 * The signature of an entry is its kernel with the signatures of its operands; all leaves are
 * alike. Instructions of one signature and one level (the longest way to the inputs) become one
 * group. None of them depends on another, for an operand has a lower level; two different
 * signatures with one hash are therefore no mistake either, as a group has one kernel. */

enum { KERNEL_BITS = (1 << MASKED) - 1 };

typedef struct {
    Segment *segments;
    Group *groups;
    Single *singles;
    double *cells;
    int32_t *pool; /* tables of sources, and the operands of single instructions with many */
    int32_t *cell_of; /* of the entries that are wanted; while a program is made, of all */
    size_t segment_count, group_count, single_count, cell_count, pool_count, input_count;
    size_t operations; /* that one run computes */
    int busy;          /* a thread is computing with the cells */
} Rolled;

enum { LONG = 20000 }; /* operations: programs of more let other threads run meanwhile */

/* Cells for a run: those of the program, or others while they are in use; NULL: no memory. */
static double *cells_for_run(Rolled *r)
{
    if (!r->busy) {
        r->busy = 1;
        return r->cells;
    }
    double *cells = PyMem_RawMalloc((r->cell_count + EIGHT) * sizeof *cells);
    if (!cells)
        return (double *)PyErr_NoMemory();
    memcpy(cells, r->cells, r->input_count * sizeof *cells); /* with the constants */
    return cells;
}

static void end_run(Rolled *r, double *cells)
{
    if (cells == r->cells)
        r->busy = 0;
    else
        PyMem_RawFree(cells);
}

static void run_instructions(const Rolled *r, double *cells)
{
    const Group *g = r->groups;
    const Single *s = r->singles;
    for (const Segment *here = r->segments; here < r->segments + r->segment_count; here++) {
        for (int32_t i = 0; i < here->group_count; i++)
            run_group(g++, r->pool, cells);
        run_singles(s, (size_t)here->single_count, r->pool, cells);
        s += here->single_count;
    }
}

static void run_program(const Rolled *r, double *cells)
{
    if (r->operations < LONG) {
        run_instructions(r, cells);
        return;
    }
    Py_BEGIN_ALLOW_THREADS
    run_instructions(r, cells);
    Py_END_ALLOW_THREADS
}

typedef struct {
    uint64_t signature;
    int32_t level, lanes;
    int32_t begin;         /* of its instructions among the members */
    int32_t taken;         /* how many of them have a lane */
    int32_t before, after; /* the links of a sum beside this one; NONE */
    int32_t end;           /* of a link: the last one */
    int32_t terms, starts; /* of a last link: what all terms, and all first numbers, are */
    int32_t into;          /* the last link of the sum that computes these lanes itself */
    int32_t at, last;      /* when it is computed, and when its numbers are read last */
    uint16_t kernel;
} Kind;

enum { UNKNOWN = -2, NONE = -1 };

typedef struct {
    uint64_t *signatures;
    int32_t *levels, *kind_of, *order;
    int32_t *members, *lane_of; /* instructions by kind and lane; the lane of each */
    uint8_t *uses;              /* of each entry: 2 stands for more, and for results */
    Kind *kinds;
    size_t kind_count, kind_room;
    Slots slots; /* of kinds */
} Roller;

static void close_roller(Roller *r)
{
    PyMem_RawFree(r->signatures);
    PyMem_RawFree(r->levels);
    PyMem_RawFree(r->kind_of);
    PyMem_RawFree(r->order);
    PyMem_RawFree(r->members);
    PyMem_RawFree(r->lane_of);
    PyMem_RawFree(r->uses);
    PyMem_RawFree(r->kinds);
    PyMem_RawFree(r->slots.at);
}

static void close_rolled(Rolled *r)
{
    PyMem_RawFree(r->segments);
    PyMem_RawFree(r->groups);
    PyMem_RawFree(r->singles);
    PyMem_RawFree(r->cells);
    PyMem_RawFree(r->pool);
    PyMem_RawFree(r->cell_of);
}

/* The bytes of a program; of a run beside another, its cells come on top. */
static size_t bytes_of(const Rolled *r)
{
    return r->segment_count * sizeof *r->segments + r->group_count * sizeof *r->groups
           + r->single_count * sizeof *r->singles + r->pool_count * sizeof *r->pool
           + (r->cell_count + EIGHT) * sizeof *r->cells;
}

static void *numbers_for(size_t count, size_t size)
{
    void *numbers = PyMem_RawCalloc(count + 1, size);
    if (!numbers)
        PyErr_NoMemory();
    return numbers;
}

/* The group of instructions of this kernel, level and signature; -1: no memory. */
static int32_t kind_for(Roller *r, uint16_t kernel, int32_t level, uint64_t signature)
{
    uint64_t hash = mix(signature, (uint64_t)level);
    if (!spare_slots(&r->slots, r->kind_count))
        return -1;
    Slot *slot = first_slot(&r->slots, hash);
    for (; slot->index >= 0; slot = next_slot(&r->slots, slot)) {
        const Kind *kind = &r->kinds[slot->index];
        if (kind->signature == signature && kind->level == level && kind->kernel == kernel)
            return slot->index;
    }
    if (r->kind_count == r->kind_room
        && !larger((void **)&r->kinds, &r->kind_room, sizeof *r->kinds))
        return -1;
    r->kinds[r->kind_count] = (Kind){
        .signature = signature, .level = level, .kernel = kernel,
        .before = UNKNOWN, .after = NONE, .terms = UNKNOWN, .starts = UNKNOWN, .into = NONE,
    };
    *slot = (Slot){hash, (int32_t)r->kind_count++};
    return slot->index;
}

/* Find the kind of every instruction; the highest level, or -1. */
static int32_t find_kinds(Roller *r, const Tape *t, size_t leaves)
{
    int32_t highest = 0;
    for (size_t i = 0; i < t->inputs; i++)
        r->signatures[i] = i < leaves ? 1 : 2;
    for (size_t i = 0; i < t->count; i++) {
        uint64_t signature = t->kernel[i];
        int32_t level = 0;
        for (int32_t k = t->first[i]; k < t->first[i + 1]; k++) {
            int32_t operand = t->operands[k];
            signature = mix(signature, r->signatures[operand]);
            level = r->levels[operand] > level ? r->levels[operand] : level;
            r->uses[operand] += r->uses[operand] < 2;
        }
        r->levels[t->inputs + i] = ++level;
        r->signatures[t->inputs + i] = signature;
        if ((r->kind_of[i] = kind_for(r, t->kernel[i], level, signature)) < 0)
            return -1;
        r->kinds[r->kind_of[i]].lanes++;
        highest = level > highest ? level : highest;
    }
    return highest;
}

static int open_roller(Roller *r, const Tape *t, const int32_t *results, size_t count)
{
    const size_t entries = t->inputs + t->count;
    r->signatures = numbers_for(entries, sizeof *r->signatures);
    r->levels = numbers_for(entries, sizeof *r->levels);
    r->uses = numbers_for(entries, sizeof *r->uses);
    r->kind_of = numbers_for(t->count, sizeof *r->kind_of);
    r->members = numbers_for(t->count, sizeof *r->members);
    r->lane_of = numbers_for(t->count, sizeof *r->lane_of);
    if (!r->signatures || !r->levels || !r->uses || !r->kind_of || !r->members || !r->lane_of)
        return 0;
    for (size_t i = 0; i < count; i++)
        r->uses[results[i]] = 2;
    return 1;
}
