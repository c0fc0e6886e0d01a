/* What users call for a primitive of the table: gradwalk.exp(x), and as a method x.exp(). */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *primitive, *name, *doc, *module;
    const char *utf8;
    uint16_t op;
    Py_ssize_t arity, required; /* arguments from `required` on have defaults */
} Function;

static PyTypeObject *FunctionType;

/* Arguments by name, defaults, or a wrong number of them: the primitive sorts them out. */
static PyObject *bind_arguments(Function *f, PyObject *const *args, Py_ssize_t given,
                                PyObject *names)
{
    PyObject *bind = PyObject_GetAttrString(f->primitive, "bind");
    if (!bind)
        return NULL;
    PyObject *bound = PyObject_Vectorcall(bind, args, (size_t)given, names);
    Py_DECREF(bind);
    return bound;
}

static PyTypeObject *tensor_type; /* whose methods record faster than the primitive can be asked */

/* tensor_methods(Tensor): from now on gradwalk.exp(t) of a Tensor is t.exp(). */
static PyObject *engine_tensor_methods(PyObject *module, PyObject *type)
{
    Py_XSETREF(tensor_type, (PyTypeObject *)Py_NewRef(type));
    Py_RETURN_NONE;
}

static PyObject *function_call(PyObject *self, PyObject *const *args, size_t flags,
                               PyObject *names);

/* The result of a call; its error says which argument was wrong. */
static PyObject *explained(Function *f, PyObject *result, PyObject *const *args, Py_ssize_t given)
{
    if (result || !PyErr_ExceptionMatches(PyExc_Exception))
        return result;
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    PyObject *all = PyTuple_New(given);
    for (Py_ssize_t i = 0; all && i < given; i++)
        PyTuple_SET_ITEM(all, i, Py_NewRef(args[i]));
    PyObject *done =
        all ? PyObject_CallMethod(f->primitive, "explain", "OO", error, all) : NULL;
    Py_XDECREF(all);
    if (!done) { /* the error remains what it is */
        PyErr_Clear();
    }
    Py_XDECREF(done);
    PyErr_Restore(type, error, trace);
    return NULL;
}

static PyObject *function_apply(PyObject *self, PyObject *const *args, size_t flags,
                                PyObject *names)
{
    Function *f = (Function *)self;
    Py_ssize_t given = PyVectorcall_NARGS(flags);
    int unbound = names || given != f->arity;
    for (Py_ssize_t i = f->required; !unbound && i < given; i++)
        unbound = args[i] == Py_None; /* which asks for the default */
    if (unbound) {
        PyObject *bound = bind_arguments(f, args, given, names);
        if (!bound)
            return NULL;
        PyObject *result =
            function_call(self, ((PyTupleObject *)bound)->ob_item, (size_t)f->arity, NULL);
        Py_DECREF(bound);
        return result;
    }
    if (given == 1 && Py_IS_TYPE(args[0], tensor_type)) {
        PyObject *method = PyObject_GetAttr((PyObject *)tensor_type, f->name);
        PyObject *result = method ? PyObject_Vectorcall(method, args, 1, NULL) : NULL;
        Py_XDECREF(method);
        if (method || !PyErr_ExceptionMatches(PyExc_AttributeError))
            return result;
        PyErr_Clear(); /* a primitive that is no method */
    }
    int values = 0, tracers = 0;
    for (Py_ssize_t i = 0; i < given; i++) {
        values += is_value(args[i]);
        tracers += is_tracer(args[i]);
    }
    if (tracers) {
        int known = f->op != OP_PYTHON;
        PyObject *result = known ? apply_objects(f->op, args, (int)given, &known) : NULL;
        return known ? result : PyObject_Vectorcall(f->primitive, args, (size_t)given, NULL);
    }
    double x[3] = {0.0};
    if (f->op == OP_PYTHON) {
        return values ? apply_in_python(f->primitive, args, given)
                      : PyObject_Vectorcall(f->primitive, args, (size_t)given, NULL);
    }
    for (Py_ssize_t i = 0; i < given; i++) {
        if (is_value(args[i]))
            x[i] = ((Value *)args[i])->data;
        else if (PyFloat_CheckExact(args[i]))
            x[i] = PyFloat_AS_DOUBLE(args[i]);
        else if (!values) /* ints, other carriers, mistakes: the primitive knows them all */
            return PyObject_Vectorcall(f->primitive, args, (size_t)given, NULL);
        else if (!to_operand(args[i], f->utf8, &x[i])) { /* a Tensor decides; the primitive knows */
            if (!PyErr_ExceptionMatches(PyExc_TypeError))
                return NULL;
            PyErr_Clear();
            return PyObject_Vectorcall(f->primitive, args, (size_t)given, NULL);
        }
    }
    double y = forward(f->op, x);
    return values ? (PyObject *)node_of(f->op, y, args, x, given) : PyFloat_FromDouble(y);
}

