/* Operators and methods of Tensor, for the usual operands; see `Tensor._record` for the others. */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *in_python, *f, *primitive;
    PyObject *kernel; /* computes what `f` does, of arrays of float64 only; or NULL */
    int arity, differentiable, pointwise, in_numpy;
    int most_axes; /* of the first operand, for `kernel` */
    int reflected; /* called with the operands in the other order: `__rmul__` */
    /* arity 0: any number of operands, kept or not as the first is */
    char keeps[8][4]; /* by which operands gradients flow (1: a, 2: b, 4: c): keep y, a, b, c */
} Operator;

enum { MOST_OPERANDS = 8, MOST_OPTIONS = 4 }; /* Python takes more */
enum { ANY_AXES = 64 }; /* as many as NumPy has */

static PyTypeObject *OperatorType;

static PyObject *new_tensor(PyObject *data, PyObject *node)
{
    PyObject *tensor = TensorType->tp_alloc(TensorType, 0);
    if (tensor) {
        SLOT(tensor, tensor_at.data) = Py_NewRef(data);
        SLOT(tensor, tensor_at.node) = Py_NewRef(node);
        SLOT(tensor, tensor_at.alias) = Py_NewRef(Py_None);
    }
    return tensor;
}

/* Whether this thread records: -1 with the error set. */
static int is_recording(void)
{
    PyObject *paused = PyObject_GetAttr(recording_state, name_paused);
    int truth = paused ? PyObject_IsTrue(paused) : -1;
    Py_XDECREF(paused);
    return truth < 0 ? -1 : !truth;
}

/* Whether a function lies in the package itself. */
static int is_ours(PyCodeObject *code)
{
    return PyUnicode_Tailmatch(code->co_filename, home, 0, PY_SSIZE_T_MAX, -1) > 0;
}

/* (code, offset) of the user's line: the nearest caller outside of the package. */
static PyObject *line_of_user(void)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    if (!frame) /* called from C alone, or out of memory */
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyCodeObject *code = PyFrame_GetCode(frame);
    while (is_ours(code)) {
        PyFrameObject *back = PyFrame_GetBack(frame);
        if (!back)
            break;
        Py_SETREF(frame, back);
        Py_SETREF(code, PyFrame_GetCode(frame));
    }
    PyObject *lasti = PyErr_Occurred() ? NULL : PyLong_FromLong(PyFrame_GetLasti(frame));
    PyObject *line = lasti ? PyTuple_New(2) : NULL;
    Py_DECREF(frame);
    if (!line) {
        Py_DECREF(code);
        Py_XDECREF(lasti);
        return NULL;
    }
    PyTuple_SET_ITEM(line, 0, (PyObject *)code);
    PyTuple_SET_ITEM(line, 1, lasti);
    return line;
}

enum { FEW = 64 }; /* as in tensor/graph/node.py */

/* What a node keeps of a constant that no rule reads, for readers of the graph: a number or a small
 * array costs nothing, and of another array it knows as long as the program has it. The list hides
 * the array from the write guard. */
static PyObject *constant_of(PyObject *raw)
{
    if (PyFloat_CheckExact(raw) || PyLong_CheckExact(raw))
        return Py_NewRef(raw);
    PyObject *size = PyObject_GetAttr(raw, name_size);
    Py_ssize_t count = size ? PyLong_AsSsize_t(size) : -1;
    Py_XDECREF(size);
    if (count < 0)
        return NULL;
    if (count > FEW)
        return PyWeakref_NewRef(raw, NULL);
    PyObject *list = PyList_New(1);
    if (list)
        PyList_SET_ITEM(list, 0, Py_NewRef(raw));
    return list;
}

/* Whether this is one of a tuple of objects. */
static int is_among(PyObject *o, PyObject *tuple)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++)
        if (PyTuple_GET_ITEM(tuple, i) == o)
            return 1;
    return 0;
}

/* What stands for an argument that is no Tensor: Python's numbers themselves, an array, or the array
 * without axes of a number of NumPy, whose dtype counts. A new reference; NULL without an error if
 * Python has to see to it. */
