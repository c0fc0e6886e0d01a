/* Rows without a kernel, those of the user: Python computes their numbers and their contributions.
 */

/* The node that such a primitive makes of its arguments. */
static PyObject *apply_in_python(PyObject *primitive, PyObject *const *args, Py_ssize_t count)
{
    PyObject *data = NULL, *result = NULL, *numbers = PyTuple_New(count);
    PyObject *evaluate = PyObject_GetAttrString(primitive, "evaluate");
    PyObject *name = PyObject_GetAttrString(primitive, "name");
    if (!numbers || !evaluate || !name || !PyUnicode_AsUTF8(name))
        goto end;
    for (Py_ssize_t i = 0; i < count; i++) {
        double x;
        if (!numbers_of(&args[i], 1, PyUnicode_AsUTF8(name), &x))
            goto end;
        PyObject *number = PyFloat_FromDouble(x);
        if (!number)
            goto end;
        PyTuple_SET_ITEM(numbers, i, number);
    }
    data = PyObject_CallObject(evaluate, numbers);
    if (!data)
        goto end;
    if (PyBool_Check(data)) {
        result = Py_NewRef(data);
        goto end;
    }
    double y = PyFloat_AsDouble(data);
    if (y == -1.0 && PyErr_Occurred())
        goto end;
    Value *v = recording() ? node_wide(OP_PYTHON, primitive, y, args, count) : node_new(OP_LEAF, y);
    result = (PyObject *)observed(primitive, args, count, v);
end:
    Py_XDECREF(numbers);
    Py_XDECREF(evaluate);
    Py_XDECREF(name);
    Py_XDECREF(data);
    return result;
}

/* Whether operand i takes part in the sweep: a number of the program does not. */
static inline int wants(Value *v, Operand *in, Py_ssize_t i)
{
    return !is_number(v, i) && !(in[i].node->flags & CONSTANT);
}

static inline void give(Value *v, double contribution)
{
    if (v->flags & REACHED) {
        v->grad += contribution;
    } else {
        v->grad = contribution;
        v->flags |= REACHED;
    }
}

/* The contributions by the primitive's own rules, for primitives without a kernel: those of the
 * user. */
static int contribute_in_python(Value *v, Operand *in, Py_ssize_t count)
{
    int done = 0;
    PyObject *contributions = NULL, *args = PyList_New(count);
    for (Py_ssize_t i = 0; args && i < count; i++) {
        PyObject *x = PyFloat_FromDouble(operand_data(v, in, i));
        if (!x)
            goto end;
        PyList_SET_ITEM(args, i, x);
    }
    if (args)
        contributions = PyObject_CallMethod(v->in[0].extra->primitive, "contributions", "ddO",
                                            v->grad, v->data, args);
    if (!contributions)
        goto end;
    if (!PyList_Check(contributions) || PyList_GET_SIZE(contributions) != count) {
        PyErr_Format(PyExc_ValueError, "%R gave %R for %zd arguments", v->in[0].extra->primitive,
                     contributions, count);
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *contribution = PyList_GET_ITEM(contributions, i);
        if (contribution == Py_None || !wants(v, in, i))
            continue;
        double number = PyFloat_AsDouble(contribution);
        if (number == -1.0 && PyErr_Occurred())
            goto end;
        give(in[i].node, number);
    }
    done = 1;
end:
    Py_XDECREF(contributions);
    Py_XDECREF(args);
    return done;
}
