/* A program that Python has recorded: numbers in, numbers out, or the first guard that fails. */

typedef struct {
    PyObject_HEAD
    Rolled rolled;
    size_t inputs, outputs, guards;
    int32_t *output_cells, *guard_cells;
    char *answers; /* what each guard expects */
} CompiledObject;

static PyTypeObject *CompiledType;

static void compiled_dealloc(CompiledObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    close_rolled(&self->rolled);
    PyMem_RawFree(self->output_cells);
    PyMem_RawFree(self->guard_cells);
    PyMem_RawFree(self->answers);
    type->tp_free(self);
    Py_DECREF(type);
}

static int kernel_named(const char *name)
{
    for (int kernel = OP_FIRST; kernel < KERNEL_COUNT; kernel++)
        if (MACHINE[kernel].name && !strcmp(MACHINE[kernel].name, name))
            return kernel;
    PyErr_Format(PyExc_ValueError, "compiled: no kernel is called %s", name);
    return -1;
}

/* One instruction (name, masked operands by bits, operands) of Python's list. */
static int read_instruction(Tape *t, PyObject *instruction)
{
    const char *name;
    int masked;
    PyObject *operands;
    int32_t entries[MAX_LANES];
    if (!PyArg_ParseTuple(instruction, "siO!", &name, &masked, &PyTuple_Type, &operands))
        return 0;
    int kernel = kernel_named(name);
    Py_ssize_t count = PyTuple_GET_SIZE(operands);
    if (kernel < 0)
        return 0;
    if (count != MACHINE[kernel].count) {
        PyErr_Format(PyExc_ValueError, "compiled: %s has no %zd operands", name, count);
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        entries[k] = (int32_t)PyLong_AsLong(PyTuple_GET_ITEM(operands, k));
        if (PyErr_Occurred())
            return 0;
        if (entries[k] < 0 || (size_t)entries[k] >= t->inputs + t->count) {
            PyErr_SetString(PyExc_ValueError, "compiled: an operand is no earlier entry");
            return 0;
        }
    }
    return write_down(t, (uint16_t)(kernel | masked << MASKED), entries, (int)count) >= 0;
}

/* The cells of a list of entries. */
static int32_t *cells_of(const Rolled *rolled, PyObject *entries)
{
    Py_ssize_t count = PyTuple_GET_SIZE(entries);
    int32_t *cells = numbers_for((size_t)count, sizeof *cells);
    for (Py_ssize_t i = 0; cells && i < count; i++) {
        long entry = PyLong_AsLong(PyTuple_GET_ITEM(entries, i));
        if (entry < 0 || (size_t)entry >= rolled->cell_count) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "compiled: no such entry");
            PyMem_RawFree(cells);
            return NULL;
        }
        cells[i] = rolled->cell_of[entry];
    }
    return cells;
}

static int fill_compiled(CompiledObject *self, Tape *t, PyObject *constants, PyObject *instructions,
                         PyObject *outputs, PyObject *guards, PyObject *answers)
{
    t->inputs = self->inputs + (size_t)PyTuple_GET_SIZE(constants);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(instructions); i++)
        if (!read_instruction(t, PyList_GET_ITEM(instructions, i)))
            return 0;
    if (!roll(&self->rolled, t, self->inputs))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); i++)
        self->rolled.cells[self->inputs + (size_t)i] =
            PyFloat_AsDouble(PyTuple_GET_ITEM(constants, i));
    self->outputs = (size_t)PyTuple_GET_SIZE(outputs);
    self->guards = (size_t)PyTuple_GET_SIZE(guards);
    self->output_cells = cells_of(&self->rolled, outputs);
    self->guard_cells = self->output_cells ? cells_of(&self->rolled, guards) : NULL;
    self->answers = numbers_for(self->guards, 1);
    for (size_t i = 0; self->answers && i < self->guards; i++)
        self->answers[i] = PyTuple_GET_ITEM(answers, (Py_ssize_t)i) == Py_True;
    return self->guard_cells && self->answers && !PyErr_Occurred();
}

static PyObject *engine_compiled(PyObject *module, PyObject *args)
{
    Py_ssize_t inputs;
    PyObject *constants, *instructions, *outputs, *guards, *answers;
    if (!PyArg_ParseTuple(args, "nO!O!O!O!O!:compiled", &inputs, &PyTuple_Type, &constants,
                          &PyList_Type, &instructions, &PyTuple_Type, &outputs, &PyTuple_Type,
                          &guards, &PyTuple_Type, &answers))
        return NULL;
    CompiledObject *self = (CompiledObject *)CompiledType->tp_alloc(CompiledType, 0);
    if (!self)
        return NULL;
    Tape tape = {0};
    self->inputs = (size_t)inputs;
    if (!fill_compiled(self, &tape, constants, instructions, outputs, guards, answers))
        Py_CLEAR(self);
    close_tape(&tape);
    return (PyObject *)self;
}

/* call(numbers): the outputs, or the index of the first guard with another answer. */
static PyObject *compiled_call(CompiledObject *self, PyObject *numbers)
{
    double *cells = self->rolled.cells;
    if (!PyList_Check(numbers) || (size_t)PyList_GET_SIZE(numbers) != self->inputs)
        return PyErr_Format(PyExc_TypeError, "call: expected a list of %zu floats", self->inputs);
    for (size_t i = 0; i < self->inputs; i++) {
        PyObject *number = PyList_GET_ITEM(numbers, (Py_ssize_t)i);
        if (!PyFloat_Check(number))
            return PyErr_Format(PyExc_TypeError, "call: expected floats, got %R", number);
        cells[i] = PyFloat_AS_DOUBLE(number);
    }
    run_program(&self->rolled);
    for (size_t i = 0; i < self->guards; i++)
        if ((cells[self->guard_cells[i]] != 0.0) != self->answers[i])
            return PyLong_FromSize_t(i);
    PyObject *results = PyList_New((Py_ssize_t)self->outputs);
    for (size_t i = 0; results && i < self->outputs; i++) {
        PyObject *number = PyFloat_FromDouble(cells[self->output_cells[i]]);
        if (!number)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, (Py_ssize_t)i, number);
    }
    return results;
}

static PyObject *compiled_instructions(CompiledObject *self, PyObject *unused)
{
    return instructions_of(&self->rolled);
}

static PyMethodDef compiled_methods[] = {
    {"call", (PyCFunction)compiled_call, METH_O, "call(numbers)"},
    {"instructions", (PyCFunction)compiled_instructions, METH_NOARGS, "instructions()"},
    {NULL},
};

static PyType_Slot compiled_slots[] = {
    {Py_tp_dealloc, compiled_dealloc},
    {Py_tp_methods, compiled_methods},
    {0, NULL},
};

static PyType_Spec compiled_spec = {
    .name = "gradwalk.native._engine.Compiled",
    .basicsize = sizeof(CompiledObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = compiled_slots,
};