static PyObject *constant_operand(PyObject *arg)
{
    if (PyFloat_CheckExact(arg) || PyLong_CheckExact(arg))
        return Py_NewRef(arg);
    PyObject *found = NULL, *dtype = NULL;
    if ((PyObject *)Py_TYPE(arg) == ndarray_type)
        dtype = PyObject_GetAttr(arg, name_dtype);
    if (dtype && is_among(dtype, usual_dtypes))
        found = Py_NewRef(arg);
    else if (!dtype && is_among((PyObject *)Py_TYPE(arg), usual_scalars))
        found = PyObject_CallOneArg(asarray, arg);
    Py_XDECREF(dtype);
    PyErr_Clear();
    return found;
}

/* Copy an array of the program if the node keeps it: it may be written into before the rules look at
 * it. Of a large one that no rule reads the node only notes where it is. */
static int own_constant(PyObject *given, PyObject **raw, int keeps)
{
    if (*raw != given || (PyObject *)Py_TYPE(given) != ndarray_type)
        return 1;
    PyObject *size = PyObject_GetAttr(given, name_size);
    Py_ssize_t count = size ? PyLong_AsSsize_t(size) : -1;
    Py_XDECREF(size);
    if (count < 0)
        return 0;
    if (!keeps && count > FEW)
        return 1;
    PyObject *copy = PyObject_CallMethodNoArgs(given, name_copy);
    if (copy)
        Py_SETREF(*raw, copy);
    return copy != NULL;
}

/* Whether a node keeps operand i, or, for -1, the result. */
static int is_kept(const Operator *o, int flows, int i)
{
    return o->arity ? o->keeps[flows][i + 1] : o->keeps[0][i >= 0];
}

/* What the rules of an operation will look at: itself and its operands, or what stands for them. */
static PyObject *saved_of(Operator *o, PyObject *data, PyObject *const *raw, PyObject *const *nodes,
                          int count, int flows)
{
    PyObject *saved = PyTuple_New(count + 1);
    if (!saved)
        return NULL;
    PyTuple_SET_ITEM(saved, 0, Py_NewRef(is_kept(o, flows, -1) ? data : Py_None));
    for (int i = 0; i < count; i++) {
        PyObject *kept = is_kept(o, flows, i) ? Py_NewRef(raw[i])
                         : nodes[i] != Py_None ? Py_NewRef(nodes[i]) : constant_of(raw[i]);
        if (!kept) {
            Py_DECREF(saved);
            return NULL;
        }
        PyTuple_SET_ITEM(saved, i + 1, kept);
    }
    return saved;
}

static PyObject *inputs_from(PyObject *const *nodes, int count)
{
    PyObject *inputs = PyTuple_New(count);
    for (int i = 0; inputs && i < count; i++)
        PyTuple_SET_ITEM(inputs, i, Py_NewRef(nodes[i] != Py_None ? nodes[i] : constant_node));
    return inputs;
}

/* The node of an operation on raw[0..count) with the result `data`. It comes last, and is complete
 * before any Python code can find it: whoever looks for the holders of an array reads all nodes. */
static PyObject *new_node(Operator *o, PyObject *data, PyObject *const *raw, PyObject *const *nodes,
                          int count, int flows)
{
    PyObject *line = line_of_user(), *node = NULL;
    PyObject *shape = line ? PyObject_GetAttr(data, name_shape) : NULL;
    PyObject *dtype = shape ? PyObject_GetAttr(data, name_dtype) : NULL;
    PyObject *inputs = dtype ? inputs_from(nodes, count) : NULL;
    PyObject *saved = inputs ? saved_of(o, data, raw, nodes, count, flows) : NULL;
    if (saved)
        node = NodeType->tp_alloc(NodeType, 0);
    if (!node) {
        Py_XDECREF(line);
        Py_XDECREF(shape);
        Py_XDECREF(dtype);
        Py_XDECREF(inputs);
        Py_XDECREF(saved);
        return NULL;
    }
    SLOT(node, node_at.inputs) = inputs;
    SLOT(node, node_at.saved) = saved;
    SLOT(node, node_at.primitive) = Py_NewRef(o->primitive);
    SLOT(node, node_at.shape) = shape;
    SLOT(node, node_at.dtype) = dtype;
    SLOT(node, node_at.line) = line;
    SLOT(node, node_at.grad) = Py_NewRef(Py_None);
    return node;
}

