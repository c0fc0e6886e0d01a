/* The program of a graph of Values: recorded and rolled once, run as often as one likes. */

typedef struct {
    PyObject_HEAD
    Value **leaves, **watched; /* watched: inner nodes whose numbers are written; first the root */
    size_t leaf_count, watched_count;
    int32_t *watched_cells, *gradient_cells; /* of each leaf; -1: the root does not depend on it */
    Rolled rolled;
} ProgramObject;

static PyTypeObject *ProgramType;

static void program_dealloc(ProgramObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (size_t i = 0; i < self->leaf_count; i++)
        Py_DECREF(self->leaves[i]);
    for (size_t i = 0; i < self->watched_count; i++)
        Py_DECREF(self->watched[i]);
    PyMem_RawFree(self->leaves);
    PyMem_RawFree(self->watched);
    PyMem_RawFree(self->watched_cells);
    PyMem_RawFree(self->gradient_cells);
    close_rolled(&self->rolled);
    type->tp_free(self);
    Py_DECREF(type);
}

/* The entries that a run writes back: of watched nodes, then the gradients that there are. */
static int32_t *results_of(const ProgramObject *self, const Recorder *r, size_t *count)
{
    int32_t *results = numbers_for(r->s.leaves.count + self->watched_count, sizeof *results);
    if (!results)
        return NULL;
    for (size_t i = 0; i < self->watched_count; i++)
        results[(*count)++] = self->watched_cells[i];
    for (size_t i = 0; i < r->s.leaves.count; i++)
        if (r->gradients[i] >= 0)
            results[(*count)++] = r->gradients[i];
    return results;
}

static int roll_graph(ProgramObject *self, const Recorder *r)
{
    size_t count = 0;
    int32_t *results = results_of(self, r, &count);
    int ok = results && roll(&self->rolled, &r->tape, r->s.leaves.count, results, count);
    PyMem_RawFree(results);
    return ok;
}

/* Keep the nodes that are watched; their cells are entries until the graph is rolled. */
static int watch(ProgramObject *self, PyObject *nodes)
{
    const size_t count = (size_t)PyTuple_GET_SIZE(nodes);
    self->watched = numbers_for(count, sizeof *self->watched);
    self->watched_cells = numbers_for(count, sizeof *self->watched_cells);
    if (!self->watched || !self->watched_cells)
        return 0;
    for (size_t i = 0; i < count; i++) {
        PyObject *node = PyTuple_GET_ITEM(nodes, (Py_ssize_t)i);
        if (!is_value(node))
            return not_a_value(node, "replay") != NULL;
        self->watched[self->watched_count++] = (Value *)Py_NewRef(node);
    }
    return 1;
}

static int fill_program(ProgramObject *self, Recorder *r)
{
    size_t count = r->s.leaves.count;
    self->leaves = numbers_for(count, sizeof *self->leaves);
    self->gradient_cells = numbers_for(count, sizeof *self->gradient_cells);
    memcpy(self->watched_cells, r->watched_entries, self->watched_count * sizeof(int32_t));
    if (!self->leaves || !self->gradient_cells || !roll_graph(self, r))
        return 0;
    for (; self->leaf_count < count; self->leaf_count++) {
        int32_t entry = r->gradients[self->leaf_count];
        self->leaves[self->leaf_count] = (Value *)Py_NewRef(r->s.leaves.at[self->leaf_count]);
        self->gradient_cells[self->leaf_count] = entry < 0 ? -1 : self->rolled.cell_of[entry];
    }
    for (size_t i = 0; i < self->watched_count; i++)
        self->watched_cells[i] = self->rolled.cell_of[self->watched_cells[i]];
    memcpy(self->rolled.cells + count, r->constants, r->constant_count * sizeof(double));
    PyMem_RawFree(self->rolled.cell_of);
    self->rolled.cell_of = NULL;
    return 1;
}

/* replay(seed, (root, ...)): the program of the graph of root, which writes the numbers of the
 * other nodes too; None if it has rules of the user. */
static PyObject *engine_replay(PyObject *module, PyObject *args)
{
    PyObject *nodes;
    double seed;
    if (!PyArg_ParseTuple(args, "dO!:replay", &seed, &PyTuple_Type, &nodes))
        return NULL;
    if (!PyTuple_GET_SIZE(nodes))
        return PyErr_Format(PyExc_ValueError, "replay: expected a tuple with the root, got ()");
    ProgramObject *self = (ProgramObject *)ProgramType->tp_alloc(ProgramType, 0);
    if (!self)
        return NULL;
    Recorder r = {0};
    int ok = watch(self, nodes) && record_graph(&r, self->watched, self->watched_count, seed)
             && fill_program(self, &r);
    close_recorder(&r);
    if (ok)
        return (PyObject *)self;
    Py_DECREF(self);
    return r.custom ? Py_NewRef(Py_None) : NULL;
}

/* compute(): everything, and write the numbers of watched nodes. Only one thread at a time may run
 * a program: its cells have the gradients until they are written. */
static PyObject *program_compute(ProgramObject *self, PyObject *unused)
{
    double *cells = self->rolled.cells;
    for (size_t i = 0; i < self->leaf_count; i++)
        cells[i] = self->leaves[i]->data;
    run_program(&self->rolled, cells);
    for (size_t i = 0; i < self->watched_count; i++)
        self->watched[i]->data = cells[self->watched_cells[i]];
    Py_RETURN_NONE;
}

