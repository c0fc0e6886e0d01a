/* A graph of Values as the columns of a program; run_of in gradwalk/program/run.py is the
 * specification, and does what is unusual: rules of Python, lines, constants that have a name. */

typedef struct {
    Value *node;
    Py_ssize_t next; /* the operand that comes next */
} Stop;

typedef struct {
    Stop *path;
    size_t count, room;
    Array order; /* operands first, as ancestors() has them */
} Walk;

static int stop_at(Walk *w, Value *v)
{
    if (w->count == w->room && !larger((void **)&w->path, &w->room, sizeof *w->path))
        return 0;
    v->flags |= ENTERED;
    w->path[w->count++] = (Stop){v, 0};
    return 1;
}

/* Whether the walk knows everything of a node. */
static int is_plain_node(const Value *v)
{
    if (!is_value(v) || v->op == OP_PYTHON || v->flags & (FREED | LINED))
        return 0;
    return !(v->flags & WIDE) || v->in[0].extra->count <= MAX_LANES;
}

/* The next operand to go to; NULL: there is none. */
static Value *next_operand(Stop *stop)
{
    Py_ssize_t count;
    Operand *in = operands_of(stop->node, &count);
    while (stop->next < count) {
        const Py_ssize_t i = stop->next++;
        if (!is_number(stop->node, i) && !(in[i].node->flags & ENTERED))
            return in[i].node;
    }
    return NULL;
}

/* Note all nodes that one is computed from, and itself: 1, 0 with the error set, -1 for Python. */
static int walk_from(Walk *w, Value *root)
{
    if (root->flags & ENTERED)
        return 1;
    if (!stop_at(w, root))
        return 0;
    while (w->count) {
        Stop *stop = &w->path[w->count - 1];
        if (!is_plain_node(stop->node) || (stop->node->flags & CONSTANT && w->count > 1))
            return -1;
        Value *next = next_operand(stop);
        if (next ? !stop_at(w, next) : !push(&w->order, stop->node))
            return 0;
        w->count -= !next;
    }
    return 1;
}

/* Write a node down as an equation; its variable is noted in `pending`, as those of operands are. */
static int write_node(Columns *c, Value *v)
{
    int32_t atoms[MAX_LANES];
    Py_ssize_t count;
    Operand *in = operands_of(v, &count);
    const int place = place_of(c, ROWS[v->op]);
    if (place < 0)
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_number(v, i)) {
            atoms[i] = (int32_t)in[i].node->pending;
            continue;
        }
        PyObject *x = PyFloat_FromDouble(in[i].number);
        atoms[i] = x ? number_atom(c, x) : 0;
        Py_XDECREF(x);
        if (!atoms[i])
            return 0;
    }
    const int32_t out = append_equation(c, place, atoms, (int)count, 1, 0);
    v->pending = (uint32_t)out;
    return out >= 0;
}

static int write_nodes(Columns *c, const Array *order)
{
    for (size_t i = 0; i < order->count; i++)
        if (is_leaf(order->at[i])) {
            order->at[i]->pending = (uint32_t)c->variables;
            c->inputs = ++c->variables;
        }
    for (size_t i = 0; i < order->count; i++)
        if (!is_leaf(order->at[i]) && !write_node(c, order->at[i]))
            return 0;
    return 1;
}

/* Note variable, number and name of a node. */
static int note_node(Value *v, long variable, PyObject *where, PyObject *env, PyObject *names)
{
    PyObject *atom = PyLong_FromLong(variable), *number = PyFloat_FromDouble(v->data);
    const Extra *extra = v->flags & WIDE ? v->in[0].extra : NULL;
    int ok = atom && number && PyDict_SetItem(where, (PyObject *)v, atom) == 0;
    if (ok && extra && extra->label && PyUnicode_GetLength(extra->label))
        ok = PyDict_SetItem(names, atom, extra->label) == 0;
    Py_XDECREF(atom);
    if (!ok) {
        Py_XDECREF(number);
        return 0;
    }
    PyList_SET_ITEM(env, variable, number);
    return 1;
}

static PyObject *noted_nodes(const Columns *c, const Array *order)
{
    PyObject *where = PyDict_New(), *names = PyDict_New(), *env = PyList_New(c->variables);
    long input = 0, result = c->inputs;
    int ok = where && names && env;
    for (size_t i = 0; ok && i < order->count; i++)
        ok = note_node(order->at[i], is_leaf(order->at[i]) ? input++ : result++, where, env, names);
    if (ok)
        return Py_BuildValue("(NNN)", where, env, names);
    Py_XDECREF(where);
    Py_XDECREF(names);
    Py_XDECREF(env);
    return NULL;
}

/* write_graph(columns, (root, ...)): the variable of each node, the number of each variable, and
 * names; None, and nothing is written, if Python has to walk. */
static PyObject *engine_write_graph(PyObject *module, PyObject *args)
{
    Columns *c;
    PyObject *roots;
    if (!PyArg_ParseTuple(args, "OO!:write_graph", &c, &PyTuple_Type, &roots))
        return NULL;
    if (!ColumnsType || !PyObject_TypeCheck((PyObject *)c, ColumnsType))
        return PyErr_Format(PyExc_TypeError, "write_graph: expected a Builder, got %R", c);
    if (c->variables || sweeping)
        Py_RETURN_NONE;
    Walk w = {0};
    int ok = 1;
    for (Py_ssize_t i = 0; ok > 0 && i < PyTuple_GET_SIZE(roots); i++) {
        PyObject *root = PyTuple_GET_ITEM(roots, i);
        ok = is_value(root) ? walk_from(&w, (Value *)root) : -1;
    }
    while (w.count) /* of a walk that has ended early */
        w.path[--w.count].node->flags &= (uint16_t)~ENTERED;
    if (ok > 0)
        ok = write_nodes(c, &w.order);
    for (size_t i = 0; i < w.order.count; i++) {
        w.order.at[i]->flags &= (uint16_t)~ENTERED;
        w.order.at[i]->pending = 0;
    }
    PyObject *found = ok > 0 ? noted_nodes(c, &w.order) : ok < 0 ? Py_NewRef(Py_None) : NULL;
    PyMem_RawFree(w.path);
    PyMem_RawFree(w.order.at);
    return found;
}