static void drop(PyObject **raw, PyObject **nodes, int count)
{
    while (count--) {
        Py_DECREF(raw[count]);
        Py_DECREF(nodes[count]);
    }
}

/* The arguments as arrays or numbers, with their nodes, as references of one's own: the bits of those
 * that gradients flow through, or -1, without any reference, if Python has to see to them. */
static int read_arguments(PyObject *const *args, PyObject **raw, PyObject **nodes, int count)
{
    int flows = 0, tensors = 0, i = 0;
    for (; i < count; i++) {
        if (Py_IS_TYPE(args[i], TensorType)) {
            raw[i] = SLOT(args[i], tensor_at.data);
            nodes[i] = SLOT(args[i], tensor_at.node);
            if (!raw[i] || !nodes[i]) /* of a Tensor that was never initialized */
                break;
            flows |= (nodes[i] != Py_None) << i;
            tensors++;
            Py_INCREF(raw[i]);
        } else {
            raw[i] = constant_operand(args[i]);
            if (!raw[i])
                break;
            nodes[i] = Py_None;
        }
        Py_INCREF(nodes[i]);
    }
    if (i == count && tensors)
        return flows;
    drop(raw, nodes, i);
    return -1;
}

/* Own the constants that the node keeps, or, with -1 before the operation, all: its result may show
 * them. */
static int own_constants(Operator *o, PyObject *const *args, PyObject **raw, PyObject *const *nodes,
                         int count, int flows)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] == Py_None
            && !own_constant(args[i], &raw[i], flows < 0 || is_kept(o, flows, i)))
            return 0;
    return 1;
}

static int is_float64(PyObject *x)
{
    PyObject *dtype = (PyObject *)Py_TYPE(x) == ndarray_type ? PyObject_GetAttr(x, name_dtype) : NULL;
    Py_XDECREF(dtype);
    return dtype && dtype == PyTuple_GET_ITEM(usual_dtypes, 0);
}

static int has_axes(PyObject *array, int most)
{
    PyObject *ndim = PyObject_GetAttr(array, name_ndim);
    long axes = ndim ? PyLong_AsLong(ndim) : -1;
    Py_XDECREF(ndim);
    PyErr_Clear();
    return 0 <= axes && axes <= most;
}

/* What computes the result: the kernel, if it is made for these operands. */
static PyObject *function_for(const Operator *o, PyObject *first)
{
    int fits = o->kernel && is_float64(first)
               && (o->most_axes == ANY_AXES || has_axes(first, o->most_axes));
    return fits ? o->kernel : o->f;
}

/* Whether NumPy would name a line of ours in a warning: that of the innermost Python function. */
static int hides_user(const Operator *o, PyObject *f)
{
    static PyObject *users; /* the last dictionary of variables that was not ours, never read */
    PyObject *variables = PyEval_GetGlobals(); /* borrowed */
    if (!(o->in_numpy || f == o->kernel) || !variables)
        return 1;
    if (variables == users)
        return 0;
    PyObject *name = PyDict_GetItemWithError(variables, name_name);
    if (name && PyUnicode_Check(name) && PyUnicode_Tailmatch(name, our_name, 0, PY_SSIZE_T_MAX, -1))
        return 1;
    PyErr_Clear();
    users = variables;
    return 0;
}

