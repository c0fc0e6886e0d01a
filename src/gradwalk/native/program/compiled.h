/* A program that Python has recorded: numbers in, numbers out, or the first guard that fails. */

typedef struct {
    PyObject_HEAD
    Rolled rolled;
    size_t inputs, outputs, guards;
    int32_t *result_cells; /* of the outputs, then of the guards */
    char *answers; /* what each guard expects */
} CompiledObject;

static PyTypeObject *CompiledType;

static void compiled_dealloc(CompiledObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    close_rolled(&self->rolled);
    PyMem_RawFree(self->result_cells);
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

/* Append the entries of a tuple. */
static int read_entries(const Tape *t, PyObject *entries, int32_t *to)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(entries); i++) {
        long entry = PyLong_AsLong(PyTuple_GET_ITEM(entries, i));
        if (entry < 0 || (size_t)entry >= t->inputs + t->count) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "compiled: no such entry");
            return 0;
        }
        to[i] = (int32_t)entry;
    }
    return 1;
}

/* Roll the tape, and replace its results by their cells. */
static int roll_compiled(CompiledObject *self, const Tape *t, PyObject *outputs, PyObject *guards)
{
    const size_t count = self->outputs + self->guards;
    self->result_cells = numbers_for(count, sizeof *self->result_cells);
    if (!self->result_cells || !read_entries(t, outputs, self->result_cells)
        || !read_entries(t, guards, self->result_cells + self->outputs)
        || !roll(&self->rolled, t, self->inputs, self->result_cells, count))
        return 0;
    for (size_t i = 0; i < count; i++)
        self->result_cells[i] = self->rolled.cell_of[self->result_cells[i]];
    PyMem_RawFree(self->rolled.cell_of);
    self->rolled.cell_of = NULL;
    return 1;
}

static int fill_compiled(CompiledObject *self, Tape *t, PyObject *constants, PyObject *instructions,
                         PyObject *outputs, PyObject *guards, PyObject *answers)
{
    t->inputs = self->inputs + (size_t)PyTuple_GET_SIZE(constants);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(instructions); i++)
        if (!read_instruction(t, PyList_GET_ITEM(instructions, i)))
            return 0;
    self->outputs = (size_t)PyTuple_GET_SIZE(outputs);
    self->guards = (size_t)PyTuple_GET_SIZE(guards);
    if (!roll_compiled(self, t, outputs, guards))
        return 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); i++)
        self->rolled.cells[self->inputs + (size_t)i] =
            PyFloat_AsDouble(PyTuple_GET_ITEM(constants, i));
    self->answers = numbers_for(self->guards, 1);
    for (size_t i = 0; self->answers && i < self->guards; i++)
        self->answers[i] = PyTuple_GET_ITEM(answers, (Py_ssize_t)i) == Py_True;
    return self->answers && !PyErr_Occurred();
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

static int read_inputs(const CompiledObject *self, PyObject *numbers, double *cells)
{
    if (!PyList_Check(numbers) || (size_t)PyList_GET_SIZE(numbers) != self->inputs) {
        PyErr_Format(PyExc_TypeError, "call: expected a list of %zu floats", self->inputs);
        return 0;
    }
    for (size_t i = 0; i < self->inputs; i++) {
        PyObject *number = PyList_GET_ITEM(numbers, (Py_ssize_t)i);
        if (!PyFloat_Check(number)) {
            PyErr_Format(PyExc_TypeError, "call: expected floats, got %R", number);
            return 0;
        }
        cells[i] = PyFloat_AS_DOUBLE(number);
    }
    return 1;
}

static PyObject *results_of_call(const CompiledObject *self, const double *cells)
{
    const int32_t *guards = self->result_cells + self->outputs;
    for (size_t i = 0; i < self->guards; i++)
        if ((cells[guards[i]] != 0.0) != self->answers[i])
            return PyLong_FromSize_t(i);
    PyObject *results = PyList_New((Py_ssize_t)self->outputs);
    for (size_t i = 0; results && i < self->outputs; i++) {
        PyObject *number = PyFloat_FromDouble(cells[self->result_cells[i]]);
        if (!number)
            Py_CLEAR(results);
        else
            PyList_SET_ITEM(results, (Py_ssize_t)i, number);
    }
    return results;
}

/* call(numbers): the outputs, or the index of the first guard with another answer. */
static PyObject *compiled_call(CompiledObject *self, PyObject *numbers)
{
    double *cells = cells_for_run(&self->rolled);
    PyObject *results = NULL;
    if (cells && read_inputs(self, numbers, cells)) {
        run_program(&self->rolled, cells);
        results = results_of_call(self, cells);
    }
    if (cells)
        end_run(&self->rolled, cells);
    return results;
}

/* --- loops ----------------------------------------------------------------------------------- */

enum { MAX_COLUMNS = 64 };

/* A program that is run again and again: of its inputs the first are carries, which are the first
 * outputs of the step before; then come rows of columns, then constants. */
typedef struct {
    double *inputs, *outputs, *collected;
    Py_buffer columns[MAX_COLUMNS];
    size_t carries, column_count, collects, rows, room;
} Repeated;

