/* The cells of a program. Those of a group are used again once its numbers have been read for the
 * last time. */

typedef struct {
    int32_t start, count;
} Range;

/* Free cells below `top`, by their place. */
typedef struct {
    Range *free;
    size_t count, room;
    int32_t top;
} Cells;

enum { TRIES = 64 }; /* of the last free ranges: a bound for the time that a program takes */

/* The first of `count` cells that are free. */
static int32_t take_cells(Cells *c, int32_t count)
{
    const size_t end = c->count > TRIES ? c->count - TRIES : 0;
    for (size_t i = c->count; i-- > end;) {
        Range *range = &c->free[i];
        if (range->count < count)
            continue;
        range->count -= count;
        const int32_t start = range->start + range->count;
        if (!range->count)
            memmove(range, range + 1, (--c->count - i) * sizeof *range);
        return start;
    }
    c->top += count;
    return c->top - count;
}

static int free_cells(Cells *c, int32_t start, int32_t count)
{
    size_t i = c->count;
    while (i > 0 && c->free[i - 1].start > start)
        i--;
    const int joins = i > 0 && c->free[i - 1].start + c->free[i - 1].count == start;
    const int joined = i < c->count && start + count == c->free[i].start;
    if (joins && joined) {
        c->free[i - 1].count += count + c->free[i].count;
        memmove(&c->free[i], &c->free[i + 1], (--c->count - i) * sizeof *c->free);
    } else if (joins) {
        c->free[i - 1].count += count;
    } else if (joined) {
        c->free[i] = (Range){start, c->free[i].count + count};
    } else {
        if (c->count == c->room && !larger((void **)&c->free, &c->room, sizeof *c->free))
            return 0;
        memmove(&c->free[i + 1], &c->free[i], (c->count++ - i) * sizeof *c->free);
        c->free[i] = (Range){start, count};
    }
    return 1;
}
