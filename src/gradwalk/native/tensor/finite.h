/* Whether arrays have a NaN or an infinity in them: asked after every backward pass of Tensors. */

/* All bits of the exponent are set in NaNs and infinities alone. */
#define FINITE_LOOP(name, type, mask)                                   \
    static int name(const type *x, Py_ssize_t count)                    \
    {                                                                   \
        type found = 0;                                                 \
        for (Py_ssize_t i = 0; i < count; i++)                          \
            found |= (type)((x[i] & mask) == mask);                     \
        return !found;                                                  \
    }

FINITE_LOOP(is_finite_64, uint64_t, UINT64_C(0x7ff0000000000000))
FINITE_LOOP(is_finite_32, uint32_t, UINT32_C(0x7f800000))

/* 1 if all elements are finite, 0 if not; -1 for an array of another kind. */
static int is_finite(PyObject *array)
{
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return -1;
    }
    const char *format = view.format ? view.format : "";
    int found = strcmp(format, "d") == 0   ? is_finite_64(view.buf, view.len / 8)
                : strcmp(format, "f") == 0 ? is_finite_32(view.buf, view.len / 4)
                                           : -1;
    PyBuffer_Release(&view);
    return found;
}

/* finite(arrays): whether all elements of all arrays are finite; None if an array is of a kind that
 * C does not read. An entry that is None counts as finite. */
static PyObject *tensor_finite(PyObject *module, PyObject *list)
{
    int unknown = 0;
    if (!PyList_CheckExact(list))
        return PyErr_Format(PyExc_TypeError, "finite: expected a list");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyObject *array = PyList_GET_ITEM(list, i);
        int found = array == Py_None ? 1 : is_finite(array);
        if (!found)
            Py_RETURN_FALSE;
        unknown |= found < 0;
    }
    if (unknown)
        Py_RETURN_NONE;
    Py_RETURN_TRUE;
}
