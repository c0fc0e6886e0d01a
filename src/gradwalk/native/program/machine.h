/* The machine that runs programs: each instruction computes one operation in many lanes.
 *
 * A shut mask is data here, for it may open in the next run: a contribution that there is none of
 * is the number ABSENT, which arithmetic never makes (a signalling NaN), and which spreads through
 * the rules behind it. So the bits are those of the reverse pass that leaves contributions out. */

#define ABSENT_BITS UINT64_C(0x7ff4676172647761)

typedef union {
    double number;
    uint64_t bits;
} Bits; /* memcpy is a call here, for nothing is a builtin (setup.py) */

static inline int is_absent(double x)
{
    const Bits both = {x};
    return both.bits == ABSENT_BITS;
}

static inline double absent(void)
{
    const Bits both = {.bits = ABSENT_BITS};
    return both.number;
}

/* Operand k is x[k][i], or x[k][0] in all lanes where bit k of `single` is set; only kernels of
 * two operands know single ones, others get them spread over a block. */
typedef void (*Lanes)(double *restrict out, const double *const *x, int single, Py_ssize_t n);

#define OPERANDS_1 a[i]
#define OPERANDS_2 a[i], b[i]
#define OPERANDS_3 a[i], b[i], c[i]
#define OPERANDS_4 a[i], b[i], c[i], d[i]
#define OPERANDS_5 a[i], b[i], c[i], d[i], e[i]
#define NUMBERS_1 double a
#define NUMBERS_2 NUMBERS_1, double b
#define NUMBERS_3 NUMBERS_2, double c
#define NUMBERS_4 NUMBERS_3, double d
#define NUMBERS_5 NUMBERS_4, double e
#define POINTERS_1 const double *restrict a = x[0];
#define POINTERS_2 POINTERS_1 const double *restrict b = x[1];
#define POINTERS_3 POINTERS_2 const double *restrict c = x[2];
#define POINTERS_4 POINTERS_3 const double *restrict d = x[3];
#define POINTERS_5 POINTERS_4 const double *restrict e = x[4];

#define LOOP_OF(name, ...)                                                                        \
    for (Py_ssize_t i = 0; i < n; i++)                                                            \
        out[i] = lane_##name(__VA_ARGS__);

#define ALL_ROWS(name, count)                                                                     \
    VECTORS static void lanes_##name(double *restrict out, const double *const *x, int single,    \
                                     Py_ssize_t n)                                                \
    {                                                                                             \
        POINTERS_##count LOOP_OF(name, OPERANDS_##count)                                          \
    }

#define ROWS_OR_SINGLE(name)                                                                      \
    VECTORS static void lanes_##name(double *restrict out, const double *const *x, int single,    \
                                     Py_ssize_t n)                                                \
    {                                                                                             \
        POINTERS_2                                                                                \
        if (single == 0) {                                                                        \
            LOOP_OF(name, a[i], b[i])                                                             \
        } else if (single == 1) {                                                                 \
            const double first = a[0];                                                            \
            LOOP_OF(name, first, b[i])                                                            \
        } else {                                                                                  \
            const double second = b[0];                                                           \
            LOOP_OF(name, a[i], second)                                                           \
        }                                                                                         \
    }

#define FORWARD(name, count, number)                                                              \
    static inline double lane_##name(NUMBERS_##count) { return number; }
#define RULE(name, count, rule)                                                                    \
    static inline double lane_##name(NUMBERS_##count)                                              \
    {                                                                                              \
        double contribution = 0.0;                                                                 \
        const int open = rule;                                                                     \
        return open & !is_absent(a) ? contribution : absent();                                     \
    }

#define FORWARD_1(name, number) FORWARD(name, 1, number) ALL_ROWS(name, 1)
#define FORWARD_2(name, number) FORWARD(name, 2, number) ROWS_OR_SINGLE(name)
#define FORWARD_3(name, number) FORWARD(name, 3, number) ALL_ROWS(name, 3)
#define RULE_1(name, rule) RULE(name, 1, rule) ALL_ROWS(name, 1)
#define RULE_2(name, rule) RULE(name, 2, rule) ROWS_OR_SINGLE(name)
#define RULE_3(name, rule) RULE(name, 3, rule) ALL_ROWS(name, 3)
#define RULE_4(name, rule) RULE(name, 4, rule) ALL_ROWS(name, 4)
#define RULE_5(name, rule) RULE(name, 5, rule) ALL_ROWS(name, 5)

FORWARD_LANES_1(FORWARD_1)
FORWARD_LANES_2(FORWARD_2)
FORWARD_LANES_3(FORWARD_3)
RULE_LANES_1(RULE_1)
RULE_LANES_2(RULE_2)
RULE_LANES_3(RULE_3)
RULE_LANES_4(RULE_4)
RULE_LANES_5(RULE_5)

