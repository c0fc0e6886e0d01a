/* The instructions of a program in their order, with cells for their results. */

static const Kind *first_link(const Roller *r, const Kind *link)
{
    while (link->before >= 0)
        link = &r->kinds[link->before];
    return link;
}

/* The terms of a sum lie in cells. */
static int add_plain_terms(Layout *l, Group *group, const Kind *sum)
{
    const Kind *link = first_link(l->r, sum);
    int32_t *end = write_cells(l, link, 0, l->found);
    for (;; link = &l->r->kinds[link->after]) {
        end = write_cells(l, link, 1, end);
        if (link->after < 0)
            break;
    }
    group->kernel = COPIES;
    group->count = 1;
    group->terms = (int32_t)(end - l->found) / group->lanes;
    return make_source(l, &group->x[0], l->found, (int32_t)(end - l->found));
}

/* The sum computes its terms itself. */
static int add_own_terms(Layout *l, Group *group, const Kind *sum, const Kind *terms)
{
    group->kernel = terms->kernel & KERNEL_BITS;
    group->count = (uint8_t)MACHINE[group->kernel].count;
    group->masked = (uint8_t)(terms->kernel >> MASKED);
    group->terms = terms->lanes / group->lanes;
    group->starts = sum->starts != sum->terms;
    if (!add_pairs(l, group, terms) || (!group->paired && !add_operands(l, group, terms)))
        return 0;
    if (!group->starts)
        return 1;
    const int32_t *end = write_cells(l, first_link(l->r, sum), 0, l->found);
    return make_source(l, &group->x[group->count], l->found, (int32_t)(end - l->found));
}

static int add_group(Layout *l, const Kind *kind, int32_t cell)
{
    const uint16_t kernel = kind->kernel & KERNEL_BITS;
    const Kind *terms = kind->before < 0 || kind->terms < 0 ? NULL : &l->r->kinds[kind->terms];
    Group group = {.lanes = kind->lanes, .out = cell, .terms = 1, .kernel = kernel};
    group.sum = kind->before < 0 ? 0 : kernel;
    group.count = (uint8_t)MACHINE[kernel].count;
    group.masked = (uint8_t)(kind->kernel >> MASKED);
    const int ok = !group.sum                     ? add_operands(l, &group, kind)
                   : terms && terms->into >= 0 ? add_own_terms(l, &group, kind, terms)
                                                  : add_plain_terms(l, &group, kind);
    return ok && append_group(l, &group);
}

static int add_single(Layout *l, const Kind *kind, int32_t cell)
{
    const uint16_t kernel = kind->kernel & KERNEL_BITS;
    Single *single = &l->out->singles[l->out->single_count++];
    *single = (Single){kernel, (uint16_t)(kind->kernel >> MASKED), cell, {0}};
    int32_t *to = single->x;
    if (MACHINE[kernel].count > 2) {
        single->x[0] = (int32_t)l->out->pool_count;
        if (!(to = more_pool(l, (size_t)MACHINE[kernel].count)))
            return 0;
    }
    for (int k = 0; k < MACHINE[kernel].count; k++)
        write_cells(l, kind, k, to + k);
    return 1;
}

/* Find out when each kind is computed, and when it is read last. */
static void find_times(Layout *l, const int32_t *results, size_t count)
{
    Roller *r = l->r;
    int32_t time = 0;
    for (size_t i = 0; i < r->kind_count; i++) {
        Kind *kind = &r->kinds[r->order[i]];
        if (!is_inside(kind))
            kind->at = kind->last = time++;
    }
    for (size_t i = 0; i < l->t->count; i++) {
        const Kind *kind = &r->kinds[r->kind_of[i]];
        kind = kind->into >= 0 ? &r->kinds[kind->into] : kind;
        const int32_t at = r->kinds[is_link(kind) ? kind->end : (int32_t)(kind - r->kinds)].at;
        for (int32_t k = l->t->first[i]; k < l->t->first[i + 1]; k++) {
            const int32_t operand = l->t->operands[k] - (int32_t)l->t->inputs;
            if (operand >= 0 && r->kinds[r->kind_of[operand]].last < at)
                r->kinds[r->kind_of[operand]].last = at;
        }
    }
    for (size_t i = 0; i < count; i++)
        if ((size_t)results[i] >= l->t->inputs)
            r->kinds[r->kind_of[(size_t)results[i] - l->t->inputs]].last = INT32_MAX;
}

/* Free the cells of all kinds that are read for the last time now. */
static int free_read(Layout *l, int32_t now)
{
    for (int32_t kind = l->ends[now]; kind >= 0; kind = l->next[kind]) {
        const Kind *read = &l->r->kinds[kind];
        const int32_t first = (int32_t)l->t->inputs + l->r->members[read->begin];
        if (!free_cells(&l->cells, l->out->cell_of[first], read->lanes))
            return 0;
    }
    return 1;
}

