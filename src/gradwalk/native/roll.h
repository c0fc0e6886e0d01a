/* From instructions on single numbers to groups of lanes.
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
    int32_t *gathers, *cell_of; /* gathers: also the operands of single instructions with many */
    size_t segment_count, group_count, single_count, cell_count, gather_count;
} Rolled;

static void run_program(const Rolled *r)
{
    const Group *g = r->groups;
    const Single *s = r->singles;
    for (const Segment *here = r->segments; here < r->segments + r->segment_count; here++) {
        for (int32_t i = 0; i < here->group_count; i++)
            run_group(g++, r->cells);
        run_singles(s, (size_t)here->single_count, r->gathers, r->cells);
        s += here->single_count;
    }
}

typedef struct {
    uint64_t signature;
    int32_t level, lanes, index;
    uint16_t kernel;
} Kind;

typedef struct {
    uint64_t *signatures;
    int32_t *levels, *kind_of, *order, *next;
    Kind *kinds;
    size_t kind_count, kind_room;
    Slots slots; /* of kinds */
} Roller;

static void close_roller(Roller *r)
{
    PyMem_RawFree(r->signatures);
    PyMem_RawFree(r->levels);
    PyMem_RawFree(r->kind_of);
    PyMem_RawFree(r->slots.at);
    PyMem_RawFree(r->order);
    PyMem_RawFree(r->next);
    PyMem_RawFree(r->kinds);
}