/* Send NumPy's warnings to the user's line: a token to undo it with, or NULL if nothing changes. */
static PyObject *relocate_warnings(void)
{
    static PyObject *seen, *made; /* the state that was asked about last */
    PyObject *now = NULL;
    if (error_state == Py_None || PyContextVar_Get(error_state, NULL, &now) < 0 || !now) {
        PyErr_Clear();
        return NULL;
    }
    if (now == seen) {
        Py_DECREF(now);
    } else {
        PyObject *found = PyObject_CallOneArg(python_relocated, now);
        if (!found) {
            PyErr_Clear();
            Py_DECREF(now);
            return NULL;
        }
        Py_XSETREF(seen, now);
        Py_XSETREF(made, found);
    }
    PyObject *token = made == Py_None ? NULL : set_variable(error_state, made);
    if (!token)
        PyErr_Clear();
    return token;
}

static void restore_warnings(PyObject *token)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (reset_variable(error_state, token) < 0)
        PyErr_Clear();
    Py_DECREF(token);
    PyErr_Restore(type, value, traceback);
}

/* The array that the operation computes of raw[0..count) and its options. */
static PyObject *operate(Operator *o, PyObject **raw, int count, PyObject *const *options,
                         PyObject *names)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        raw[count + i] = options[i]; /* borrowed */
    PyObject *f = function_for(o, raw[0]);
    PyObject *token = NULL;
    if (PyList_GET_SIZE(watchers)) /* they say themselves what is not finite */
        token = set_variable(error_state, silent);
    else if (hides_user(o, f))
        token = relocate_warnings();
    PyObject *data = PyObject_Vectorcall(f, raw, (size_t)count, names);
    if (token)
        restore_warnings(token);
    if (data && (PyObject *)Py_TYPE(data) != ndarray_type) /* NumPy makes scalars of 0-d arrays */
        Py_SETREF(data, PyObject_CallOneArg(asarray, data));
    return data;
}

/* The rules take the same options. */
static int set_options(PyObject *node, PyObject *const *options, PyObject *names)
{
    PyObject *dict = PyDict_New();
    int ok = dict != NULL;
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(names); i++)
        ok = PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), options[i]) == 0;
    ok = ok && PyObject_SetAttr(node, name_options, dict) == 0;
    Py_XDECREF(dict);
    return ok;
}

/* How many operands a call has; 0 if it is not for C. */
static int count_of(const Operator *o, Py_ssize_t given, PyObject *names)
{
    int fits = o->arity ? given == o->arity : 0 < given && given <= MOST_OPERANDS;
    return fits && (!names || PyTuple_GET_SIZE(names) <= MOST_OPTIONS) ? (int)given : 0;
}

/* Whether an operator with the Tensor on the right is for Python: C knows `2.0 * t` only. */
static int is_for_python(const Operator *o, PyObject *const *args, size_t flags)
{
    const Py_ssize_t watching = error_state == Py_None ? 0 : PyList_GET_SIZE(watchers);
    return PyList_GET_SIZE(interceptors) > watching
           || (o->reflected
               && !(PyVectorcall_NARGS(flags) == 2
                    && (PyFloat_CheckExact(args[1]) || PyLong_CheckExact(args[1]))));
}

/* Show watchers a result that may not be finite: 0 if one of them raises. */
static int show(const Operator *o, PyObject *data, PyObject *const *args, int count,
                PyObject *result)
{
    int kind = kind_of(data);
    if (kind == 0 || kind == ZEROS)
        return 1;
    PyObject *operands = PyTuple_New(count);
    for (int i = 0; operands && i < count; i++)
        PyTuple_SET_ITEM(operands, i, Py_NewRef(args[i]));
    PyObject *done =
        operands ? PyObject_CallFunctionObjArgs(python_watched, o->primitive, operands, result, NULL)
                 : NULL;
    Py_XDECREF(operands);
    Py_XDECREF(done);
    return done != NULL;
}