/* Write one instruction down, with cells for its results. */
static int add_kind(Layout *l, int32_t which)
{
    Roller *r = l->r;
    const Kind *kind = &r->kinds[which];
    const int32_t cell = take_cells(&l->cells, kind->lanes);
    for (int32_t lane = 0; lane < kind->lanes; lane++)
        l->out->cell_of[l->t->inputs + (size_t)r->members[kind->begin + lane]] = cell + lane;
    if (!(is_single(kind) ? add_single(l, kind, cell) : add_group(l, kind, cell)))
        return 0;
    if (kind->last < INT32_MAX) {
        l->next[which] = l->ends[kind->last];
        l->ends[kind->last] = which;
    }
    return free_read(l, kind->at);
}

static int add_kinds(Layout *l)
{
    Rolled *out = l->out;
    Segment *here = out->segments - 1;
    for (size_t i = 0; i < l->r->kind_count; i++) {
        const int32_t which = l->r->order[i];
        const Kind *kind = &l->r->kinds[which];
        if (is_inside(kind))
            continue;
        if (!out->segment_count || (!is_single(kind) && here->single_count))
            *(here = &out->segments[out->segment_count++]) = (Segment){0, 0};
        here->single_count += is_single(kind);
        if (!add_kind(l, which))
            return 0;
    }
    return 1;
}

/* Give back what a program was given too much of. */
static void *shrunk(void *numbers, size_t count, size_t size)
{
    void *less = PyMem_RawRealloc(numbers, (count + 1) * size);
    return less ? less : numbers;
}

static int open_layout(Layout *l)
{
    Rolled *out = l->out;
    const size_t entries = l->t->inputs + l->t->count, kinds = l->r->kind_count;
    l->found = numbers_for(2 * l->t->count, sizeof *l->found);
    l->other = numbers_for(l->t->count, sizeof *l->other);
    l->known = numbers_for(entries, sizeof *l->known);
    l->ends = numbers_for(kinds, sizeof *l->ends);
    l->next = numbers_for(kinds, sizeof *l->next);
    out->segments = numbers_for(kinds, sizeof *out->segments);
    out->singles = numbers_for(kinds, sizeof *out->singles);
    out->cell_of = numbers_for(entries, sizeof *out->cell_of);
    if (!l->found || !l->ends || !l->next || !l->other || !l->known
        || !out->segments || !out->singles || !out->cell_of)
        return 0;
    memset(l->ends, -1, (kinds + 1) * sizeof *l->ends);
    memset(l->known, -1, entries * sizeof *l->known);
    l->cells.top = (int32_t)l->t->inputs;
    for (size_t i = 0; i < l->t->inputs; i++)
        out->cell_of[i] = (int32_t)i;
    return 1;
}

static void close_layout(Layout *l)
{
    PyMem_RawFree(l->found);
    PyMem_RawFree(l->other);
    PyMem_RawFree(l->known);
    PyMem_RawFree(l->ends);
    PyMem_RawFree(l->next);
    PyMem_RawFree(l->cells.free);
}

static int lay_out(Rolled *out, Roller *r, const Tape *t, const int32_t *results, size_t count)
{
    Layout l = {.out = out, .r = r, .t = t};
    int ok = open_layout(&l);
    if (ok) {
        find_times(&l, results, count);
        ok = add_kinds(&l);
        out->segments = shrunk(out->segments, out->segment_count, sizeof *out->segments);
        if (out->groups)
            out->groups = shrunk(out->groups, out->group_count, sizeof *out->groups);
        out->singles = shrunk(out->singles, out->single_count, sizeof *out->singles);
        if (out->pool)
            out->pool = shrunk(out->pool, out->pool_count, sizeof *out->pool);
        out->cell_count = (size_t)l.cells.top;
        out->operations = t->count;
        out->input_count = t->inputs;
        out->cells = numbers_for(out->cell_count + EIGHT, sizeof *out->cells);
    }
    close_layout(&l);
    return ok && out->cells;
}

/* Make the program of a tape: `results` are the entries that are read after a run. */
static int roll(Rolled *out, const Tape *t, size_t leaves, const int32_t *results, size_t count)
{
    Roller r = {0};
    const int32_t highest = open_roller(&r, t, results, count) ? find_kinds(&r, t, leaves) : -1;
    int ok = highest >= 0;
    if (ok) {
        find_sums(&r, t);
        ok = order_kinds(&r, highest) && order_lanes(&r, t) && lay_out(out, &r, t, results, count);
    }
    close_roller(&r);
    return ok;
}
