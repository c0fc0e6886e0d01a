/* What a compiled function reads beside its arguments, found again and compared at each call.
 *
 * program/outside/steps.py is the specification. What is rare is done there: `read` and `matches`.
 */

enum { READ_CONST, READ_ROOT, READ_KEY, READ_PLACE, READ_CELL, READ_GET, READ_SLOT, READ_VARS,
       READ_MEMBERS, READ_OF_CLASS, READ_TARGET };
enum { IS_ANY, IS_SAME, IS_ATOM, IS_TYPE, IS_LEAF, IS_SIZED, IS_ATOMS, IS_NAMED, IS_AGAIN,
       IS_CONTENT };

/* The functions, the object and the names that the steps need. */
typedef struct {
    PyObject *read, *matches, *absent, *data, *shape, *dtype, *requires_grad;
} Helpers;

static PyObject *or_absent(PyObject *found, const Helpers *h)
{
    if (found)
        return found;
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
    }
    return Py_NewRef(h->absent);
}

static PyObject *read_cell(PyObject *function, PyObject *index)
{
    PyObject *closure = PyFunction_Check(function) ? PyFunction_GET_CLOSURE(function) : NULL;
    const Py_ssize_t i = PyLong_AsSsize_t(index);
    if (!closure || i < 0 || i >= PyTuple_GET_SIZE(closure))
        return NULL;
    return PyCell_Get(PyTuple_GET_ITEM(closure, i));
}

static PyObject *read_place(PyObject *members, PyObject *index)
{
    const Py_ssize_t i = PyLong_AsSsize_t(index);
    PyObject *found = NULL;
    if (PyTuple_Check(members) && i < PyTuple_GET_SIZE(members))
        found = PyTuple_GET_ITEM(members, i);
    else if (PyList_Check(members) && i < PyList_GET_SIZE(members))
        found = PyList_GET_ITEM(members, i);
    return Py_XNewRef(found);
}

static int has_usual_dictionary(PyObject *x)
{
    return Py_TYPE(x)->tp_dictoffset != 0;
}

/* A new reference to what a step reads of its parent; NULL without an error if it is not there. */
static PyObject *read_part(long reads, PyObject *parent, PyObject *key, const Helpers *h)
{
    descrgetfunc get;
    switch (reads) {
    case READ_KEY:
        if (PyDict_Check(parent))
            return Py_XNewRef(PyDict_GetItemWithError(parent, key));
        break;
    case READ_ROOT:
    case READ_PLACE:
        return read_place(parent, key);
    case READ_CELL:
        return read_cell(parent, key);
    case READ_GET:
        return PyObject_GetAttr(parent, key);
    case READ_SLOT:
        get = Py_TYPE(key)->tp_descr_get;
        return get ? get(key, parent, (PyObject *)Py_TYPE(parent)) : NULL;
    case READ_VARS:
        if (has_usual_dictionary(parent))
            return PyObject_GenericGetDict(parent, NULL);
        break;
    case READ_MEMBERS:
        return PySequence_Tuple(parent);
    case READ_OF_CLASS:
        return Py_XNewRef(_PyType_Lookup((PyTypeObject *)parent, key));
    }
    return PyObject_CallFunction(h->read, "lOO", reads, parent, key);
}

static int as_specified(long checks, PyObject *x, PyObject *expected, const Helpers *h)
{
    PyObject *answer = PyObject_CallFunction(h->matches, "lOO", checks, x, expected);
    const int truth = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return truth;
}

static int same_atoms(PyObject *x, PyObject *atoms, const Helpers *h)
{
    PyObject *members = PySequence_Fast(x, "members");
    int same = members ? PySequence_Fast_GET_SIZE(members) == PyTuple_GET_SIZE(atoms) : -1;
    for (Py_ssize_t i = 0; same == 1 && i < PyTuple_GET_SIZE(atoms); i++) {
        PyObject *one = PySequence_Fast_GET_ITEM(members, i), *other = PyTuple_GET_ITEM(atoms, i);
        if (one != other) {
            Py_INCREF(one);
            same = as_specified(IS_ATOM, one, other, h);
            Py_DECREF(one);
        }
    }
    Py_XDECREF(members);
    return same;
}

/* Whether a dictionary has these very keys, in this order. */
static int has_keys(PyObject *x, PyObject *keys)
{
    if (!PyDict_Check(x) || PyDict_GET_SIZE(x) != PyTuple_GET_SIZE(keys))
        return 0;
    PyObject *key;
    for (Py_ssize_t at = 0, i = 0; PyDict_Next(x, &at, &key, NULL); i++)
        if (key != PyTuple_GET_ITEM(keys, i))
            return 0;
    return 1;
}

