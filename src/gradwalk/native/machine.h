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

enum { ROW = 1 }; /* the step of numbers that lie side by side; 0 is a single number */

typedef struct {
    int32_t start, step;
    const int32_t *gather; /* where each lane's number is; NULL: start + lane * step */
} Source;

typedef struct {
    int32_t lanes, out; /* the results lie side by side, from cell `out` on */
    uint16_t kernel;
    uint8_t count;
    uint8_t masked; /* by bits: the operands that may be absent, and the result with them */
    Source x[MAX_LANES];
} Group;

/* The numbers of one operand in n lanes from `first` on, side by side. */
static inline const double *side_by_side(const Source *x, const double *cells, int32_t first,
                                         int32_t n, double *block)
{
    if (x->gather) {
        const int32_t *restrict at = x->gather + first;
        for (int32_t i = 0; i < n; i++)
            block[i] = cells[at[i]];
        return block;
    }
    const double *from = cells + x->start + (Py_ssize_t)x->step * first;
    if (x->step == ROW)
        return from;
    for (int32_t i = 0; i < n; i++)
        block[i] = from[(Py_ssize_t)x->step * i];
    return block;
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

static void run_group(const Group *g, double *cells)
{
    double blocks[MAX_LANES][BLOCK];
    const double *x[MAX_LANES];
    for (int32_t first = 0; first < g->lanes; first += BLOCK) {
        const int32_t n = g->lanes - first < BLOCK ? g->lanes - first : BLOCK;
        int single = 0;
        for (int k = 0; k < g->count; k++) {
            const Source *s = &g->x[k];
            if (g->count == 2 && !single && !s->gather && !s->step) {
                single = 1 << k;
                x[k] = cells + s->start;
            } else {
                x[k] = side_by_side(s, cells, first, n, blocks[k]);
            }
        }
        MACHINE[g->kernel].lanes(cells + g->out + first, x, single, n);
        if (g->masked)
            mask_lanes(g, x, single, cells + g->out + first, n);
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
