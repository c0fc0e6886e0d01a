/* What users call for a function in Python: its errors are explained. It adds 20 ns to a call. */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *function, *explain, *dict;
} Door;

static PyTypeObject *DoorType;

/* Call explain(error, function, args, named), which raises a better error or changes this one. */
static PyObject *door_failed(Door *d, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return NULL;
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (trace)
        PyException_SetTraceback(error, trace);
    PyObject *all = PyTuple_New(given), *named = all ? PyDict_New() : NULL;
    for (Py_ssize_t i = 0; named && i < given; i++)
        PyTuple_SET_ITEM(all, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; named && names && i < PyTuple_GET_SIZE(names); i++)
        if (PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[given + i]) < 0)
            Py_CLEAR(named);
    PyObject *done = named ? PyObject_CallFunctionObjArgs(d->explain, error, trace ? trace : Py_None,
                                                          d->function, all, named, NULL)
                           : NULL;
    Py_XDECREF(all);
    Py_XDECREF(named);
    if (done) {
        Py_DECREF(done);
        PyErr_Restore(type, error, trace);
    } else { /* the better one */
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(trace);
    }
    return NULL;
}

static PyObject *door_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Door *d = (Door *)self;
    PyObject *result = PyObject_Vectorcall(d->function, args, flags, names);
    return result ? result : door_failed(d, args, PyVectorcall_NARGS(flags), names);
}

static PyObject *door_get(PyObject *door, PyObject *instance, PyObject *owner)
{
    return instance && instance != Py_None ? PyMethod_New(door, instance) : Py_NewRef(door);
}

/* What a door itself has not, its function has: __code__, __globals__, __defaults__. */
static PyObject *door_getattr(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
    return PyObject_GetAttr(((Door *)self)->function, name);
}

static PyObject *door_repr(PyObject *self) { return PyObject_Repr(((Door *)self)->function); }

static PyObject *door_reduce(PyObject *self, PyObject *unused)
{
    return PyObject_GetAttrString(self, "__qualname__"); /* pickled by name, as functions are */
}

static int door_traverse(Door *d, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(d));
    Py_VISIT(d->function);
    Py_VISIT(d->explain);
    Py_VISIT(d->dict);
    return 0;
}

static int door_clear(Door *d)
{
    Py_CLEAR(d->function);
    Py_CLEAR(d->explain);
    Py_CLEAR(d->dict);
    return 0;
}

static void door_dealloc(Door *d)
{
    PyObject_GC_UnTrack(d);
    door_clear(d);
    PyObject_GC_Del(d);
    Py_DECREF(DoorType);
}

static PyMemberDef door_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Door, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Door, dict), READONLY, NULL},
    {NULL},
};

static PyGetSetDef door_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL},
};

static PyMethodDef door_methods[] = {
    {"__reduce__", (PyCFunction)door_reduce, METH_NOARGS, NULL},
    {NULL},
};

static PyType_Slot door_slots[] = {
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, door_get},
    {Py_tp_getattro, door_getattr},
    {Py_tp_dealloc, door_dealloc},
    {Py_tp_traverse, door_traverse},
    {Py_tp_clear, door_clear},
    {Py_tp_repr, door_repr},
    {Py_tp_members, door_members},
    {Py_tp_getset, door_attributes},
    {Py_tp_methods, door_methods},
    {0, NULL},
};

static PyType_Spec door_spec = {
    .name = "gradwalk.native.Door",
    .basicsize = sizeof(Door),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR
             | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = door_slots,
};

/* door(function, explain): a callable that calls function, and explain after an error. */
static PyObject *engine_door(PyObject *module, PyObject *args)
{
    PyObject *function, *explain;
    if (!PyArg_ParseTuple(args, "OO:door", &function, &explain))
        return NULL;
    if (!DoorType && !(DoorType = (PyTypeObject *)PyType_FromSpec(&door_spec)))
        return NULL;
    Door *d = PyObject_GC_New(Door, DoorType);
    if (!d)
        return NULL;
    d->vectorcall = door_call;
    d->function = Py_NewRef(function);
    d->explain = Py_NewRef(explain);
    d->dict = NULL;
    PyObject_GC_Track(d);
    return (PyObject *)d;
}