/* The sum of two contributions, of which either may be absent. */
FORWARD_2(plus, is_absent(a) ? b : is_absent(b) ? a : a + b)
FORWARD_2(pass_if, a ? b : absent())
FORWARD_2(mask_if, a ? absent() : b)
FORWARD_1(or_zero, is_absent(a) ? 0.0 : a)

#define EVERY_KERNEL(NAMED) \
    PER_KERNEL(NAMED) \
    NAMED(plus, KERNEL_plus, 2) \
    NAMED(pass_if, KERNEL_pass_if, 2) \
    NAMED(mask_if, KERNEL_mask_if, 2) \
    NAMED(or_zero, KERNEL_or_zero, 1)

static const struct {
    const char *name;
    Lanes lanes;
    int count;
} MACHINE[KERNEL_COUNT] = {
#define NAMED(name, kernel, count) [kernel] = {#name, lanes_##name, count},
    EVERY_KERNEL(NAMED)
#undef NAMED
};

enum {
#define NAMED(name, kernel, count) LANE_##name = kernel,
    EVERY_KERNEL(NAMED)
#undef NAMED
};

enum { ROW = 1, EIGHT = 8 }; /* the step of numbers side by side; 0 is a single number */

/* Where the numbers of an operand are: `start + lane * step`; or by a table in the program's pool,
 * from `start` on: the cell of each lane, or `runs` of lanes, each with a start of its own. */
typedef struct {
    int32_t start, step, runs;
} Source;

enum { AFFINE = -1, GATHER = 0 }; /* `runs` of a source without any */
enum { COPIES = OP_LEAF }; /* the kernel of sums whose terms are there already */

typedef struct {
    int32_t start, step, lanes;
} Run;

/* Lanes of a sum of products in which one factor is a single number, the other a row. */
typedef struct {
    int32_t first, second, lanes;
} Pair;

typedef struct {
    int32_t lanes, out; /* the results lie side by side, from cell `out` on */
    int32_t terms; /* of a sum: the lanes are computed for each, and added in turn */
    uint16_t kernel, sum; /* the kernel that adds; 0: no sum */
    uint8_t count, masked; /* by bits: the operands that may be absent, and the result with them */
    uint8_t starts; /* whether a sum begins with numbers of their own, x[count] */
    uint8_t paired; /* whether x[0] has pairs, of which `step` is that of the first factor */
    Source x[MAX_LANES + 1];
} Group;

/* A place in a source: lanes are taken in their order. */
typedef struct {
    const Run *run;
    int32_t lane; /* of the run, or of the whole source */
} Place;

static inline Place first_place(const Source *x, const int32_t *pool)
{
    return (Place){x->runs > 0 ? (const Run *)(const void *)(pool + x->start) : NULL, 0};
}

/* Eight numbers at once, up to seven too many: cells and blocks have room for them. */
static inline void copy_run(double *restrict to, const double *restrict from, int32_t step,
                            int32_t n)
{
    if (step == ROW) {
        for (int32_t i = 0; i < n; i += EIGHT)
            for (int32_t k = 0; k < EIGHT; k++)
                to[i + k] = from[i + k];
    } else if (step == 0) {
        const double x = *from;
        for (int32_t i = 0; i < n; i += EIGHT)
            for (int32_t k = 0; k < EIGHT; k++)
                to[i + k] = x;
    } else {
        for (int32_t i = 0; i < n; i++)
            to[i] = from[(Py_ssize_t)step * i];
    }
}

VECTORS static void copy_runs(const Run *run, int32_t lane, const double *cells, int32_t n,
                              double *block, Place *after)
{
    for (;;) {
        const double *from = cells + run->start + (Py_ssize_t)run->step * lane;
        const int32_t left = run->lanes - lane;
        if (left > n) {
            copy_run(block, from, run->step, n);
            *after = (Place){run, lane + n};
            return;
        }
        copy_run(block, from, run->step, left);
        block += left;
        n -= left;
        lane = 0;
        run++;
        if (!n) {
            *after = (Place){run, 0};
            return;
        }
    }
}

/* The next n numbers of one operand, side by side. */
static inline const double *side_by_side(const Source *x, const int32_t *pool, const double *cells,
                                         Place *place, int32_t n, double *block)
{
    const int32_t lane = place->lane;
    if (x->runs > 0) {
        const Run *run = place->run;
        if (run->step != ROW || run->lanes - lane < n) {
            copy_runs(run, lane, cells, n, block, place);
            return block;
        }
        *place = run->lanes - lane > n ? (Place){run, lane + n} : (Place){run + 1, 0};
        return cells + run->start + lane;
    }
    place->lane += n;
    if (x->runs == GATHER) {
        const int32_t *restrict at = pool + x->start + lane;
        for (int32_t i = 0; i < n; i++)
            block[i] = cells[at[i]];
        return block;
    }
    const double *from = cells + x->start + (Py_ssize_t)x->step * lane;
    if (x->step != ROW) {
        copy_run(block, from, x->step, n);
        return block;
    }
    return from;
}

