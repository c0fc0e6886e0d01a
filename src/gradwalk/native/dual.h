/* Arithmetic on primals and tangents in one pass: y = f(x) and dy = f'(x) dx.
 *
 * NumPy makes one pass for each multiplication and addition of a rule; large arrays have to come
 * from memory for each. The functions are those of kernels.h. */

enum { BLOCK = 512, MAX_MOVING = 2 }; /* numbers that stay in the cache */

typedef struct {
    const double *x[MAX_MOVING], *dx[MAX_MOVING]; /* dx: NULL if an argument rests */
    double *y, *dy;
} Duals;

/* One block. The flags of what moves are constants wherever this is inlined. */
#define DUAL_LOOP_1(primitive)                                                                     \
    for (Py_ssize_t i = 0; i < n; i++) {                                                           \
        double y = f_##primitive(a[i]), contribution;                                              \
        r_##primitive##_0(da[i], y, a[i], &contribution);                                          \
        out[i] = y;                                                                                \
        dout[i] = contribution;                                                                    \
    }

#define DUAL_1(primitive)                                                                          \
    static void d_##primitive(const Duals *d, Py_ssize_t n)                                        \
    {                                                                                              \
        const double *restrict a = d->x[0], *restrict da = d->dx[0];                               \
        double *restrict out = d->y, *restrict dout = d->dy;                                       \
        DUAL_LOOP_1(primitive)                                                                     \
    }

#define DUAL_LOOP_2(primitive, first, second, sum)                                                 \
    for (Py_ssize_t i = 0; i < n; i++) {                                                           \
        double y = f_##primitive(a[i], b[i]), contribution = 0.0, more = 0.0;                      \
        if (first)                                                                                 \
            r_##primitive##_0(da[i], y, a[i], b[i], &contribution);                                \
        if (second)                                                                                \
            r_##primitive##_1(db[i], y, a[i], b[i], &more);                                        \
        out[i] = y;                                                                                \
        dout[i] = sum;                                                                             \
    }

#define DUAL_2(primitive)                                                                          \
    static void d_##primitive(const Duals *d, Py_ssize_t n)                                        \
    {                                                                                              \
        const double *restrict a = d->x[0], *restrict da = d->dx[0];                               \
        const double *restrict b = d->x[1], *restrict db = d->dx[1];                               \
        double *restrict out = d->y, *restrict dout = d->dy;                                       \
        if (da && db) {                                                                            \
            DUAL_LOOP_2(primitive, 1, 1, contribution + more)                                      \
        } else if (da) {                                                                           \
            DUAL_LOOP_2(primitive, 1, 0, contribution)                                             \
        } else {                                                                                   \
            DUAL_LOOP_2(primitive, 0, 1, more)                                                     \
        }                                                                                          \
    }

ARITHMETIC_1(DUAL_1)
ARITHMETIC_2(DUAL_2)

static int dual_block(uint16_t op, const Duals *d, Py_ssize_t n)
{
#define DUAL_CASE(primitive) \
    case OP_##primitive: \
        d_##primitive(d, n); \
        return 1;
    switch (op) { ARITHMETIC_1(DUAL_CASE) ARITHMETIC_2(DUAL_CASE) }
#undef DUAL_CASE
    return 0;
}

/* All blocks. An operand of one number is spread over a block of its own first. */
static int dual_all(uint16_t op, int arity, const Py_buffer *x, const Py_buffer *dx, double *y,
                    double *dy, Py_ssize_t n)
{
    double spread[2 * MAX_MOVING][BLOCK];
    int ok = 1;
    for (Py_ssize_t start = 0; ok && start < n; start += BLOCK) {
        Py_ssize_t length = n - start < BLOCK ? n - start : BLOCK;
        Duals d = {{NULL}, {NULL}, y + start, dy + start};
        for (int k = 0; k < 2 * arity; k++) {
            const Py_buffer *b = k < arity ? &x[k] : &dx[k - arity];
            const double **place = k < arity ? &d.x[k] : &d.dx[k - arity];
            if (!b->buf) /* it rests */
                continue;
            *place = (const double *)b->buf + start;
            if (b->len != n * (Py_ssize_t)sizeof(double)) {
                for (int i = 0; start == 0 && i < BLOCK; i++)
                    spread[k][i] = *(const double *)b->buf;
                *place = spread[k];
            }
        }
        ok = dual_block(op, &d, length);
    }
    return ok;
}

/* map_dual(primitive, y, dy, operands, tangents): for an arithmetic primitive of arrays of doubles;
 * a tangent is None where an operand rests. Returns whether the primitive is one. */
static PyObject *engine_map_dual(PyObject *module, PyObject *args)
{
    PyObject *primitive, *y, *dy, *operands, *tangents, *result = NULL;
    if (!PyArg_ParseTuple(args, "OOOO!O!:map_dual", &primitive, &y, &dy, &PyTuple_Type, &operands,
                          &PyTuple_Type, &tangents))
        return NULL;
    uint16_t op = op_of(primitive);
    int arity = op == OP_PYTHON ? 0 : KERNELS[op - OP_FIRST].arity, moving = 0;
    if (arity < 1 || arity > MAX_MOVING || PyTuple_GET_SIZE(operands) != arity
        || PyTuple_GET_SIZE(tangents) != arity)
        return PyErr_Format(PyExc_TypeError, "map_dual: not for %R", primitive);
    Py_buffer buffers[2 + 2 * MAX_MOVING];
    memset(buffers, 0, sizeof buffers);
    for (int i = 0; i < 2 + 2 * arity; i++) {
        PyObject *array = i == 0 ? y : i == 1 ? dy : i < 2 + arity
            ? PyTuple_GET_ITEM(operands, i - 2) : PyTuple_GET_ITEM(tangents, i - 2 - arity);
        if (array == Py_None && i >= 2 + arity)
            continue;
        int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (i < 2 ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(array, &buffers[i], flags) < 0)
            goto end;
        moving += i >= 2 + arity;
    }
    Py_ssize_t n = buffers[0].len / (Py_ssize_t)sizeof(double);
    int fit = moving && buffers[0].len == buffers[1].len;
    for (int i = 0; i < 2 + 2 * arity; i++)
        fit = fit && (!buffers[i].buf || is_doubles(&buffers[i], n));
    if (!fit) {
        PyErr_SetString(PyExc_ValueError, "map_dual: expected arrays of doubles that fit");
        goto end;
    }
    int known;
    Py_BEGIN_ALLOW_THREADS
    known = dual_all(op, arity, buffers + 2, buffers + 2 + arity, buffers[0].buf, buffers[1].buf,
                     n);
    Py_END_ALLOW_THREADS
    result = PyBool_FromLong(known);
end:
    for (int i = 0; i < 2 + 2 * arity; i++)
        if (buffers[i].obj)
            PyBuffer_Release(&buffers[i]);
    return result;
}