static void close_rolled(Rolled *r)
{
    PyMem_RawFree(r->segments);
    PyMem_RawFree(r->groups);
    PyMem_RawFree(r->singles);
    PyMem_RawFree(r->cells);
    PyMem_RawFree(r->gathers);
    PyMem_RawFree(r->cell_of);
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
    r->kinds[r->kind_count] = (Kind){signature, level, 0, 0, kernel};
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

/* Kinds by level; of one level first those of many lanes, as they were found. */
static int order_kinds(Roller *r, int32_t highest)
{
    int32_t *starts = numbers_for(2 * (size_t)highest + 4, sizeof *starts);
    r->order = numbers_for(r->kind_count, sizeof *r->order);
    if (!starts || !r->order) {
        PyMem_RawFree(starts);
        return 0;
    }
#define PLACE(kind) (2 * (kind)->level + ((kind)->lanes == 1))
    for (size_t i = 0; i < r->kind_count; i++)
        starts[PLACE(&r->kinds[i]) + 1]++;
    for (int32_t place = 0; place < 2 * highest + 2; place++)
        starts[place + 1] += starts[place];
    for (size_t i = 0; i < r->kind_count; i++)
        r->order[starts[PLACE(&r->kinds[i])]++] = (int32_t)i;
#undef PLACE
    PyMem_RawFree(starts);
    return 1;
}

/* Where the numbers of operand k of a group are. `members` are its instructions. */
static int find_source(Rolled *out, size_t *gather_room, Source *source, const Tape *t, int k,
                       const int32_t *members, int32_t lanes)
{
#define CELL(lane) (out->cell_of[t->operands[t->first[members[lane]] + k]])
    source->start = CELL(0);
    source->step = lanes > 1 ? CELL(1) - CELL(0) : 0;
    int32_t lane = 2;
    while (lane < lanes && CELL(lane) - CELL(lane - 1) == source->step)
        lane++;
    if (lane >= lanes)
        return 1;
    while (out->gather_count + (size_t)lanes > *gather_room)
        if (!larger((void **)&out->gathers, gather_room, sizeof *out->gathers))
            return 0;
    source->step = (int32_t)out->gather_count; /* the pool may move: a place until it is full */
    source->gather = out->gathers;
    for (lane = 0; lane < lanes; lane++)
        out->gathers[out->gather_count++] = CELL(lane);
    return 1;
#undef CELL
}

/* Give instruction i the next lane of its group, unless it has one. */
static inline void take_lane(Roller *r, int32_t *members, int32_t *lane_of, int32_t i)
{
    if (lane_of[i] < 0) {
        lane_of[i] = r->kinds[r->kind_of[i]].index++;
        members[lane_of[i]] = i;
    }
}

/* Numbers lie in the order in which their last reader wants them. So the groups are gone through
 * from the last to the first, and each orders what it reads. */
static int order_lanes(Roller *r, const Tape *t, int32_t *members)
{
    int32_t *lane_of = numbers_for(t->count, sizeof *lane_of);
    int32_t *by_kind = numbers_for(t->count, sizeof *by_kind);
    int32_t *starts = numbers_for(r->kind_count, sizeof *starts), place = 0;
    if (!lane_of || !by_kind || !starts)
        goto end;
    memset(lane_of, -1, t->count * sizeof *lane_of);
    for (size_t g = 0; g < r->kind_count; g++) {
        Kind *kind = &r->kinds[r->order[g]];
        starts[r->order[g]] = kind->index = place;
        place += kind->lanes;
    }
    for (size_t i = 0; i < t->count; i++)
        by_kind[starts[r->kind_of[i]]++] = (int32_t)i;
    for (size_t g = r->kind_count; g-- > 0;) {
        const Kind *kind = &r->kinds[r->order[g]];
        const int32_t end = starts[r->order[g]], begin = end - kind->lanes;
        for (int32_t i = begin; i < end; i++)
            take_lane(r, members, lane_of, by_kind[i]);
        for (int k = 0; k < MACHINE[kind->kernel & KERNEL_BITS].count; k++)
            for (int32_t i = begin; i < end; i++) {
                int32_t operand = t->operands[t->first[members[i]] + k] - (int32_t)t->inputs;
                if (operand >= 0)
                    take_lane(r, members, lane_of, operand);
            }
    }
end:
    PyMem_RawFree(by_kind);
    PyMem_RawFree(starts);
    PyMem_RawFree(lane_of);
    return place > 0 || !t->count;
}

static int add_group(Rolled *out, size_t *room, const Tape *t, const Kind *kind, int32_t cell,
                     const int32_t *members)
{
    const uint16_t kernel = kind->kernel & KERNEL_BITS;
    Group *group = &out->groups[out->group_count++];
    *group = (Group){kind->lanes, cell, kernel, (uint8_t)MACHINE[kernel].count,
                     (uint8_t)(kind->kernel >> MASKED), {{0}}};
    for (int k = 0; k < group->count; k++)
        if (!find_source(out, room, &group->x[k], t, k, members, group->lanes))
            return 0;
    return 1;
}

static int add_single(Rolled *out, size_t *room, const Tape *t, const Kind *kind, int32_t cell,
                      int32_t member)
{
    const uint16_t kernel = kind->kernel & KERNEL_BITS;
    const int32_t *operands = t->operands + t->first[member];
    Single *single = &out->singles[out->single_count++];
    *single = (Single){kernel, (uint16_t)(kind->kernel >> MASKED), cell, {0}};
    const int count = MACHINE[kernel].count;
    if (count <= 2) {
        for (int k = 0; k < count; k++)
            single->x[k] = out->cell_of[operands[k]];
        return 1;
    }
    while (out->gather_count + MAX_LANES > *room)
        if (!larger((void **)&out->gathers, room, sizeof *out->gathers))
            return 0;
    single->x[0] = (int32_t)out->gather_count;
    for (int k = 0; k < count; k++)
        out->gathers[out->gather_count++] = out->cell_of[operands[k]];
    return 1;
}

static int add_kinds(Rolled *out, Roller *r, const Tape *t, const int32_t *members)
{
    size_t room = 0;
    int32_t cell = (int32_t)t->inputs;
    Segment *here = out->segments - 1;
    for (size_t i = 0; i < r->kind_count; i++) {
        const Kind *kind = &r->kinds[r->order[i]];
        const int32_t *mine = members + (cell - (int32_t)t->inputs);
        const int is_single = kind->lanes == 1;
        if (!out->segment_count || (!is_single && here->single_count))
            *(here = &out->segments[out->segment_count++]) = (Segment){0, 0};
        if (is_single ? !add_single(out, &room, t, kind, cell, *mine)
                      : !add_group(out, &room, t, kind, cell, mine))
            return 0;
        here->single_count += is_single;
        here->group_count += !is_single;
        cell += kind->lanes;
    }
    return 1;
}

static int lay_out(Rolled *out, Roller *r, const Tape *t)
{
    int32_t *members = numbers_for(t->count, sizeof *members);
    int ok = members && order_lanes(r, t, members);
    for (size_t i = 0; ok && i < t->inputs; i++)
        out->cell_of[i] = (int32_t)i;
    for (size_t i = 0; ok && i < t->count; i++)
        out->cell_of[t->inputs + (size_t)members[i]] = (int32_t)(t->inputs + i);
    ok = ok && add_kinds(out, r, t, members);
    for (size_t i = 0; ok && i < out->group_count; i++)
        for (int k = 0; k < out->groups[i].count; k++)
            if (out->groups[i].x[k].gather)
                out->groups[i].x[k].gather = out->gathers + out->groups[i].x[k].step;
    PyMem_RawFree(members);
    return ok;
}

static int roll(Rolled *out, const Tape *t, size_t leaves)
{
    Roller r = {0};
    size_t entries = t->inputs + t->count;
    r.signatures = numbers_for(entries, sizeof *r.signatures);
    r.levels = numbers_for(entries, sizeof *r.levels);
    r.kind_of = numbers_for(t->count, sizeof *r.kind_of);
    int32_t highest = r.signatures && r.levels && r.kind_of ? find_kinds(&r, t, leaves) : -1;
    int ok = highest >= 0 && order_kinds(&r, highest);
    if (ok) {
        size_t wide = 0;
        for (size_t i = 0; i < r.kind_count; i++)
            wide += r.kinds[i].lanes > 1;
        out->cell_count = entries;
        out->segments = numbers_for(wide + 1, sizeof *out->segments);
        out->groups = numbers_for(wide, sizeof *out->groups);
        out->singles = numbers_for(r.kind_count - wide, sizeof *out->singles);
        out->cells = numbers_for(entries, sizeof *out->cells);
        out->cell_of = numbers_for(entries, sizeof *out->cell_of);
        ok = out->segments && out->groups && out->singles && out->cells && out->cell_of
             && lay_out(out, &r, t);
    }
    close_roller(&r);
    return ok;
}
