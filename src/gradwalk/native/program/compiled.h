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

/* A program that Python has written, in its columns. */
typedef struct {
    PyObject *constants, *names, *outputs, *answers; /* a name is None for a guard */
    Py_buffer op, first, atoms, absent;
    size_t inputs;
} Written;

static void release_written(Written *w)
{
    PyBuffer_Release(&w->op);
    PyBuffer_Release(&w->first);
    PyBuffer_Release(&w->atoms);
    PyBuffer_Release(&w->absent);
}

/* The entry of an atom: inputs, then constants, then results. -1, with the error set, for none. */
static int32_t entry_of_atom(const Written *w, const Tape *t, long a)
{
    const size_t entry = a < 0                  ? w->inputs + (size_t)(-1 - a)
                         : (size_t)a < w->inputs ? (size_t)a
                                                 : (size_t)a - w->inputs + t->inputs;
    if (entry < t->inputs + t->count)
        return (int32_t)entry;
    PyErr_SetString(PyExc_ValueError, "compiled: an operand is no earlier entry");
    return -1;
}

static int read_equation(const Written *w, Tape *t, int kernel, size_t k)
{
    const int32_t *first = w->first.buf, *atoms = (int32_t *)w->atoms.buf + first[k];
    const char *absent = w->absent.buf;
    const int aware = kernel == KERNEL_plus || kernel == KERNEL_or_zero;
    const int count = first[k + 1] - first[k];
    int32_t entries[MAX_LANES];
    int masked = 0;
    if (count != MACHINE[kernel].count) {
        PyErr_Format(PyExc_ValueError, "compiled: %s has no %d operands", MACHINE[kernel].name,
                     count);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        if ((entries[i] = entry_of_atom(w, t, atoms[i])) < 0)
            return 0;
        if (!aware && atoms[i] >= 0 && atoms[i] < w->absent.len)
            masked |= (absent[atoms[i]] != 0) << i;
    }
    return write_down(t, (uint16_t)(kernel | masked << MASKED), entries, count) >= 0;
}

/* Write the equations down, and note the atoms that guards are of. */
static int read_equations(const Written *w, Tape *t, int32_t *guards, size_t room)
{
    const uint16_t *op = w->op.buf;
    const int32_t *first = w->first.buf;
    const size_t names = (size_t)PyTuple_GET_SIZE(w->names);
    int *kernels = numbers_for(names, sizeof *kernels), ok = kernels != NULL;
    size_t asked = 0;
    for (size_t i = 0; ok && i < names; i++) {
        PyObject *name = PyTuple_GET_ITEM(w->names, (Py_ssize_t)i);
        const char *text = name == Py_None ? NULL : PyUnicode_AsUTF8(name);
        kernels[i] = text ? kernel_named(text) : -1;
        ok = !PyErr_Occurred();
    }
    for (size_t k = 0; ok && k < (size_t)w->op.len / sizeof *op; k++) {
        ok = op[k] < names && first[k] >= 0 && first[k] <= first[k + 1]
             && first[k + 1] <= w->atoms.len / (Py_ssize_t)sizeof *first;
        if (ok && kernels[op[k]] >= 0)
            ok = read_equation(w, t, kernels[op[k]], k);
        else if (ok && (ok = asked < room && first[k] < first[k + 1]))
            guards[asked++] = entry_of_atom(w, t, ((int32_t *)w->atoms.buf)[first[k]]);
        ok = ok && (k % 65536 || !PyErr_CheckSignals()) && !PyErr_Occurred();
    }
    PyMem_RawFree(kernels);
    if (!(ok && asked == room) && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "compiled: expected columns of one program");
    return ok && asked == room;
}

/* Roll the tape, and replace results by their cells. */
static int roll_compiled(CompiledObject *self, const Tape *t)
{
    const size_t count = self->outputs + self->guards;
    if (!roll(&self->rolled, t, self->inputs, self->result_cells, count))
        return 0;
    for (size_t i = 0; i < count; i++)
        self->result_cells[i] = self->rolled.cell_of[self->result_cells[i]];
    PyMem_RawFree(self->rolled.cell_of);
    self->rolled.cell_of = NULL;
    return 1;
}

static int read_outputs(const Written *w, const Tape *t, int32_t *to)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(w->outputs); i++) {
        const long a = PyLong_AsLong(PyTuple_GET_ITEM(w->outputs, i));
        if ((a == -1 && PyErr_Occurred()) || (to[i] = entry_of_atom(w, t, a)) < 0)
            return 0;
    }
    return 1;
}

static int fill_compiled(CompiledObject *self, Tape *t, const Written *w)
{
    const Py_ssize_t constants = PyTuple_GET_SIZE(w->constants);
    self->inputs = w->inputs;
    self->outputs = (size_t)PyTuple_GET_SIZE(w->outputs);
    self->guards = (size_t)PyTuple_GET_SIZE(w->answers);
    t->inputs = self->inputs + (size_t)constants;
    self->answers = numbers_for(self->guards, 1);
    self->result_cells = numbers_for(self->outputs + self->guards, sizeof *self->result_cells);
    if (!self->answers || !self->result_cells
        || !read_equations(w, t, self->result_cells + self->outputs, self->guards)
        || !read_outputs(w, t, self->result_cells) || !roll_compiled(self, t))
        return 0;
    for (Py_ssize_t i = 0; i < constants; i++)
        self->rolled.cells[self->inputs + (size_t)i] =
            PyFloat_AsDouble(PyTuple_GET_ITEM(w->constants, i));
    for (size_t i = 0; i < self->guards; i++)
        self->answers[i] = PyTuple_GET_ITEM(w->answers, (Py_ssize_t)i) == Py_True;
    return !PyErr_Occurred();
}

/* compiled(inputs, constants, names, op, first, atoms, absent, outputs, answers) */
static PyObject *engine_compiled(PyObject *module, PyObject *args)
{
    Written w = {0};
    Py_ssize_t inputs;
    if (!PyArg_ParseTuple(args, "nO!O!y*y*y*z*O!O!:compiled", &inputs, &PyTuple_Type, &w.constants,
                          &PyTuple_Type, &w.names, &w.op, &w.first, &w.atoms, &w.absent,
                          &PyTuple_Type, &w.outputs, &PyTuple_Type, &w.answers))
        return NULL;
    w.inputs = (size_t)inputs;
    CompiledObject *self = NULL;
    if (inputs < 0 || w.first.len != 2 * w.op.len + (Py_ssize_t)sizeof(int32_t))
        PyErr_SetString(PyExc_ValueError, "compiled: expected columns of one program");
    else
        self = (CompiledObject *)CompiledType->tp_alloc(CompiledType, 0);
    Tape tape = {0};
    if (self && !fill_compiled(self, &tape, &w))
        Py_CLEAR(self);
    close_tape(&tape);
    release_written(&w);
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