/* write_gradients(): those that were computed last, into the leaves. */
static PyObject *program_write_gradients(ProgramObject *self, PyObject *unused)
{
    const double *cells = self->rolled.cells;
    for (size_t i = 0; i < self->leaf_count; i++) {
        int32_t cell = self->gradient_cells[i];
        self->leaves[i]->grad = cell < 0 || is_absent(cells[cell]) ? 0.0 : 0.0 + cells[cell];
    }
    Py_RETURN_NONE;
}

/* run(): both. No interrupt comes in between. */
static PyObject *program_run(ProgramObject *self, PyObject *unused)
{
    Py_DECREF(program_compute(self, NULL));
    return program_write_gradients(self, NULL);
}

static int append_new(PyObject *list, PyObject *item)
{
    int ok = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return ok;
}

/* Append the cells of a run. */
static int append_run(PyObject *cells, int32_t start, int32_t step, int32_t lanes)
{
    int ok = 1;
    for (int32_t i = 0; ok && i < lanes; i++)
        ok = append_new(cells, PyLong_FromLong(start + i * step));
    return ok;
}

static int append_cells(PyObject *cells, const Rolled *r, const Source *s, int32_t lanes)
{
    const int32_t *table = r->pool + s->start;
    const Run *runs = (const Run *)(const void *)table;
    int ok = 1;
    if (s->runs == GATHER)
        for (int32_t i = 0; ok && i < lanes; i++)
            ok = append_run(cells, table[i], 0, 1);
    for (int32_t i = 0; ok && i < s->runs; i++)
        ok = append_run(cells, runs[i].start, runs[i].step, runs[i].lanes);
    return ok;
}

/* Append the cells of factor k of a sum whose factors are pairs. */
static int append_factor(PyObject *cells, const Rolled *r, const Group *g, int k)
{
    const Pair *pairs = (const Pair *)(const void *)(r->pool + g->x[0].start);
    const int step = k == 0 ? g->x[0].step : !g->x[0].step;
    int ok = 1;
    for (int32_t i = 0; ok && i < g->x[0].runs; i++)
        ok = append_run(cells, k ? pairs[i].second : pairs[i].first, step, pairs[i].lanes);
    return ok;
}

/* The cells of every lane of operand k: (start, step), or (cells,). */
static PyObject *source_of(const Rolled *r, const Group *g, int k)
{
    const int32_t lanes = k < g->count ? g->lanes * g->terms : g->lanes;
    const int is_factor = g->paired && k < g->count;
    if (!is_factor && g->x[k].runs == AFFINE)
        return Py_BuildValue("(ii)", g->x[k].start, g->x[k].step);
    PyObject *cells = PyList_New(0), *all = NULL;
    if (cells && (is_factor ? append_factor(cells, r, g, k)
                            : append_cells(cells, r, &g->x[k], lanes)))
        all = PyList_AsTuple(cells);
    Py_XDECREF(cells);
    return all ? Py_BuildValue("(N)", all) : NULL;
}

/* (kernel, lanes, out, sources, terms, sum, starts): of a sum, the sources have the lanes of every
 * term, and then perhaps those that it begins with. */
static PyObject *instruction_of(const Rolled *r, const Group *g)
{
    PyObject *sources = PyTuple_New(g->count + g->starts);
    for (int k = 0; sources && k < g->count + g->starts; k++) {
        PyObject *source = source_of(r, g, k);
        if (!source)
            Py_CLEAR(sources);
        else
            PyTuple_SET_ITEM(sources, k, source);
    }
    if (!sources)
        return NULL;
    const char *name = g->kernel != COPIES ? MACHINE[g->kernel].name : g->sum ? "" : "copy";
    return Py_BuildValue("(siiNisN)", name, g->lanes, g->out, sources, g->terms,
                         g->sum ? MACHINE[g->sum].name : "", PyBool_FromLong(g->starts));
}

static PyObject *single_of(const Rolled *r, const Single *s)
{
    const int count = MACHINE[s->kernel].count;
    Group group = {.lanes = 1, .out = s->out, .terms = 1, .kernel = s->kernel};
    group.count = (uint8_t)count;
    for (int k = 0; k < count; k++)
        group.x[k] = (Source){count > 2 ? r->pool[s->x[0] + k] : s->x[k], 0, AFFINE};
    return instruction_of(r, &group);
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
            ok = append_new(list, instruction_of(r, g));
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

static PyObject *program_sizeof(ProgramObject *self, PyObject *unused)
{
    const size_t leaves = self->leaf_count * (sizeof *self->leaves + sizeof *self->gradient_cells);
    return PyLong_FromSize_t(sizeof *self + leaves + bytes_of(&self->rolled));
}

static PyMethodDef program_methods[] = {
    {"__sizeof__", (PyCFunction)program_sizeof, METH_NOARGS, "The bytes of the program."},
    {"run", (PyCFunction)program_run, METH_NOARGS, "run()"},
    {"compute", (PyCFunction)program_compute, METH_NOARGS, "compute()"},
    {"write_gradients", (PyCFunction)program_write_gradients, METH_NOARGS, "write_gradients()"},
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
