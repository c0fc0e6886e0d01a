/* What Python asks of the graph of a node besides backward(): gradients and leaves. */

/* The gradients that the sweep has left in the nodes, for each of wrt that one has reached. */
static int collect(PyObject *result, PyObject *const *wrt, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        Value *v = (Value *)wrt[i];
        if (!(v->flags & REACHED))
            continue;
        PyObject *gradient = PyFloat_FromDouble(v->grad);
        if (!gradient || PyList_SetItem(result, i, gradient) < 0)
            return 0;
    }
    return 1;
}

static PyObject *engine_gradients(PyObject *module, PyObject *args)
{
    PyObject *root;
    double seed;
    PyObject *sequence, *wrt;
    if (!PyArg_ParseTuple(args, "OdO:gradients", &root, &seed, &sequence))
        return NULL;
    if (!is_value(root))
        return not_a_value(root, "gradients");
    if (sweeping)
        return PyObject_CallObject(python_gradients, args);
    if (!(wrt = PySequence_Tuple(sequence)))
        return NULL;
    PyObject *const *items = ((PyTupleObject *)wrt)->ob_item;
    Py_ssize_t count = PyTuple_GET_SIZE(wrt);
    Sweep s = {.all = 1};
    /* Made before the sweep, as it may collect garbage, which may sweep or free this graph. */
    PyObject *result = PyList_New(count);
    for (Py_ssize_t i = 0; result && i < count; i++) {
        if (!is_value(items[i])) {
            not_a_value(items[i], "gradients");
            Py_CLEAR(result);
            goto end;
        }
        PyList_SET_ITEM(result, i, Py_NewRef(Py_None));
        ((Value *)items[i])->flags &= (uint16_t)~REACHED;
    }
    if (!result || !sweep(&s, (Value *)root, seed) || !collect(result, items, count))
        Py_CLEAR(result);
    restore(&s);
    close_sweep(&s);
end:
    Py_DECREF(wrt);
    return result;
}

/* leaves(root): the leaves of its graph, in the order in which a sweep finds them. */
static PyObject *engine_leaves(PyObject *module, PyObject *root)
{
    if (!is_value(root))
        return not_a_value(root, "leaves");
    if (sweeping)
        return PyObject_CallOneArg(python_leaves, root);
    Sweep s = {0};
    sweeping = &s;
    int ok = find_edges(&s, (Value *)root);
    sweeping = NULL;
    reset_pending(&s, 0);
    size_t count = ok && !(((Value *)root)->flags & CONSTANT) ? s.leaves.count : 0;
    for (size_t i = 0; i < count; i++) /* to make a list may collect garbage, which may free them */
        Py_INCREF(s.leaves.at[i]);
    PyObject *list = ok ? PyList_New((Py_ssize_t)count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (list)
            PyList_SET_ITEM(list, (Py_ssize_t)i, (PyObject *)s.leaves.at[i]);
        else
            Py_DECREF(s.leaves.at[i]);
    close_sweep(&s);
    return list;
}