static void close_repeated(Repeated *r)
{
    while (r->column_count)
        PyBuffer_Release(&r->columns[--r->column_count]);
    PyMem_RawFree(r->inputs);
    PyMem_RawFree(r->outputs);
    PyMem_RawFree(r->collected);
}

static int read_columns(Repeated *r, PyObject *columns, Py_ssize_t length)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(columns); i++) {
        Py_buffer *b = &r->columns[i];
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(columns, i), b, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
            return 0;
        r->column_count++;
        if (!b->format || strcmp(b->format, "d") || b->len != length * (Py_ssize_t)sizeof(double)) {
            PyErr_SetString(PyExc_ValueError, "loop: expected columns of doubles, of one length");
            return 0;
        }
    }
    return 1;
}

/* Keep what a step has collected. */
static int collect_row(Repeated *r)
{
    const size_t size = r->collects * sizeof *r->collected;
    while (r->collects && (r->rows + 1) * r->collects > r->room)
        if (!larger((void **)&r->collected, &r->room, sizeof *r->collected))
            return 0;
    if (r->collects)
        memcpy(r->collected + r->rows * r->collects, r->outputs + r->carries, size);
    r->rows++;
    return 1;
}

static int repeat_step(CompiledObject *self, Repeated *r, double *cells, Py_ssize_t row)
{
    for (size_t i = 0; i < r->column_count; i++)
        r->inputs[r->carries + i] = ((double *)r->columns[i].buf)[row];
    memcpy(cells, r->inputs, self->inputs * sizeof *cells);
    run_program(&self->rolled, cells);
    for (size_t i = 0; i < self->outputs; i++)
        r->outputs[i] = cells[self->result_cells[i]];
    memcpy(r->inputs, r->outputs, r->carries * sizeof *cells);
    return collect_row(r) && (r->rows % 1024 || !PyErr_CheckSignals());
}

/* Run `length` steps; if asks, while the last output is not 0. */
static int repeat_steps(CompiledObject *self, Repeated *r, Py_ssize_t length, int reverse, int asks)
{
    double *cells = cells_for_run(&self->rolled);
    int ok = cells != NULL;
    for (Py_ssize_t i = 0; ok && (asks || i < length); i++) {
        ok = repeat_step(self, r, cells, reverse ? length - 1 - i : i);
        if (asks && r->outputs[self->outputs - 1] == 0.0)
            break;
    }
    if (cells)
        end_run(&self->rolled, cells);
    return ok;
}

static PyObject *list_of(const double *numbers, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(numbers[i]);
        if (!number)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, number);
    }
    return list;
}

/* loop(inputs, carries, columns, length, reverse, asks): the last carries, and the rows of what
 * the steps have collected, in bytes. The inputs have anything in the places of rows. */
static PyObject *compiled_loop(CompiledObject *self, PyObject *args)
{
    PyObject *inputs, *columns, *last = NULL, *collected = NULL;
    Py_ssize_t carries, length;
    int reverse, asks;
    if (!PyArg_ParseTuple(args, "O!nO!npp:loop", &PyList_Type, &inputs, &carries, &PyTuple_Type,
                          &columns, &length, &reverse, &asks))
        return NULL;
    const Py_ssize_t count = PyTuple_GET_SIZE(columns);
    if (count > MAX_COLUMNS || carries < 0 || (size_t)(carries + asks) > self->outputs
        || (size_t)(carries + count) > self->inputs || self->guards) {
        PyErr_SetString(PyExc_ValueError, "loop: the program has other inputs and outputs");
        return NULL;
    }
    Repeated r = {.carries = (size_t)carries,
                  .collects = self->outputs - (size_t)(carries + asks)};
    r.inputs = numbers_for(self->inputs, sizeof *r.inputs);
    r.outputs = numbers_for(self->outputs, sizeof *r.outputs);
    if (r.inputs && r.outputs && read_inputs(self, inputs, r.inputs)
        && read_columns(&r, columns, length) && repeat_steps(self, &r, length, reverse, asks)) {
        last = list_of(r.inputs, r.carries);
        collected = PyBytes_FromStringAndSize(
            (char *)r.collected, (Py_ssize_t)(r.rows * r.collects * sizeof *r.collected));
    }
    close_repeated(&r);
    if (last && collected)
        return Py_BuildValue("(NN)", last, collected);
    Py_XDECREF(last);
    Py_XDECREF(collected);
    return NULL;
}

static PyObject *compiled_instructions(CompiledObject *self, PyObject *unused)
{
    return instructions_of(&self->rolled);
}

static PyObject *compiled_sizeof(CompiledObject *self, PyObject *unused)
{
    const size_t results = (self->outputs + self->guards) * sizeof *self->result_cells;
    return PyLong_FromSize_t(sizeof *self + results + bytes_of(&self->rolled));
}

static PyMethodDef compiled_methods[] = {
    {"__sizeof__", (PyCFunction)compiled_sizeof, METH_NOARGS, "The bytes of the program."},
    {"call", (PyCFunction)compiled_call, METH_O, "call(numbers)"},
    {"loop", (PyCFunction)compiled_loop, METH_VARARGS,
     "loop(inputs, carries, columns, length, reverse, asks)"},
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
