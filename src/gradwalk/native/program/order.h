/* The order of groups, and of the lanes in each. */

static inline int is_single(const Kind *kind)
{
    return kind->lanes == 1 && !is_link(kind) && kind->into < 0;
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
#define PLACE(kind) (2 * (kind)->level + is_single(kind))
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

/* Give an instruction the next lane of its group, unless it has one. */
static inline void take_lane(Roller *r, int32_t instruction)
{
    Kind *kind = &r->kinds[r->kind_of[instruction]];
    if (r->lane_of[instruction] < 0) {
        r->lane_of[instruction] = kind->taken++;
        r->members[kind->begin + r->lane_of[instruction]] = instruction;
    }
}

/* Let the lanes of a group order what they read as operand k. */
static void order_operand(Roller *r, const Tape *t, const Kind *kind, int k)
{
    for (int32_t i = kind->begin; i < kind->begin + kind->lanes; i++) {
        int32_t operand = t->operands[t->first[r->members[i]] + k] - (int32_t)t->inputs;
        if (operand >= 0)
            take_lane(r, operand);
    }
}

/* Let a sum order its links, and its terms as they are added. */
static void order_sum(Roller *r, const Tape *t, int32_t end)
{
    int32_t link = end;
    for (; r->kinds[link].before >= 0; link = r->kinds[link].before)
        order_operand(r, t, &r->kinds[link], 0);
    order_operand(r, t, &r->kinds[link], 0);
    for (; link >= 0; link = r->kinds[link].after)
        order_operand(r, t, &r->kinds[link], 1);
}

/* Numbers lie in the order in which their last reader wants them. So the groups are gone through
 * from the last to the first, and each orders what it reads. `by_kind`: instructions by kind. */
static void order_backwards(Roller *r, const Tape *t, const int32_t *by_kind)
{
    for (size_t g = r->kind_count; g-- > 0;) {
        const int32_t which = r->order[g];
        const Kind *kind = &r->kinds[which];
        for (int32_t i = kind->begin; i < kind->begin + kind->lanes; i++)
            take_lane(r, by_kind[i]);
        if (kind->after >= 0)
            continue;
        if (kind->before >= 0)
            order_sum(r, t, which);
        else
            for (int k = 0; k < MACHINE[kind->kernel & KERNEL_BITS].count; k++)
                order_operand(r, t, kind, k);
    }
}

static int order_lanes(Roller *r, const Tape *t)
{
    int32_t *by_kind = numbers_for(t->count, sizeof *by_kind), begin = 0;
    if (!by_kind)
        return 0;
    memset(r->lane_of, -1, t->count * sizeof *r->lane_of);
    for (size_t g = 0; g < r->kind_count; g++) {
        Kind *kind = &r->kinds[r->order[g]];
        kind->begin = begin;
        begin += kind->lanes;
    }
    for (size_t i = 0; i < t->count; i++) {
        Kind *kind = &r->kinds[r->kind_of[i]];
        by_kind[kind->begin + kind->taken++] = (int32_t)i;
    }
    for (size_t i = 0; i < r->kind_count; i++)
        r->kinds[i].taken = 0;
    order_backwards(r, t, by_kind);
    PyMem_RawFree(by_kind);
    return 1;
}
