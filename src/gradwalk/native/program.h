/* The program of a graph of Values: recorded and rolled once, run as often as one likes. */

typedef struct {
    PyObject_HEAD
    Value *root, **leaves;
    size_t leaf_count;
    int32_t root_cell, *gradient_cells; /* of each leaf; -1: the root does not depend on it */
    Rolled rolled;
} ProgramObject;

static PyTypeObject *ProgramType;

static void program_dealloc(ProgramObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (size_t i = 0; i < self->leaf_count; i++)
        Py_DECREF(self->leaves[i]);
    Py_XDECREF(self->root);
    PyMem_RawFree(self->leaves);
    PyMem_RawFree(self->gradient_cells);
    close_rolled(&self->rolled);
    type->tp_free(self);
    Py_DECREF(type);
}

static int fill_program(ProgramObject *self, Recorder *r)
{
    size_t count = r->s.leaves.count;
    self->leaves = numbers_for(count, sizeof *self->leaves);
    self->gradient_cells = numbers_for(count, sizeof *self->gradient_cells);
    if (!self->leaves || !self->gradient_cells || !roll(&self->rolled, &r->tape, count))
        return 0;
    for (; self->leaf_count < count; self->leaf_count++) {
        int32_t entry = r->gradients[self->leaf_count];
        self->leaves[self->leaf_count] = (Value *)Py_NewRef(r->s.leaves.at[self->leaf_count]);
        self->gradient_cells[self->leaf_count] = entry < 0 ? -1 : self->rolled.cell_of[entry];
    }
    memcpy(self->rolled.cells + count, r->constants, r->constant_count * sizeof(double));
    self->root_cell = self->rolled.cell_of[r->root_entry];
    PyMem_RawFree(self->rolled.cell_of);
    self->rolled.cell_of = NULL;
    return 1;
}

/* replay(root, seed): the program of the graph of root; None if it has rules of the user. */
static PyObject *engine_replay(PyObject *module, PyObject *args)
{
    PyObject *root;
    double seed;
    if (!PyArg_ParseTuple(args, "Od:replay", &root, &seed))
        return NULL;
    if (!is_value(root))
        return not_a_value(root, "replay");
    ProgramObject *self = (ProgramObject *)ProgramType->tp_alloc(ProgramType, 0);
    if (!self)
        return NULL;
    Recorder r = {0};
    int ok = record_graph(&r, (Value *)root, seed) && fill_program(self, &r);
    self->root = ok ? (Value *)Py_NewRef(root) : NULL;
    close_recorder(&r);
    if (ok)
        return (PyObject *)self;
    Py_DECREF(self);
    return r.custom ? Py_NewRef(Py_None) : NULL;
}

/* run(): nothing is written before everything is computed. */
static PyObject *program_run(ProgramObject *self, PyObject *unused)
{
    double *cells = self->rolled.cells;
    for (size_t i = 0; i < self->leaf_count; i++)
        cells[i] = self->leaves[i]->data;
    run_program(&self->rolled);
    self->root->data = cells[self->root_cell];
    for (size_t i = 0; i < self->leaf_count; i++) {
        int32_t cell = self->gradient_cells[i];
        self->leaves[i]->grad = cell < 0 || is_absent(cells[cell]) ? 0.0 : 0.0 + cells[cell];
    }
    Py_RETURN_NONE;
}

static PyObject *source_of(const Source *s, int32_t lanes)
{
    if (!s->gather)
        return Py_BuildValue("(ii)", s->start, s->step);
    PyObject *cells = PyTuple_New(lanes);
    for (int32_t i = 0; cells && i < lanes; i++)
        PyTuple_SET_ITEM(cells, i, PyLong_FromLong(s->gather[i]));
    return cells ? Py_BuildValue("(N)", cells) : NULL;
}

/* (kernel, lanes, out, sources); a source is (start, step) or (cells,). */
static PyObject *instruction_of(uint16_t kernel, int32_t lanes, int32_t out, const Source *x)
{
    PyObject *sources = PyTuple_New(MACHINE[kernel].count);
    for (int k = 0; sources && k < MACHINE[kernel].count; k++) {
        PyObject *source = source_of(&x[k], lanes);
        if (!source)
            Py_CLEAR(sources);
        else
            PyTuple_SET_ITEM(sources, k, source);
    }
    return sources ? Py_BuildValue("(siiN)", MACHINE[kernel].name, lanes, out, sources) : NULL;
}

static PyObject *single_of(const Rolled *r, const Single *s)
{
    Source x[MAX_LANES] = {{0}};
    const int count = MACHINE[s->kernel].count;
    for (int k = 0; k < count; k++)
        x[k].start = count > 2 ? r->gathers[s->x[0] + k] : s->x[k];
    return instruction_of(s->kernel, 1, s->out, x);
}

static int append_new(PyObject *list, PyObject *item)
{
    int ok = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return ok;
}

/* The instructions in their order. */
static PyObject *instructions_of(const Rolled *r)
{
    PyObject *list = PyList_New(0);
    const Group *g = r->groups;
    const Single *s = r->singles;
    int ok = list != NULL;
    for (size_t i = 0; ok && i < r->segment_count; i++) {
        for (int32_t k = 0; ok && k < r->segments[i].group_count; k++, g++)
            ok = append_new(list, instruction_of(g->kernel, g->lanes, g->out, g->x));
        for (int32_t k = 0; ok && k < r->segments[i].single_count; k++)
            ok = append_new(list, single_of(r, s++));
    }
    if (!ok)
        Py_CLEAR(list);
    return list;
}

static PyObject *program_instructions(ProgramObject *self, PyObject *unused)
{
    return instructions_of(&self->rolled);
}

static PyMethodDef program_methods[] = {
    {"run", (PyCFunction)program_run, METH_NOARGS, "run()"},
    {"instructions", (PyCFunction)program_instructions, METH_NOARGS, "instructions()"},
    {NULL},
};

static PyType_Slot program_slots[] = {
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_methods, program_methods},
    {0, NULL},
};

static PyType_Spec program_spec = {
    .name = "gradwalk.native._engine.Program",
    .basicsize = sizeof(ProgramObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = program_slots,
};
