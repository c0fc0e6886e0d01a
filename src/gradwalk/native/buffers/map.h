/* A primitive, or one of its rules, on buffers of doubles: what NumPy has no function for.
 *
 * An operand of one number stands for as many as are wanted.
 */

enum { MAX_OPERANDS = 5 }; /* t, y and three arguments */

/* The contribution of argument `wanted`: 0 if the mask is shut. */
static int contribution_at(uint16_t op, int wanted, double t, double y, const double *x,
                           double *given)
{
    double contribution = 0.0;
    int open = 0;
#define CONTRIBUTION(i, rule) \
    if ((i) == wanted) \
        open = (rule);
    switch (op) { CASES_1 CASES_2 CASES_3 }
#undef CONTRIBUTION
    *given = open ? contribution : 0.0;
    return open;
}

/* Compute all numbers; whether any mask was shut, of which `shut`, if not NULL, gets a note. */
static int map_all(uint16_t op, int rule, const Py_buffer *operands, Py_ssize_t count, double *out,
                   char *shut, Py_ssize_t n)
{
    double x[MAX_OPERANDS] = {0.0};
    int any = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        for (Py_ssize_t k = 0; k < count; k++) {
            const double *numbers = operands[k].buf;
            x[k] = numbers[operands[k].len > (Py_ssize_t)sizeof(double) ? i : 0];
        }
        if (rule < 0) {
            out[i] = forward(op, x);
        } else {
            shut[i] = (char)!contribution_at(op, rule, x[0], x[1], x + 2, &out[i]);
            any |= shut[i];
        }
    }
    return any;
}

static int is_doubles(const Py_buffer *b, Py_ssize_t n)
{
    return b->format && !strcmp(b->format, "d") && (uintptr_t)b->buf % sizeof(double) == 0
           && (b->len == (Py_ssize_t)sizeof(double) || b->len == n * (Py_ssize_t)sizeof(double));
}

/* map_primitive(primitive, rule, out, shut, operands): rule -1 is the operation itself, and its
 * operands are the arguments; those of a rule are t, y and the arguments. Returns whether any mask
 * is shut. */
static PyObject *engine_map_primitive(PyObject *module, PyObject *args)
{
    PyObject *primitive, *out, *shut, *operands, *result = NULL;
    int rule, held = 0;
    if (!PyArg_ParseTuple(args, "OiOOO!:map_primitive", &primitive, &rule, &out, &shut,
                          &PyTuple_Type, &operands))
        return NULL;
    uint16_t op = op_of(primitive);
    Py_ssize_t count = PyTuple_GET_SIZE(operands);
    if (op == OP_PYTHON || count != KERNELS[op - OP_FIRST].arity + (rule < 0 ? 0 : 2))
        return PyErr_Format(PyExc_TypeError, "map_primitive: %R takes no %zd operands here",
                            primitive, count);
    Py_buffer buffers[MAX_OPERANDS + 2];
    PyObject *arrays[MAX_OPERANDS + 2] = {out, shut};
    for (Py_ssize_t i = 0; i < count; i++)
        arrays[i + 2] = PyTuple_GET_ITEM(operands, i);
    for (; held < count + 2; held++)
        if (PyObject_GetBuffer(arrays[held], &buffers[held],
                               PyBUF_C_CONTIGUOUS | PyBUF_FORMAT
                                   | (held < 2 ? PyBUF_WRITABLE : 0)) < 0)
            goto end;
    Py_ssize_t n = buffers[0].len / (Py_ssize_t)sizeof(double);
    int fit = is_doubles(&buffers[0], n) && (rule < 0 || buffers[1].len == n);
    for (Py_ssize_t i = 2; i < held; i++)
        fit = fit && is_doubles(&buffers[i], n);
    if (!fit) {
        PyErr_SetString(PyExc_ValueError, "map_primitive: expected arrays of doubles that fit");
        goto end;
    }
    int any;
    Py_BEGIN_ALLOW_THREADS
    any = map_all(op, rule, buffers + 2, count, buffers[0].buf, buffers[1].buf, n);
    Py_END_ALLOW_THREADS
    result = PyBool_FromLong(any);
end:
    while (held--)
        PyBuffer_Release(&buffers[held]);
    return result;
}

/* has_kernel(primitive): whether the table that was printed here has this primitive. */
static PyObject *engine_has_kernel(PyObject *module, PyObject *primitive)
{
    return PyBool_FromLong(op_of(primitive) != OP_PYTHON);
}
