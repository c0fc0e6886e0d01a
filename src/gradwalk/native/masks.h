/* Rules that choose (maximum, where, clip, relu, abs) in one pass over arrays.
 *
 * By NumPy the rule of maximum takes 220 us for 100,000 numbers; here it is one pass of 130 us,
 * and a gradient that is recorded has one node instead of four. The rules are those of kernels.h.
 * Loops have no branches, which random signs would make slow: they are computed everywhere, and
 * what is shut is emptied by its bits. */

enum { MAX_MASK_ARGS = 3 };

typedef struct {
    const double *t, *y, *x[MAX_MASK_ARGS];
    double *out, *shut; /* shut: 1.0 where a mask is; NULL if nobody asks */
} MaskArgs;

#define MASK_X_1 x0[i]
#define MASK_X_2 x0[i], x1[i]
#define MASK_X_3 x0[i], x1[i], x2[i]

/* One loop for the contributions and one for the masks: of both in one the compiler makes branches.
 */
#define MASK_LOOP(primitive, index, arity)                                                         \
    VECTORS static void g_##primitive##_##index(const MaskArgs *g, Py_ssize_t n)                   \
    {                                                                                              \
        const double *restrict t = g->t, *restrict y = g->y, *restrict x0 = g->x[0],               \
                               *restrict x1 = g->x[1], *restrict x2 = g->x[2];                     \
        double *restrict out = g->out, *restrict shut = g->shut;                                   \
        (void)y, (void)x1, (void)x2;                                                               \
        for (Py_ssize_t i = 0; i < n; i++) {                                                       \
            double contribution = t[i];                                                            \
            int open = r_##primitive##_##index(t[i], y[i], MASK_X_##arity, &contribution);         \
            out[i] = open ? contribution : 0.0;                                                    \
        }                                                                                          \
        for (Py_ssize_t i = 0; shut && i < n; i++) {                                               \
            double contribution;                                                                   \
            shut[i] =                                                                              \
                r_##primitive##_##index(t[i], y[i], MASK_X_##arity, &contribution) ? 0.0 : 1.0;    \
        }                                                                                          \
    }

MASK_RULES(MASK_LOOP)

/* One block; 0 if the rule is none of these. */
static int mask_block(uint16_t op, int rule, const MaskArgs *g, Py_ssize_t n)
{
#define MASK_CASE(primitive, index, arity) \
    if (op == OP_##primitive && rule == index) { \
        g_##primitive##_##index(g, n); \
        return 1; \
    }
    MASK_RULES(MASK_CASE)
#undef MASK_CASE
    return 0;
}

/* Where the numbers of an operand start that belong to a block: in place, or spread out and, if
 * they are bools, converted there. */
static const double *mask_operand(const Py_buffer *b, Py_ssize_t n, Py_ssize_t start,
                                  Py_ssize_t length, double *room)
{
    int bools = b->itemsize == 1;
    Py_ssize_t count = b->len / (b->itemsize ? b->itemsize : 1);
    if (count != n || n == 1) {
        double number = bools ? (double)*(const char *)b->buf : *(const double *)b->buf;
        for (Py_ssize_t i = 0; start == 0 && i < BLOCK; i++)
            room[i] = number;
        return room;
    }
    if (!bools)
        return (const double *)b->buf + start;
    for (Py_ssize_t i = 0; i < length; i++)
        room[i] = ((const char *)b->buf)[start + i];
    return room;
}

static int mask_all(uint16_t op, int rule, const Py_buffer *operands, int count, double *out,
                    char *shut, Py_ssize_t n)
{
    double room[2 + MAX_MASK_ARGS][BLOCK], is_shut[BLOCK];
    char any = 0;
    for (Py_ssize_t start = 0; start < n; start += BLOCK) {
        Py_ssize_t length = n - start < BLOCK ? n - start : BLOCK;
        const double *at[2 + MAX_MASK_ARGS] = {NULL};
        for (int k = 0; k < count; k++)
            at[k] = mask_operand(&operands[k], n, start, length, room[k]);
        MaskArgs g = {at[0], at[1], {at[2], at[3], at[4]}, out + start, is_shut};
        if (!mask_block(op, rule, &g, length))
            return -1;
        for (Py_ssize_t i = 0; i < length; i++)
            any |= shut[start + i] = (char)(int)is_shut[i];
    }
    return any;
}

