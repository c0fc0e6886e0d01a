/* Where each instruction of a program finds its operands. */

/* What `lay_out` works with. */
typedef struct {
    Rolled *out;
    Roller *r;
    const Tape *t;
    Cells cells;
    int32_t *found;       /* the cells of an operand, lane by lane */
    int32_t *ends, *next; /* the kinds that are read last at a time: the first, and the next */
    int32_t *other;       /* those of the second of two */
    int32_t *known;       /* of each entry: its place among those that a group copies; NONE */
    size_t pool_room, group_room;
} Layout;

static int32_t *more_pool(Layout *l, size_t count)
{
    while (l->out->pool_count + count > l->pool_room)
        if (!larger((void **)&l->out->pool, &l->pool_room, sizeof *l->out->pool))
            return NULL;
    l->out->pool_count += count;
    return l->out->pool + l->out->pool_count - count;
}

/* The lanes from `cells` on that are one run. */
static int32_t run_length(const int32_t *cells, int32_t count)
{
    if (count < 2)
        return count;
    const int32_t step = cells[1] - cells[0];
    int32_t lanes = 2;
    while (lanes < count && cells[lanes] - cells[lanes - 1] == step)
        lanes++;
    return lanes == 2 && step != 0 && step != ROW && count > 2 ? 1 : lanes;
}

static int32_t runs_of(const int32_t *cells, int32_t count)
{
    int32_t runs = 0;
    for (int32_t lane = 0; lane < count; runs++)
        lane += run_length(cells + lane, count - lane);
    return runs;
}

/* The source whose numbers are in these cells. */
static int make_source(Layout *l, Source *source, const int32_t *cells, int32_t count)
{
    enum { PARTS = sizeof(Run) / sizeof(int32_t) };
    const int32_t runs = runs_of(cells, count), start = (int32_t)l->out->pool_count;
    if (runs <= 1) {
        *source = (Source){cells[0], count > 1 ? cells[1] - cells[0] : 0, AFFINE};
        return 1;
    }
    const int in_runs = runs < count / PARTS;
    int32_t *to = more_pool(l, (size_t)(in_runs ? PARTS * runs : count));
    if (!to)
        return 0;
    *source = (Source){start, 0, in_runs ? runs : GATHER};
    if (!in_runs) {
        memcpy(to, cells, (size_t)count * sizeof *to);
        return 1;
    }
    for (int32_t lane = 0, length; lane < count; lane += length, to += PARTS) {
        length = run_length(cells + lane, count - lane);
        const Run run = {cells[lane], length > 1 ? cells[lane + 1] - cells[lane] : 0, length};
        memcpy(to, &run, sizeof run);
    }
    return 1;
}

/* Write down operand k of all lanes of a kind, as entries; the end of what is written. */
static int32_t *write_entries(const Layout *l, const Kind *kind, int k, int32_t *to)
{
    const int32_t *members = l->r->members + kind->begin;
    for (int32_t lane = 0; lane < kind->lanes; lane++)
        *to++ = l->t->operands[l->t->first[members[lane]] + k];
    return to;
}

/* The same as cells. */
static int32_t *write_cells(const Layout *l, const Kind *kind, int k, int32_t *to)
{
    int32_t *end = write_entries(l, kind, k, to);
    for (; to < end; to++)
        *to = l->out->cell_of[*to];
    return end;
}

static int append_group(Layout *l, const Group *group)
{
    Rolled *out = l->out;
    if (out->group_count == l->group_room
        && !larger((void **)&out->groups, &l->group_room, sizeof *out->groups))
        return 0;
    out->segments[out->segment_count - 1].group_count++;
    out->groups[out->group_count++] = *group;
    return 1;
}

static int add_operands(Layout *l, Group *group, const Kind *kind)
{
    for (int k = 0; k < group->count; k++) {
        const int32_t *end = write_cells(l, kind, k, l->found);
        if (!make_source(l, &group->x[k], l->found, (int32_t)(end - l->found)))
            return 0;
    }
    return 1;
}
