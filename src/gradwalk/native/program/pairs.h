/* Sums of products in which one factor is a single number for a row of lanes: a matrix times a
 * vector, or an outer product. */

enum { OFTEN = 4 }; /* what is read so often in another order is worth a copy */

/* The factors of a sum, lane by lane, and the cells of which there are copies. */
typedef struct {
    int32_t *cells, *copied, count;
} Factor;

/* Whether cells lie side by side, or are one cell, for some lanes at a time. */
static int is_in_rows(const int32_t *cells, int32_t count)
{
    int32_t breaks = 0;
    for (int32_t i = 1; i < count; i++)
        breaks += cells[i] - cells[i - 1] != ROW && cells[i] != cells[i - 1];
    return breaks <= count / OFTEN;
}

/* Number entries in the order in which they are read first; 0 if they are too many. */
static int32_t number_entries(Layout *l, const int32_t *entries, int32_t count, int32_t *different)
{
    int32_t found = 0;
    for (int32_t i = 0; i < count && found <= count / OFTEN; i++)
        if (l->known[entries[i]] == NONE)
            different[l->known[entries[i]] = found++] = entries[i];
    return found <= count / OFTEN ? found : 0;
}

/* Find out where factor k is, or would be if it were copied; 0: no memory. */
static int find_factor(Layout *l, Factor *f, const Kind *terms, int k, int32_t count)
{
    const int32_t *end = write_cells(l, terms, k, f->cells);
    if (is_in_rows(f->cells, (int32_t)(end - f->cells)))
        return 1;
    if (!(f->copied = numbers_for((size_t)(count / OFTEN) + 1, sizeof *f->copied)))
        return 0;
    write_entries(l, terms, k, f->cells);
    f->count = number_entries(l, f->cells, count, f->copied);
    for (int32_t i = 0; i < count; i++) {
        const int32_t place = l->known[f->cells[i]];
        l->known[f->cells[i]] = f->count ? place : NONE;
        f->cells[i] = f->count ? place : l->out->cell_of[f->cells[i]];
    }
    for (int32_t i = 0; i < f->count; i++) {
        l->known[f->copied[i]] = NONE;
        f->copied[i] = l->out->cell_of[f->copied[i]];
    }
    return 1;
}

/* Let a group copy what is to be copied of a factor; the first of the copies. */
static int32_t add_copies(Layout *l, const Factor *f)
{
    Group copies = {.lanes = f->count, .terms = 1, .kernel = COPIES, .count = 1};
    copies.out = take_cells(&l->cells, f->count);
    if (!make_source(l, &copies.x[0], f->copied, f->count) || !append_group(l, &copies))
        return NONE;
    return copies.out;
}

enum { FIRST_SINGLE = 0, FIRST_ROW = 1, ANY = -1, NEITHER = -2 };

/* The lanes that are one pair, and which of its factors is a row. */
static int32_t pair_length(const int32_t *a, const int32_t *b, int32_t count, int *row)
{
    *row = ANY;
    if (count < 2)
        return count;
    const int32_t first = a[1] - a[0], second = b[1] - b[0];
    *row = first == 0 && second == ROW ? FIRST_SINGLE : first == ROW && second == 0 ? FIRST_ROW
                                                                                    : NEITHER;
    int32_t lanes = 2;
    while (lanes < count && a[lanes] - a[lanes - 1] == first && b[lanes] - b[lanes - 1] == second)
        lanes++;
    return lanes;
}

/* How many pairs the lanes of a sum are, and which factor is the row; 0 if they are none. They are
 * written unless `to` is NULL. */
static int32_t pairs_of(const Group *group, const Factor *f, int *row, Pair *to)
{
    const int32_t all = group->lanes * group->terms;
    int32_t pairs = 0;
    for (int32_t lane = 0, length; lane < all; lane += length, pairs++) {
        const int32_t *a = f[0].cells + lane, *b = f[1].cells + lane;
        int kind;
        length = pair_length(a, b, group->lanes - lane % group->lanes, &kind);
        if (kind == NEITHER || (kind != ANY && *row != ANY && *row != kind))
            return 0;
        *row = kind == ANY ? *row : kind;
        if (to)
            to[pairs] = (Pair){*a, *b, length};
    }
    return pairs;
}

static int write_pairs(Layout *l, Group *group, Factor *f, int32_t pairs, int row)
{
    enum { PARTS = sizeof(Pair) / sizeof(int32_t) };
    int32_t starts[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        if (f[k].count && (starts[k] = add_copies(l, &f[k])) == NONE)
            return 0;
    group->x[0] = (Source){(int32_t)l->out->pool_count, row == FIRST_ROW, pairs};
    Pair *to = (Pair *)(void *)more_pool(l, (size_t)(PARTS * pairs));
    if (!to)
        return 0;
    group->paired = 1;
    pairs_of(group, f, &row, to);
    for (int32_t i = 0; i < pairs; i++) {
        to[i].first += starts[0];
        to[i].second += starts[1];
    }
    for (int k = 0; k < 2; k++)
        if (f[k].count && !free_cells(&l->cells, starts[k], f[k].count))
            return 0;
    return 1;
}

/* Write the factors of a sum of products as pairs, if they are any; 0: no memory. */
static int add_pairs(Layout *l, Group *group, const Kind *terms)
{
    enum { SHORTEST = 4 }; /* lanes of a pair, in the mean */
    const int32_t all = group->lanes * group->terms;
    Factor f[2] = {{l->found, NULL, 0}, {l->other, NULL, 0}};
    int row = ANY;
    if (group->masked || group->lanes < SHORTEST || !sum_of(group->sum, group->kernel))
        return 1;
    int ok = find_factor(l, &f[0], terms, 0, all) && find_factor(l, &f[1], terms, 1, all);
    const int32_t pairs = ok ? pairs_of(group, f, &row, NULL) : 0;
    if (pairs && pairs <= all / SHORTEST)
        ok = write_pairs(l, group, f, pairs, row);
    PyMem_RawFree(f[0].copied);
    PyMem_RawFree(f[1].copied);
    return ok;
}
