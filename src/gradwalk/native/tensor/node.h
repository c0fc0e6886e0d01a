/* What C knows of the classes Tensor and Node: where their slots lie. */

static PyTypeObject *TensorType, *NodeType;
static PyObject *constant_node, *ndarray_type, *masked_type, *asarray, *recording_state,
    *freed_error;
static PyObject *python_contributions, *python_rules_of, *python_fitted, *python_stays_structural;
static PyObject *home; /* the folder of the package */
static PyObject *python_relocated, *error_state; /* of NumPy: see ops/array/warning_lines.py */
static PyObject *interceptors; /* Python applies all operations while there are others than ... */
static PyObject *watchers, *python_watched; /* those that are shown results which are not finite */
static PyObject *silent; /* the state in which NumPy warns of nothing */
static PyObject *name_shape, *name_dtype, *name_options, *name_paused, *name_kind, *name_data,
                *name_base, *name_ndim, *name_size, *name_part, *name_put_on, *name_name, *our_name,
                *name_takes_masks;
static PyObject *kind_pointwise, *kind_linear;
static PyObject *empty_tuple;
static PyObject *usual_dtypes, *usual_scalars, *name_copy;

static struct {
    Py_ssize_t data, node, alias;
} tensor_at;

static struct {
    Py_ssize_t inputs, primitive, dtype, line, saved, shape, grad;
} node_at;

#define SLOT(object, offset) (*(PyObject **)((char *)(object) + (offset)))

/* Gives up the reference to `value`; an empty slot is fine. */
static inline void set_slot(PyObject *object, Py_ssize_t offset, PyObject *value)
{
    PyObject *old = SLOT(object, offset);
    SLOT(object, offset) = value;
    Py_XDECREF(old);
}

/* What is in a slot, as a reference of one's own; NULL with the error set if it is empty. */
static PyObject *from_slot(PyObject *object, Py_ssize_t offset)
{
    PyObject *value = SLOT(object, offset);
    if (!value)
        PyErr_Format(PyExc_AttributeError, "a %s that is not initialized",
                     Py_TYPE(object)->tp_name);
    return Py_XNewRef(value);
}

/* Where the slot of this name lies in instances of a class: -1 with the error set, if nowhere. */
static Py_ssize_t offset_of(PyTypeObject *type, const char *name)
{
    PyObject *member = PyObject_GetAttrString((PyObject *)type, name);
    Py_ssize_t offset = -1;
    if (member && Py_IS_TYPE(member, &PyMemberDescr_Type))
        offset = ((PyMemberDescrObject *)member)->d_member->offset;
    else if (member)
        PyErr_Format(PyExc_TypeError, "%s: no slot %s", type->tp_name, name);
    Py_XDECREF(member);
    return offset;
}

static int find_slots(void)
{
    struct {
        PyTypeObject *type;
        const char *name;
        Py_ssize_t *at;
    } slots[] = {
        {TensorType, "_data", &tensor_at.data}, {TensorType, "_node", &tensor_at.node},
        {TensorType, "_alias", &tensor_at.alias},
        {NodeType, "_inputs", &node_at.inputs}, {NodeType, "_primitive", &node_at.primitive},
        {NodeType, "dtype", &node_at.dtype},    {NodeType, "line", &node_at.line},
        {NodeType, "saved", &node_at.saved},    {NodeType, "shape", &node_at.shape},
        {NodeType, "grad", &node_at.grad},
    };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if ((*slots[i].at = offset_of(slots[i].type, slots[i].name)) < 0)
            return 0;
    return 1;
}

static PyObject *tensor_connect(PyObject *module, PyObject *args)
{
    enum { PARTS = 21 };
    PyObject *tensor, *node;
    PyObject **places[PARTS] = {
        &tensor,          &node,          &constant_node,   &ndarray_type,
        &masked_type,      &asarray,       &recording_state, &python_contributions,
        &python_rules_of, &python_fitted, &python_stays_structural, &freed_error,
        &home,            &usual_dtypes,  &usual_scalars,   &interceptors,
        &error_state,     &python_relocated, &watchers,         &python_watched,
        &silent,
    };
    PyObject *p[PARTS];
    if (!PyArg_ParseTuple(args, "O!O!OO!O!OOOOOOOUO!O!O!OOO!OO:connect", &PyType_Type, &p[0],
                          &PyType_Type, &p[1], &p[2], &PyType_Type, &p[3], &PyType_Type, &p[4],
                          &p[5], &p[6], &p[7], &p[8], &p[9], &p[10], &p[11], &p[12], &PyTuple_Type,
                          &p[13], &PyTuple_Type, &p[14], &PyList_Type, &p[15], &p[16], &p[17],
                          &PyList_Type, &p[18], &p[19], &p[20]))
        return NULL;
    for (int i = 0; i < PARTS; i++)
        *places[i] = Py_NewRef(p[i]); /* for as long as the module lives, which is for ever */
    TensorType = (PyTypeObject *)tensor;
    NodeType = (PyTypeObject *)node;
    name_shape = PyUnicode_InternFromString("shape");
    name_dtype = PyUnicode_InternFromString("dtype");
    name_options = PyUnicode_InternFromString("options");
    name_paused = PyUnicode_InternFromString("paused");
    name_kind = PyUnicode_InternFromString("kind");
    name_data = PyUnicode_InternFromString("data");
    name_base = PyUnicode_InternFromString("base");
    name_copy = PyUnicode_InternFromString("copy");
    name_ndim = PyUnicode_InternFromString("ndim");
    name_size = PyUnicode_InternFromString("size");
    name_part = PyUnicode_InternFromString("part");
    name_takes_masks = PyUnicode_InternFromString("takes_masks");
    name_put_on = PyUnicode_InternFromString("put_on");
    name_name = PyUnicode_InternFromString("__name__");
    our_name = PyUnicode_InternFromString("gradwalk.");
    kind_pointwise = PyUnicode_InternFromString("pointwise");
    kind_linear = PyUnicode_InternFromString("linear");
    empty_tuple = PyTuple_New(0);
    if (find_slots() && !PyErr_Occurred())
        Py_RETURN_NONE;
    TensorType = NodeType = NULL;
    return NULL;
}