static PyObject *operator_call(PyObject *self, PyObject *const *given, size_t flags,
                               PyObject *names)
{
    Operator *o = (Operator *)self;
    PyObject *raw[MOST_OPERANDS + MOST_OPTIONS], *nodes[MOST_OPERANDS];
    const int elsewhere = is_for_python(o, given, flags) || (o->reflected && names);
    const int count = elsewhere ? 0 : count_of(o, PyVectorcall_NARGS(flags), names);
    /* in the order of the primitive; measured: `2.0 * t` 360 ns, and 700 by way of Python */
    PyObject *turned[2] = {NULL, NULL};
    if (o->reflected && count == 2)
        turned[0] = given[1], turned[1] = given[0];
    PyObject *const *args = turned[0] ? turned : given;
    const int flows = count ? read_arguments(args, raw, nodes, count) : -1;
    if (flows < 0)
        return PyObject_Vectorcall(o->in_python, given, flags, names);
    PyObject *node = NULL, *result = NULL, *data = NULL;
    if (o->pointwise || own_constants(o, args, raw, nodes, count, -1))
        data = operate(o, raw, count, args + count, names);
    int refused = !data && (PyErr_ExceptionMatches(PyExc_ValueError)
                            || PyErr_ExceptionMatches(PyExc_TypeError)
                            || PyErr_ExceptionMatches(PyExc_OverflowError)
                            || PyErr_ExceptionMatches(PyExc_AttributeError));
    int record = data && flows && o->differentiable ? is_recording() : 0;
    if (record > 0 && !own_constants(o, args, raw, nodes, count, flows))
        record = -1;
    if (data && record >= 0)
        node = record ? new_node(o, data, raw, nodes, count, flows) : Py_NewRef(Py_None);
    if (node && record && names && !set_options(node, args + count, names))
        Py_CLEAR(node);
    if (node)
        result = new_tensor(data, node);
    if (result && PyList_GET_SIZE(watchers) && !show(o, data, args, count, result))
        Py_CLEAR(result);
    Py_XDECREF(node);
    Py_XDECREF(data);
    drop(raw, nodes, count);
    if (refused) { /* Python computes it again, and says what is wrong */
        PyErr_Clear();
        return PyObject_Vectorcall(o->in_python, given, flags, names);
    }
    return result;
}

static PyObject *operator_repr(Operator *o)
{
    return PyUnicode_FromFormat("<compiled %R>", o->in_python);
}

/* Copied as functions are: not at all. */
static PyObject *operator_reduce(Operator *o, PyObject *unused)
{
    return PyObject_GetAttrString(o->in_python, "__qualname__");
}

static PyMethodDef operator_methods[] = {
    {"__reduce__", (PyCFunction)operator_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyObject *operator_get(PyObject *o, PyObject *instance, PyObject *owner)
{
    return instance && instance != Py_None ? PyMethod_New(o, instance) : Py_NewRef(o);
}

/* Name, documentation and the rest are those of the function in Python. */
static PyObject *operator_getattro(PyObject *o, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(o, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
    return PyObject_GetAttr(((Operator *)o)->in_python, name);
}

/* A primitive keeps the operators that are made of it: a cycle. */
static int operator_traverse(Operator *o, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(o));
    Py_VISIT(o->in_python);
    Py_VISIT(o->f);
    Py_VISIT(o->kernel);
    Py_VISIT(o->primitive);
    return 0;
}

static int operator_clear(Operator *o)
{
    Py_CLEAR(o->in_python);
    Py_CLEAR(o->f);
    Py_CLEAR(o->kernel);
    Py_CLEAR(o->primitive);
    return 0;
}

static void operator_dealloc(Operator *o)
{
    PyObject_GC_UnTrack(o);
    operator_clear(o);
    PyObject_GC_Del(o);
    Py_DECREF(OperatorType);
}

static PyMemberDef operator_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Operator, vectorcall), READONLY, NULL},
    {"__wrapped__", T_OBJECT, offsetof(Operator, in_python), READONLY, "The same in Python."},
    {"primitive", T_OBJECT, offsetof(Operator, primitive), READONLY, "The primitive of the table."},
    {NULL},
};

static PyObject *operator_doc(PyObject *o, void *closure)
{
    return PyObject_GetAttrString(((Operator *)o)->in_python, "__doc__");
}