/* One number, or as many as there are, in the shape of the result; doubles or bools. */
static int mask_fits(const Py_buffer *b, const Py_buffer *like)
{
    if (!b->format || (strcmp(b->format, "d") && strcmp(b->format, "?"))
        || (uintptr_t)b->buf % (size_t)b->itemsize != 0)
        return 0;
    if (b->len == b->itemsize && b->ndim <= like->ndim)
        return 1;
    return b->ndim == like->ndim
           && !memcmp(b->shape, like->shape, (size_t)b->ndim * sizeof *b->shape);
}

/* map_mask(primitive, rule, out, shut, operands): t, y and the arguments, arrays or floats; what is
 * None stands for a number that the rule does not look at. Returns whether any is shut, and None
 * where this is not for such operands, and nothing was done. */
static PyObject *engine_map_mask(PyObject *module, PyObject *args)
{
    PyObject *primitive, *out, *shut, *operands;
    int rule, any = -1, fit = 1;
    if (!PyArg_ParseTuple(args, "OiOOO!:map_mask", &primitive, &rule, &out, &shut, &PyTuple_Type,
                          &operands))
        return NULL;
    uint16_t op = op_of(primitive);
    int count = (int)PyTuple_GET_SIZE(operands);
    if (op == OP_PYTHON || count != KERNELS[op - OP_FIRST].arity + 2
        || count > 2 + MAX_MASK_ARGS)
        Py_RETURN_NONE;
    double numbers[2 + 2 + MAX_MASK_ARGS];
    Py_buffer buffers[2 + 2 + MAX_MASK_ARGS];
    memset(buffers, 0, sizeof buffers);
    for (int i = 0; fit && i < 2 + count; i++) {
        PyObject *array = i == 0 ? out : i == 1 ? shut : PyTuple_GET_ITEM(operands, i - 2);
        int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (i < 2 ? PyBUF_WRITABLE : 0);
        if (i > 2 && (array == Py_None || PyFloat_Check(array))) {
            numbers[i] = array == Py_None ? 0.0 : PyFloat_AS_DOUBLE(array);
            buffers[i] = (Py_buffer){.buf = &numbers[i], .len = 8, .itemsize = 8, .format = "d"};
        } else if (PyObject_GetBuffer(array, &buffers[i], flags) < 0) {
            PyErr_Clear(); /* not contiguous */
            fit = 0;
        } else
            fit = mask_fits(&buffers[i], &buffers[0]);
    }
    Py_ssize_t n = buffers[0].len / (Py_ssize_t)sizeof(double);
    if (fit && buffers[0].itemsize == sizeof(double) && buffers[1].len == n
        && buffers[1].itemsize == 1) {
        Py_BEGIN_ALLOW_THREADS
        any = n ? mask_all(op, rule, buffers + 2, count, buffers[0].buf, buffers[1].buf, n) : -1;
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < 2 + count; i++)
        if (buffers[i].obj)
            PyBuffer_Release(&buffers[i]);
    return any < 0 ? Py_NewRef(Py_None) : PyBool_FromLong(any);
}

/* By memcpy, because the numbers are no integers, and may lie anywhere. */
#define EMPTY(bytes, type)                                                                        \
    static void empty_##bytes(const char *restrict mask, const char *restrict from,               \
                              char *restrict to, Py_ssize_t n)                                    \
    {                                                                                             \
        for (Py_ssize_t i = 0; i < n; i++) {                                                      \
            type bits;                                                                            \
            memcpy(&bits, from + bytes * i, bytes);                                               \
            bits &= (type)mask[i] - 1;                                                            \
            memcpy(to + bytes * i, &bits, bytes);                                                 \
        }                                                                                         \
    }

EMPTY(8, uint64_t)
EMPTY(4, uint32_t)

/* emptied(shut, t, out): t with zeros where it is shut, by the bits of its numbers. */
static PyObject *engine_emptied(PyObject *module, PyObject *args)
{
    Py_buffer shut, t, out;
    if (!PyArg_ParseTuple(args, "y*y*w*:emptied", &shut, &t, &out))
        return NULL;
    Py_ssize_t n = shut.len;
    int fit = out.len == t.len && (t.len == 8 * n || t.len == 4 * n);
    if (fit && t.len == 8 * n)
        empty_8(shut.buf, t.buf, out.buf, n);
    else if (fit)
        empty_4(shut.buf, t.buf, out.buf, n);
    PyBuffer_Release(&shut);
    PyBuffer_Release(&t);
    PyBuffer_Release(&out);
    if (!fit)
        return PyErr_Format(PyExc_ValueError, "emptied: expected arrays that fit");
    Py_RETURN_NONE;
}
