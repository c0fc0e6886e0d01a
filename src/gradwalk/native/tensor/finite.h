/* Whether arrays have a NaN or an infinity in them, or zeros only: asked after every backward pass
 * of Tensors. The second question costs nothing beside the first, because both wait for memory. */

enum { NOT_FINITE = 1, ZEROS = 2 };

/* All bits of the exponent are set in NaNs and infinities alone. */
#define FINITE_LOOP(name, type, mask)                                   \
    static int name(const type *x, Py_ssize_t count)                    \
    {                                                                   \
        type found = 0, bits = 0;                                       \
        for (Py_ssize_t i = 0; i < count; i++) {                        \
            found |= (type)((x[i] & mask) == mask);                     \
            bits |= (type)(x[i] << 1); /* without the sign: -0 is 0 */  \
        }                                                               \
        return found ? NOT_FINITE : !bits && count ? ZEROS : 0;         \
    }

FINITE_LOOP(kind_64, uint64_t, UINT64_C(0x7ff0000000000000))
FINITE_LOOP(kind_32, uint32_t, UINT32_C(0x7f800000))

/* NOT_FINITE, ZEROS, 0 for other numbers; -1 for an array of another kind. */
static int kind_of(PyObject *array)
{
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return -1;
    }
    const char *format = view.format ? view.format : "";
    int found = strcmp(format, "d") == 0   ? kind_64(view.buf, view.len / 8)
                : strcmp(format, "f") == 0 ? kind_32(view.buf, view.len / 4)
                                           : -1;
    PyBuffer_Release(&view);
    return found;
}

/* kinds(arrays): the bits that are found among arrays; None if one is of a kind that C does not
 * read, and all others are finite. An entry that is None has no bits. */
static PyObject *tensor_kinds(PyObject *module, PyObject *list)
{
    int unknown = 0, bits = 0;
    if (!PyList_CheckExact(list))
        return PyErr_Format(PyExc_TypeError, "kinds: expected a list");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyObject *array = PyList_GET_ITEM(list, i);
        int found = array == Py_None ? 0 : kind_of(array);
        if (found == NOT_FINITE)
            return PyLong_FromLong(NOT_FINITE);
        unknown |= found < 0;
        bits |= found > 0 ? found : 0;
    }
    if (unknown)
        Py_RETURN_NONE;
    return PyLong_FromLong(bits);
}