static PyGetSetDef operator_getset[] = {{"__doc__", operator_doc, NULL, NULL, NULL}, {NULL}};

static PyType_Slot operator_slots[] = {
    {Py_tp_call, PyVectorcall_Call},     {Py_tp_descr_get, operator_get},
    {Py_tp_dealloc, operator_dealloc},   {Py_tp_members, operator_members},
    {Py_tp_getattro, operator_getattro}, {Py_tp_getset, operator_getset},
    {Py_tp_repr, operator_repr},         {Py_tp_methods, operator_methods},
    {Py_tp_traverse, operator_traverse}, {Py_tp_clear, operator_clear},
    {0, NULL},
};

static PyType_Spec operator_spec = {
    .name = "gradwalk.native.Operator",
    .basicsize = sizeof(Operator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR
             | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC,
    .slots = operator_slots,
};

/* The largest number of axes for which `f.float64_kernel` may be called: `f.kernel_axes`, or any. */
static int most_axes_of(PyObject *f)
{
    PyObject *axes = PyObject_GetAttrString(f, "kernel_axes");
    long most = axes ? PyLong_AsLong(axes) : ANY_AXES;
    Py_XDECREF(axes);
    PyErr_Clear();
    return (int)most;
}

/* operator(in_python, f, primitive, keeps, differentiable, reflected=False): keeps, one tuple of flags
 * per `flows`; one in all, for the result and the operands, if there may be any number. `reflected`:
 * the operands come in the other order. */
static PyObject *tensor_operator(PyObject *module, PyObject *args)
{
    PyObject *in_python, *f, *primitive, *keeps;
    int differentiable, reflected = 0;
    if (!PyArg_ParseTuple(args, "OOOO!p|p:operator", &in_python, &f, &primitive, &PyTuple_Type,
                          &keeps, &differentiable, &reflected))
        return NULL;
    Py_ssize_t patterns = PyTuple_GET_SIZE(keeps), arity = patterns == 8 ? 3 : patterns / 2;
    if (patterns != (Py_ssize_t)1 << arity)
        return PyErr_Format(PyExc_ValueError, "operator: %zd patterns of keeps", patterns);
    for (Py_ssize_t flows = 0; flows < patterns; flows++) {
        PyObject *flags = PyTuple_GET_ITEM(keeps, flows);
        if (!PyTuple_Check(flags) || PyTuple_GET_SIZE(flags) != (arity ? arity : 1) + 1)
            return PyErr_Format(PyExc_ValueError, "operator: a pattern that does not fit");
    }
    PyObject *kind = PyObject_GetAttrString(primitive, "kind");
    Operator *o = kind ? PyObject_GC_New(Operator, OperatorType) : NULL;
    int pointwise = o && PyUnicode_CompareWithASCIIString(kind, "pointwise") == 0;
    Py_XDECREF(kind);
    if (!o)
        return NULL;
    o->vectorcall = operator_call;
    o->in_python = Py_NewRef(in_python);
    o->f = Py_NewRef(f);
    o->kernel = PyObject_GetAttrString(f, "float64_kernel"); /* see ops/array/vectors.py */
    PyErr_Clear();
    o->most_axes = most_axes_of(f);
    o->reflected = reflected;
    o->primitive = Py_NewRef(primitive);
    o->arity = (int)arity;
    o->differentiable = differentiable;
    o->in_numpy = strcmp(Py_TYPE(f)->tp_name, "numpy.ufunc") == 0;
    o->pointwise = pointwise;
    memset(o->keeps, 0, sizeof o->keeps);
    for (Py_ssize_t flows = 0; flows < patterns; flows++) {
        PyObject *flags = PyTuple_GET_ITEM(keeps, flows);
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(PyTuple_GET_ITEM(keeps, flows)); i++)
            o->keeps[flows][i] = PyTuple_GET_ITEM(flags, i) == Py_True;
    }
    PyObject_GC_Track(o);
    return (PyObject *)o;
}
