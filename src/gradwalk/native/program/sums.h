/* Chains of additions become sums: one instruction that adds its terms in their order.
 *
 * A link adds a term, its second operand, to the link before, its first operand, which is read
 * nowhere else. If all terms of a sum are the lanes of one group, which nothing else reads, the sum
 * computes them too, block by block, and they need no cells. */

enum { SHORT = 4 }; /* links of one lane: fewer are faster one by one */

static inline int is_link(const Kind *kind)
{
    return kind->before >= 0 || kind->after >= 0;
}

/* Whether a kind has no instruction of its own. */
static inline int is_inside(const Kind *kind)
{
    return kind->after >= 0 || kind->into >= 0;
}

/* The kind of an entry that is used once, or NONE. */
static inline int32_t kind_used_once(const Roller *r, const Tape *t, int32_t entry)
{
    const int is_lane = (size_t)entry >= t->inputs && r->uses[entry] == 1;
    return is_lane ? r->kind_of[(size_t)entry - t->inputs] : NONE;
}

/* Note that a kind was found where all have to be the same. */
static inline void agree_on(int32_t *known, int32_t found)
{
    *known = *known == UNKNOWN || *known == found ? found : NONE;
}

static void find_links(Roller *r, const Tape *t)
{
    for (size_t i = 0; i < t->count; i++) {
        Kind *kind = &r->kinds[r->kind_of[i]];
        if (kind->kernel != LANE_add && kind->kernel != LANE_plus)
            continue;
        const int32_t before = kind_used_once(r, t, t->operands[t->first[i]]);
        const Kind *other = before < 0 ? NULL : &r->kinds[before];
        const int fits = other && other->kernel == kind->kernel && other->lanes == kind->lanes;
        agree_on(&kind->before, fits ? before : NONE);
    }
    for (size_t i = 0; i < r->kind_count; i++) {
        if (r->kinds[i].before >= 0)
            r->kinds[r->kinds[i].before].after = (int32_t)i;
        else
            r->kinds[i].before = NONE;
    }
}

/* Tell the links of a sum where it ends, or part them if they are few. */
static void close_sum(Roller *r, int32_t end)
{
    int32_t count = 0;
    for (int32_t link = end; link >= 0; link = r->kinds[link].before, count++)
        r->kinds[link].end = end;
    if (r->kinds[end].lanes > 1 || count >= SHORT)
        return;
    for (int32_t link = end, before; link >= 0; link = before) {
        before = r->kinds[link].before;
        r->kinds[link].before = r->kinds[link].after = NONE;
    }
}

static int32_t links_of(const Roller *r, int32_t end)
{
    int32_t count = 0;
    for (int32_t link = end; link >= 0; link = r->kinds[link].before)
        count++;
    return count;
}

static void find_terms(Roller *r, const Tape *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const Kind *kind = &r->kinds[r->kind_of[i]];
        if (!is_link(kind))
            continue;
        Kind *end = &r->kinds[kind->end];
        const int32_t *operands = t->operands + t->first[i];
        agree_on(&end->terms, kind_used_once(r, t, operands[1]));
        if (kind->before < 0)
            agree_on(&end->starts, kind_used_once(r, t, operands[0]));
    }
}

/* Let a sum compute its terms, if they are all lanes of their group. */
static void take_terms(Roller *r, int32_t end)
{
    const Kind *sum = &r->kinds[end];
    if (sum->terms < 0 || is_link(&r->kinds[sum->terms]))
        return;
    const int32_t terms = links_of(r, end) + (sum->starts == sum->terms);
    if (r->kinds[sum->terms].lanes == sum->lanes * terms)
        r->kinds[sum->terms].into = end;
}

static void find_sums(Roller *r, const Tape *t)
{
    find_links(r, t);
    for (size_t i = 0; i < r->kind_count; i++)
        if (r->kinds[i].before >= 0 && r->kinds[i].after < 0)
            close_sum(r, (int32_t)i);
    find_terms(r, t);
    for (size_t i = 0; i < r->kind_count; i++)
        if (r->kinds[i].before >= 0 && r->kinds[i].after < 0)
            take_terms(r, (int32_t)i);
}