/* Whether a buffer has this format, this shape and these bytes; -1 if that cannot be said here. */
static int has_content(PyObject *x, PyObject *format, PyObject *shape, PyObject *bytes)
{
    Py_buffer view;
    if (!PyUnicode_Check(format))
        return -1;
    if (PyObject_GetBuffer(x, &view, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return -1;
    }
    int same = -1;
    if (PyBuffer_IsContiguous(&view, 'C') && view.format && view.ndim == PyTuple_GET_SIZE(shape)) {
        same = view.len == PyBytes_GET_SIZE(bytes)
            && PyUnicode_CompareWithASCIIString(format, view.format) == 0;
        for (int axis = 0; same && axis < view.ndim; axis++)
            same = view.shape[axis] == PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
        same = same && !memcmp(view.buf, PyBytes_AS_STRING(bytes), (size_t)view.len);
    }
    PyBuffer_Release(&view);
    return same;
}

/* Whether an attribute is this object, or equal to it; -1 after an error. */
static int has_attribute(PyObject *x, PyObject *name, PyObject *expected)
{
    PyObject *found = PyObject_GetAttr(x, name);
    const int same = !found ? -1
        : found == expected ? 1 : PyObject_RichCompareBool(found, expected, Py_EQ);
    Py_XDECREF(found);
    return same;
}

/* Whether a Tensor has this shape, this dtype and this flag. */
static int has_layout(PyObject *tensor, PyObject *shape, PyObject *dtype, PyObject *flag,
                      const Helpers *h)
{
    PyObject *array = PyObject_GetAttr(tensor, h->data);
    if (!array)
        return -1;
    int same = has_attribute(array, h->dtype, dtype);
    if (same > 0)
        same = has_attribute(array, h->shape, shape);
    Py_DECREF(array);
    return same > 0 ? has_attribute(tensor, h->requires_grad, flag) : same;
}

static int is_expected(long checks, PyObject *x, PyObject *expected, PyObject **found,
                       const Helpers *h)
{
    PyObject *first = checks >= IS_LEAF && PyTuple_Check(expected) ? PyTuple_GET_ITEM(expected, 0)
                                                                 : NULL;
    PyObject *second = first ? PyTuple_GET_ITEM(expected, 1) : NULL;
    switch (checks) {
    case IS_ANY:
        return 1;
    case IS_SAME:
        return x == expected;
    case IS_ATOM:
        if (x == expected)
            return 1;
        break;
    case IS_TYPE:
        return (PyObject *)Py_TYPE(x) == expected;
    case IS_LEAF:
        if ((PyObject *)Py_TYPE(x) != first)
            break; /* a write has made it stale */
        return second == Py_None || has_layout(x, second, PyTuple_GET_ITEM(expected, 2),
                                               PyTuple_GET_ITEM(expected, 3), h);
    case IS_SIZED:
        return (PyObject *)Py_TYPE(x) == first && PyObject_Size(x) == PyLong_AsSsize_t(second);
    case IS_ATOMS:
        return (PyObject *)Py_TYPE(x) == first ? same_atoms(x, second, h) : 0;
    case IS_NAMED:
        if (has_keys(x, first))
            return 1;
        break;
    case IS_AGAIN:
        return x == found[PyLong_AsSsize_t(expected)];
    case IS_CONTENT:
        if ((PyObject *)Py_TYPE(x) != first)
            return 0;
        int same = has_content(x, PyTuple_GET_ITEM(expected, 2), PyTuple_GET_ITEM(second, 1),
                               PyTuple_GET_ITEM(second, 2));
        if (same >= 0)
            return same;
    }
    return as_specified(checks, x, expected, h);
}

/* Take the steps; return how many find what they expect, -1 after an error. */
static Py_ssize_t take_steps(PyObject *steps, PyObject *roots, PyObject **found, const Helpers *h)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(steps); i++) {
        PyObject *step = PyTuple_GET_ITEM(steps, i), *key = PyTuple_GET_ITEM(step, 2);
        const long reads = PyLong_AsLong(PyTuple_GET_ITEM(step, 0));
        const Py_ssize_t parent = PyLong_AsSsize_t(PyTuple_GET_ITEM(step, 1));
        const long checks = PyLong_AsLong(PyTuple_GET_ITEM(step, 3));
        found[i] = reads == READ_CONST
            ? Py_NewRef(key)
            : or_absent(read_part(reads, reads == READ_ROOT ? roots : found[parent], key, h), h);
        const int same = found[i]
            ? is_expected(checks, found[i], PyTuple_GET_ITEM(step, 4), found, h) : -1;
        if (same < 1)
            return same < 0 || PyErr_Occurred() ? -1 : i;
    }
    return PyTuple_GET_SIZE(steps);
}

/* The numbers of the Tensors and Values in some places: pairs of a place and an attribute. */
static PyObject *numbers_at(PyObject *places, PyObject **found)
{
    PyObject *numbers = PyList_New(PyTuple_GET_SIZE(places));
    for (Py_ssize_t i = 0; numbers && i < PyTuple_GET_SIZE(places); i++) {
        PyObject *place = PyTuple_GET_ITEM(places, i);
        PyObject *x = found[PyLong_AsSsize_t(PyTuple_GET_ITEM(place, 0))];
        PyObject *number = PyObject_GetAttr(x, PyTuple_GET_ITEM(place, 1));
        if (number)
            PyList_SET_ITEM(numbers, i, number);
        else
            Py_CLEAR(numbers);
    }
    return numbers;
}

/* find(steps, roots, places, read, matches, absent, names): the numbers in these places, or the
 * index of the first step that finds something else than it expects. */
static PyObject *engine_find(PyObject *module, PyObject *args)
{
    enum { FEW = 64 };
    PyObject *steps, *roots, *places, *few[FEW];
    Helpers h;
    if (!PyArg_ParseTuple(args, "O!OO!OOO(OOOO):find", &PyTuple_Type, &steps, &roots,
                          &PyTuple_Type, &places, &h.read, &h.matches, &h.absent, &h.data,
                          &h.shape, &h.dtype, &h.requires_grad))
        return NULL;
    const Py_ssize_t count = PyTuple_GET_SIZE(steps);
    PyObject **found = count <= FEW ? few : PyMem_Malloc((size_t)count * sizeof *found);
    if (!found)
        return PyErr_NoMemory();
    memset(found, 0, (size_t)count * sizeof *found);
    const Py_ssize_t taken = take_steps(steps, roots, found, &h);
    PyObject *result = taken < 0 ? NULL
        : taken == count ? numbers_at(places, found) : PyLong_FromSsize_t(taken);
    for (Py_ssize_t i = 0; i < count; i++)
        Py_XDECREF(found[i]);
    if (found != few)
        PyMem_Free(found);
    return result;
}