/* The result is absent where one of these operands is. */
static void mask_lanes(const Group *g, const double *const *x, int single, double *out, int32_t n)
{
    for (int k = 0; k < g->count; k++) {
        if (!(g->masked >> k & 1))
            continue;
        for (int32_t i = 0; i < n; i++)
            if (is_absent(x[k][single >> k & 1 ? 0 : i]))
                out[i] = absent();
    }
}

/* Add numbers to as many sums, or to one sum in their order. */
#define ADDING(name)                                                                               \
    VECTORS static void name##_to_each(double *to, const double *x, int32_t n)                     \
    {                                                                                              \
        for (int32_t i = 0; i < n; i++)                                                            \
            to[i] = lane_##name(to[i], x[i]);                                                      \
    }                                                                                              \
    static void name##_to_one(double *to, const double *x, int32_t n)                              \
    {                                                                                              \
        double sum = *to;                                                                          \
        for (int32_t i = 0; i < n; i++)                                                            \
            sum = lane_##name(sum, x[i]);                                                          \
        *to = sum;                                                                                 \
    }
ADDING(add)
ADDING(plus)

/* Add the next n terms to the sums of a group, of which `*lane` comes next. */
static void add_terms(const Group *g, double *sums, int32_t *lane, const double *terms, int32_t n)
{
    if (g->lanes == 1) {
        (g->sum == LANE_add ? add_to_one : plus_to_one)(sums, terms, n);
        return;
    }
    void (*add)(double *, const double *, int32_t) =
        g->sum == LANE_add ? add_to_each : plus_to_each;
    while (n) {
        const int32_t part = g->lanes - *lane < n ? g->lanes - *lane : n;
        add(sums + *lane, terms, part);
        terms += part;
        n -= part;
        *lane = *lane + part < g->lanes ? *lane + part : 0;
    }
}

/* The next n numbers of every operand; by bits, which of two is a single number. */
static inline int next_operands(const Group *g, const int32_t *pool, const double *cells,
                                Place *places, int32_t n, const double **x,
                                double (*blocks)[BLOCK + EIGHT])
{
    int single = 0;
    for (int k = 0; k < g->count; k++) {
        const Source *s = &g->x[k];
        if (g->count == 2 && !single && s->runs == AFFINE && !s->step) {
            single = 1 << k;
            x[k] = cells + s->start;
        } else {
            x[k] = side_by_side(s, pool, cells, &places[k], n, blocks[k]);
        }
    }
    return single;
}

/* The numbers that sums begin with, if they are not their first terms. */
static void begin_sums(const Group *g, const int32_t *pool, double *cells)
{
    const Source *s = &g->x[g->count];
    Place place = first_place(s, pool);
    double block[BLOCK + EIGHT];
    for (int32_t first = 0; first < g->lanes; first += BLOCK) {
        const int32_t n = g->lanes - first < BLOCK ? g->lanes - first : BLOCK;
        const double *from = side_by_side(s, pool, cells, &place, n, block);
        memcpy(cells + g->out + first, from, (size_t)n * sizeof *from);
    }
}

/* Compute n lanes of a group into `to`; where they are: those of a plain sum stay where they lie. */
static inline const double *compute_lanes(const Group *g, const double *const *x, int single,
                                          double *to, int32_t n)
{
    if (g->kernel == COPIES)
        return x[0];
    MACHINE[g->kernel].lanes(to, x, single, n);
    if (g->masked)
        mask_lanes(g, x, single, to, n);
    return to;
}

/* Products are added to their sums without a stop on the way. */
#define SUM_OF(sum, kernel)                                                                        \
    VECTORS static void sum##_of_##kernel(const Pair *p, const double *cells, int row,             \
                                          double *out, int32_t lanes, int32_t all)                 \
    {                                                                                              \
        for (int32_t done = 0, lane = 0; done < all; done += p->lanes, p++) {                      \
            double *restrict to = out + lane;                                                      \
            const double *restrict a = cells + p->first, *restrict b = cells + p->second;          \
            const int32_t n = p->lanes;                                                            \
            if (row) {                                                                             \
                const double second = *b;                                                          \
                for (int32_t i = 0; i < n; i++)                                                    \
                    to[i] = lane_##sum(to[i], lane_##kernel(a[i], second));                        \
            } else {                                                                               \
                const double first = *a;                                                           \
                for (int32_t i = 0; i < n; i++)                                                    \
                    to[i] = lane_##sum(to[i], lane_##kernel(first, b[i]));                         \
            }                                                                                      \
            lane = lane + n < lanes ? lane + n : 0;                                                \
        }                                                                                          \
    }
