/* Whether this thread records: the state of no_grad, which Tensors and levels read as well. */

static int threads_paused;       /* how many threads are inside no_grad, */
static _Thread_local int paused; /* and how deep this one is */

#define recording() (!threads_paused || !paused)

static PyObject *get_paused(PyObject *self, void *closure) { return PyLong_FromLong(paused); }

static PyObject *get_threads(PyObject *self, void *closure)
{
    return PyLong_FromLong(threads_paused);
}

static PyObject *recording_pause(PyObject *self, PyObject *steps)
{
    int step = (int)PyLong_AsLong(steps);
    if (step == -1 && PyErr_Occurred())
        return NULL;
    int before = paused > 0;
    paused += step;
    threads_paused += (paused > 0) - before;
    Py_RETURN_NONE;
}

static PyGetSetDef recording_getset[] = {
    {"paused", get_paused, NULL, "How many no_grad blocks this thread is in.", NULL},
    {"threads", get_threads, NULL, "How many threads are in such a block.", NULL},
    {NULL},
};

static PyMethodDef recording_methods[] = {
    {"pause", recording_pause, METH_O,
     "pause(step): enter (+1) or leave (-1) a block in which this thread records nothing."},
    {NULL},
};

static PyType_Slot recording_slots[] = {
    {Py_tp_doc, "The state of no_grad; gradwalk.engine.recording.Recording is its specification."},
    {Py_tp_getset, recording_getset},
    {Py_tp_methods, recording_methods},
    {0, NULL},
};

static PyType_Spec recording_spec = {
    .name = "gradwalk.native.Recording",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = recording_slots,
};

/* Add the one instance to the module. */
static int add_recording(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&recording_spec);
    PyObject *state = type ? PyObject_CallNoArgs(type) : NULL;
    int added = state && PyModule_AddObjectRef(module, "recording", state) == 0;
    Py_XDECREF(state);
    Py_XDECREF(type);
    return added;
}
