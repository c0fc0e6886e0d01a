/* Loops that Python would spend its time in: a neuron's sum, an optimizer's step. */

/* Whether all members are Values or real numbers; otherwise 0, with the error set. */
static int all_numbers(PyObject *sequence)
{
    double x;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); i++) {
        PyObject *o = PySequence_Fast_GET_ITEM(sequence, i);
        if (!is_value(o) && !to_operand(o, "weighted sum", &x))
            return 0;
    }
    return 1;
}

/* weighted_sum(weights, inputs, start): start + w x + ..., as these very nodes. */
static PyObject *engine_weighted_sum(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    if (given != 3)
        return PyErr_Format(PyExc_TypeError, "weighted_sum: expected 3 arguments, got %zd", given);
    PyObject *sum = NULL, *weights = PySequence_Fast(args[0], "weighted_sum: weights, a sequence");
    PyObject *inputs = PySequence_Fast(args[1], "weighted_sum: inputs, a sequence");
    if (!weights || !inputs)
        goto end;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(weights);
    if (PySequence_Fast_GET_SIZE(inputs) != count) {
        PyErr_Format(PyExc_ValueError, "weighted_sum: %zd weights for %zd inputs", count,
                     PySequence_Fast_GET_SIZE(inputs));
        goto end;
    }
    if (!all_numbers(weights) || !all_numbers(inputs))
        goto end;
    sum = Py_NewRef(args[2]);
    for (Py_ssize_t i = 0; sum && i < count; i++) {
        if (PySequence_Fast_GET_SIZE(weights) != count
            || PySequence_Fast_GET_SIZE(inputs) != count) { /* by an operator of another type */
            PyErr_SetString(PyExc_ValueError, "weighted_sum: a list changed during the sum");
            Py_CLEAR(sum);
            break;
        }
        PyObject *w = Py_NewRef(PySequence_Fast_GET_ITEM(weights, i));
        PyObject *x = Py_NewRef(PySequence_Fast_GET_ITEM(inputs, i));
        PyObject *product = PyNumber_Multiply(w, x);
        Py_DECREF(w);
        Py_DECREF(x);
        PyObject *next = product ? PyNumber_Add(sum, product) : NULL;
        Py_XDECREF(product);
        Py_SETREF(sum, next);
    }
end:
    Py_XDECREF(weights);
    Py_XDECREF(inputs);
    return sum;
}

enum { MAX_STATES = 4, MAX_HYPER = 16 };

static int numbers_in(PyObject *tuple, double *h, int expected)
{
    if (PyTuple_GET_SIZE(tuple) != expected || expected > MAX_HYPER) {
        PyErr_Format(PyExc_ValueError, "update: expected %d hyperparameters, got %zd", expected,
                     PyTuple_GET_SIZE(tuple));
        return 0;
    }
    for (int i = 0; i < expected; i++)
        if (!to_double(PyTuple_GET_ITEM(tuple, i), "update", &h[i]))
            return 0;
    return 1;
}

/* Whether a buffer is what array("d") gives: so many doubles. */
static int has_doubles(const Py_buffer *b, Py_ssize_t count)
{
    return b->len == count * (Py_ssize_t)sizeof(double) && b->format && !strcmp(b->format, "d")
           && (uintptr_t)b->buf % sizeof(double) == 0;
}

/* One step on every parameter; the arrays of state have one double for each. */
static int step(Update update, PyObject *params, Py_buffer *state, int states, const double *h)
{
    double *s[MAX_STATES];
    Py_ssize_t count = PySequence_Fast_GET_SIZE(params);
    for (int slot = 0; slot < states; slot++) {
        s[slot] = state[slot].buf;
        if (!has_doubles(&state[slot], count)) {
            PyErr_Format(PyExc_ValueError, "update: state %d is no array of %zd doubles", slot,
                         count);
            return 0;
        }
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (!is_value(PySequence_Fast_GET_ITEM(params, i))) {
            not_a_value(PySequence_Fast_GET_ITEM(params, i), "update");
            return 0;
        }
    for (Py_ssize_t i = 0; i < count; i++) {
        Value *p = (Value *)PySequence_Fast_GET_ITEM(params, i);
        update(&p->data, p->grad, s, i, h);
    }
    return 1;
}

/* clear_gradients(params): set the gradients of a list of Values to 0.0. */
static PyObject *engine_clear_gradients(PyObject *module, PyObject *params)
{
    if (!PyList_Check(params))
        return PyErr_Format(PyExc_TypeError, "clear_gradients: expected a list");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params); i++)
        if (!is_value(PyList_GET_ITEM(params, i)))
            return not_a_value(PyList_GET_ITEM(params, i), "clear_gradients");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params); i++)
        ((Value *)PyList_GET_ITEM(params, i))->grad = 0.0;
    Py_RETURN_NONE;
}

/* update(name, params, state, hyper): one step of the optimizer rule called `name`. */
static PyObject *engine_update(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *params, *arrays, *hyper;
    if (!PyArg_ParseTuple(args, "sOO!O!:update", &name, &params, &PyList_Type, &arrays,
                          &PyTuple_Type, &hyper))
        return NULL;
    size_t which = 0, known = sizeof UPDATES / sizeof *UPDATES;
    while (which < known && strcmp(UPDATES[which].name, name) != 0)
        which++;
    if (which == known)
        return PyErr_Format(PyExc_ValueError, "update: no rule is called %s", name);
    int states = UPDATES[which].states, held = 0, ok = 0;
    double h[MAX_HYPER];
    Py_buffer state[MAX_STATES];
    PyObject *fast = PySequence_Fast(params, "update: params, a sequence of Values");
    PyObject *slots = PyList_AsTuple(arrays); /* a buffer written in Python may change the list */
    if (!fast || !slots || !numbers_in(hyper, h, UPDATES[which].hyper))
        goto end;
    if (PyTuple_GET_SIZE(slots) != states || states > MAX_STATES) {
        PyErr_Format(PyExc_ValueError, "update: %s keeps %d numbers a parameter", name, states);
        goto end;
    }
    for (; held < states; held++)
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(slots, held), &state[held],
                               PyBUF_CONTIG | PyBUF_FORMAT) < 0)
            goto end;
    ok = step(UPDATES[which].update, fast, state, states, h);
end:
    while (held--)
        PyBuffer_Release(&state[held]);
    Py_XDECREF(slots);
    Py_XDECREF(fast);
    return ok ? Py_NewRef(Py_None) : NULL;
}