SUM_OF(add, mul)
SUM_OF(plus, mul)
SUM_OF(plus, mul_0)
SUM_OF(plus, mul_1)

typedef void (*SumOf)(const Pair *, const double *, int, double *, int32_t, int32_t);

static inline SumOf sum_of(uint16_t sum, uint16_t kernel)
{
    if (sum == LANE_add)
        return kernel == LANE_mul ? add_of_mul : NULL;
    return kernel == LANE_mul     ? plus_of_mul
           : kernel == LANE_mul_0 ? plus_of_mul_0
           : kernel == LANE_mul_1 ? plus_of_mul_1
                                  : NULL;
}

static void run_pairs(const Group *g, const int32_t *pool, double *cells)
{
    double *out = cells + g->out;
    const double nothing = g->sum == LANE_add ? -0.0 : absent(); /* changes no bit */
    if (g->starts)
        begin_sums(g, pool, cells);
    else
        for (int32_t i = 0; i < g->lanes; i++)
            out[i] = nothing;
    const Pair *pairs = (const Pair *)(const void *)(pool + g->x[0].start);
    sum_of(g->sum, g->kernel)(pairs, cells, g->x[0].step, out, g->lanes, g->lanes * g->terms);
}

static void run_group(const Group *g, const int32_t *pool, double *cells)
{
    double blocks[MAX_LANES + 1][BLOCK + EIGHT], *const out = cells + g->out;
    const double *x[MAX_LANES];
    Place places[MAX_LANES];
    for (int k = 0; k < g->count; k++)
        places[k] = first_place(&g->x[k], pool);
    if (g->paired) {
        run_pairs(g, pool, cells);
        return;
    }
    if (g->starts)
        begin_sums(g, pool, cells);
    const int32_t assigned = g->starts ? 0 : g->lanes, all = g->lanes * g->terms;
    int32_t lane = 0;
    for (int32_t first = 0, n; first < all; first += n) {
        const int32_t left = (first < assigned ? assigned : all) - first;
        n = left < BLOCK ? left : BLOCK;
        const int single = next_operands(g, pool, cells, places, n, x, blocks);
        double *const to = first < assigned ? out + first : blocks[MAX_LANES];
        const double *numbers = compute_lanes(g, x, single, to, n);
        if (first >= assigned)
            add_terms(g, out, &lane, numbers, n);
        else if (numbers != to)
            memcpy(to, numbers, (size_t)n * sizeof *to);
    }
}

/* An instruction of one lane. Of more than two operands, x[0] is the place of the first in a pool.
 */
typedef struct {
    uint16_t kernel, masked;
    int32_t out, x[2];
} Single;

/* Groups, then single instructions: as much of both as comes without the other in between. */
typedef struct {
    int32_t group_count, single_count;
} Segment;

static inline double lane_of_pool(uint16_t kernel, const int32_t *pool, const double *cells)
{
    double x[MAX_LANES], out;
    const double *at[MAX_LANES];
    for (int k = 0; k < MACHINE[kernel].count; k++) {
        x[k] = cells[pool[k]];
        at[k] = &x[k];
    }
    MACHINE[kernel].lanes(&out, at, 0, 1);
    return out;
}

/* 2 ns an instruction, where a call of a loop for one lane takes 12. */
static void run_singles(const Single *s, size_t count, const int32_t *pool, double *cells)
{
    for (const Single *end = s + count; s < end; s++) {
        double y;
        switch (s->kernel) {
#define SINGLE_1(name, ...)                                                                       \
    case LANE_##name:                                                                             \
        y = lane_##name(cells[s->x[0]]);                                                          \
        break;
#define SINGLE_2(name, ...)                                                                       \
    case LANE_##name:                                                                             \
        y = lane_##name(cells[s->x[0]], cells[s->x[1]]);                                          \
        break;
            FORWARD_LANES_1(SINGLE_1)
            FORWARD_LANES_2(SINGLE_2)
            RULE_LANES_1(SINGLE_1)
            RULE_LANES_2(SINGLE_2)
            SINGLE_2(plus)
            SINGLE_2(pass_if)
            SINGLE_2(mask_if)
            SINGLE_1(or_zero)
        default:
            y = lane_of_pool(s->kernel, pool + s->x[0], cells);
        }
        if (s->masked) {
            const int count = MACHINE[s->kernel].count;
            const int32_t *x = count > 2 ? pool + s->x[0] : s->x;
            for (int k = 0; k < count; k++)
                if (s->masked >> k & 1 && is_absent(cells[x[k]]))
                    y = absent();
        }
        cells[s->out] = y;
    }
}