static PyObject *function_call(PyObject *self, PyObject *const *args, size_t flags,
                               PyObject *names)
{
    PyObject *result = function_apply(self, args, flags, names);
    Py_ssize_t given = PyVectorcall_NARGS(flags);
    return result || names ? result : explained((Function *)self, result, args, given);
}

static PyObject *function_get(PyObject *f, PyObject *instance, PyObject *owner)
{
    return instance && instance != Py_None ? PyMethod_New(f, instance) : Py_NewRef(f);
}

static void function_dealloc(Function *f)
{
    Py_XDECREF(f->primitive);
    Py_XDECREF(f->name);
    Py_XDECREF(f->doc);
    Py_XDECREF(f->module);
    PyObject_Free(f);
    Py_DECREF(FunctionType);
}

static PyObject *function_repr(Function *f)
{
    return PyUnicode_FromFormat("<function %U of gradwalk>", f->name);
}

static PyObject *function_reduce(Function *f, PyObject *unused) { return Py_NewRef(f->name); }

static PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, vectorcall), READONLY, NULL},
    {"__name__", T_OBJECT, offsetof(Function, name), READONLY, NULL},
    {"__qualname__", T_OBJECT, offsetof(Function, name), READONLY, NULL},
    {"__doc__", T_OBJECT, offsetof(Function, doc), READONLY, NULL},
    {"__module__", T_OBJECT, offsetof(Function, module), READONLY, NULL},
    {"primitive", T_OBJECT, offsetof(Function, primitive), READONLY, "The primitive of the table."},
    {NULL},
};

static PyMethodDef function_methods[] = {
    {"__reduce__", (PyCFunction)function_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyType_Slot function_slots[] = {
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, function_get},
    {Py_tp_dealloc, function_dealloc},
    {Py_tp_repr, function_repr},
    {Py_tp_members, function_members},
    {Py_tp_methods, function_methods},
    {0, NULL},
};

static PyType_Spec function_spec = {
    .name = "gradwalk.native.Function",
    .basicsize = sizeof(Function),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR
             | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = function_slots,
};

/* function(primitive): the function of a primitive of the table. */
static PyObject *engine_function(PyObject *module, PyObject *primitive)
{
    PyObject *arity = PyObject_GetAttrString(primitive, "arity");
    PyObject *defaults = arity ? PyObject_GetAttrString(primitive, "defaults") : NULL;
    Function *f = defaults ? PyObject_New(Function, FunctionType) : NULL;
    if (!f)
        goto end;
    f->vectorcall = function_call;
    f->primitive = Py_NewRef(primitive);
    f->op = op_of(primitive);
    f->arity = PyLong_AsSsize_t(arity);
    f->required = f->arity - PyObject_Size(defaults);
    f->module = PyUnicode_FromString("gradwalk");
    f->name = f->module ? PyObject_GetAttrString(primitive, "name") : NULL;
    f->doc = f->name ? PyObject_CallOneArg(manual, primitive) : NULL;
    f->utf8 = f->doc ? PyUnicode_AsUTF8(f->name) : NULL;
    if (!f->doc || !f->module || !f->utf8)
        Py_CLEAR(f);
end:
    Py_XDECREF(arity);
    Py_XDECREF(defaults);
    return (PyObject *)f;
}
