/* Steps of an optimizer on whole arrays: the rules of kernels.h in single and double precision. */

/* The parameters with all that belongs to them, as buffers: p, states, gradients. */
typedef struct {
    Py_buffer *buffers;
    Py_ssize_t held;
} Buffers;

static int hold(Buffers *b, PyObject *array, int writable)
{
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array, &b->buffers[b->held], flags) < 0) {
        if (PyErr_ExceptionMatches(PyExc_ValueError)) /* what NumPy says instead */
            PyErr_SetString(PyExc_BufferError, "update_arrays: an array is not contiguous");
        return 0;
    }
    b->held++;
    return 1;
}

static int hold_all(Buffers *b, PyObject *arrays, int writable)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arrays); i++)
        if (!hold(b, PyTuple_GET_ITEM(arrays, i), writable))
            return 0;
    return 1;
}

/* Whether all are arrays of p's type, the states as long as p, the gradients so together. */
static int buffers_fit(const Buffers *b, int states)
{
    const char *format = b->buffers[0].format;
    Py_ssize_t length = b->buffers[0].len, gradients = 0;
    int fits = format && (!strcmp(format, "d") || !strcmp(format, "f"));
    for (Py_ssize_t i = 0; fits && i < b->held; i++) {
        const Py_buffer *array = &b->buffers[i];
        fits = array->format && !strcmp(array->format, format)
               && (uintptr_t)array->buf % (uintptr_t)array->itemsize == 0
               && (i > states || array->len == length) && array->len <= length;
        if (i > states)
            gradients += array->len;
    }
    if (!fits || gradients != length)
        PyErr_SetString(PyExc_ValueError,
                        "update_arrays: expected float or double arrays that fit");
    return fits && gradients == length;
}

static void run_update(size_t which, const Buffers *b, int states, const double *h)
{
    int single = !strcmp(b->buffers[0].format, "f");
    float *floats[MAX_STATES] = {NULL};
    double *doubles[MAX_STATES] = {NULL};
    Py_ssize_t done = 0; /* numbers of p */
    for (Py_ssize_t i = 1 + states; i < b->held; i++) {
        const Py_buffer *g = &b->buffers[i];
        Py_ssize_t n = g->len / g->itemsize;
        for (int slot = 0; slot < states; slot++)
            if (single)
                floats[slot] = (float *)b->buffers[1 + slot].buf + done;
            else
                doubles[slot] = (double *)b->buffers[1 + slot].buf + done;
        if (single)
            UPDATES[which].floats((float *)b->buffers[0].buf + done, g->buf, floats, n, h);
        else
            UPDATES[which].doubles((double *)b->buffers[0].buf + done, g->buf, doubles, n, h);
        done += n;
    }
}

/* update_arrays(name, p, gradients, state, hyper): one step on p, whose parts have gradients.
 * Arrays that are not contiguous are a BufferError, before anything has changed. */
static PyObject *engine_update_arrays(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *p, *gradients, *state, *hyper;
    if (!PyArg_ParseTuple(args, "sOO!O!O!:update_arrays", &name, &p, &PyTuple_Type, &gradients,
                          &PyTuple_Type, &state, &PyTuple_Type, &hyper))
        return NULL;
    size_t which = 0, known = sizeof UPDATES / sizeof *UPDATES;
    while (which < known && strcmp(UPDATES[which].name, name) != 0)
        which++;
    if (which == known)
        return PyErr_Format(PyExc_ValueError, "update_arrays: no rule is called %s", name);
    int states = UPDATES[which].states, ok = 0;
    double h[MAX_HYPER];
    if (!numbers_in(hyper, h, UPDATES[which].hyper))
        return NULL;
    if (PyTuple_GET_SIZE(state) != states || states > MAX_STATES)
        return PyErr_Format(PyExc_ValueError, "update_arrays: %s keeps %d arrays", name, states);
    Py_ssize_t count = 1 + states + PyTuple_GET_SIZE(gradients);
    Buffers b = {PyMem_New(Py_buffer, count), 0};
    if (!b.buffers)
        return PyErr_NoMemory();
    if (hold(&b, p, 1) && hold_all(&b, state, 1) && hold_all(&b, gradients, 0)
        && buffers_fit(&b, states)) {
        run_update(which, &b, states, h);
        ok = 1;
    }
    while (b.held)
        PyBuffer_Release(&b.buffers[--b.held]);
    PyMem_Free(b.buffers);
    return ok ? Py_NewRef(Py_None) : NULL;
}
