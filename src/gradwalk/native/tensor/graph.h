/* The graph of a sweep over Tensors: which nodes there are, and whom each of them waits for. */

typedef struct {
    PyObject *node;   /* owned, until the whole pass is over */
    PyObject *grad;   /* so far; NULL: no gradient has reached it */
    PyObject *stored; /* what `grad` of the node will be, if the pass succeeds; NULL: as before */
    Py_ssize_t left;  /* edges that have not reported */
    Py_ssize_t known; /* references from the graph itself */
    int over, inner;
} Entry;

typedef struct {
    Entry *entries;
    Py_ssize_t count, room;
    Py_ssize_t *table; /* open addressing by the node's address; -1: empty */
    size_t mask;
} Graph;

static size_t place_of(const Graph *g, PyObject *node)
{
    size_t place = ((uintptr_t)node >> 4) * 0x9E3779B97F4A7C15u >> 20 & g->mask;
    while (g->table[place] >= 0 && g->entries[g->table[place]].node != node)
        place = (place + 1) & g->mask;
    return place;
}

static int graph_grow(Graph *g)
{
    size_t size = g->mask ? 2 * (g->mask + 1) : 64;
    Entry *entries = PyMem_Realloc(g->entries, size / 2 * sizeof *entries);
    if (entries)
        g->entries = entries;
    Py_ssize_t *table = entries ? PyMem_Realloc(g->table, size * sizeof *table) : NULL;
    if (!table) {
        PyErr_NoMemory();
        return 0;
    }
    g->table = table;
    g->room = (Py_ssize_t)(size / 2);
    g->mask = size - 1;
    memset(table, -1, size * sizeof *table);
    for (Py_ssize_t i = 0; i < g->count; i++)
        table[place_of(g, g->entries[i].node)] = i;
    return 1;
}

/* The number of a node, given one if it is new: -1 with the error set. */
static Py_ssize_t number_of(Graph *g, PyObject *node)
{
    if (!PyObject_TypeCheck(node, NodeType)) {
        PyErr_Format(PyExc_TypeError, "a graph of Tensors holds a %s", Py_TYPE(node)->tp_name);
        return -1;
    }
    if (g->count == g->room && !graph_grow(g))
        return -1;
    size_t place = place_of(g, node);
    if (g->table[place] < 0) {
        g->table[place] = g->count;
        g->entries[g->count++] = (Entry){.node = Py_NewRef(node), .known = 1};
    }
    return g->table[place];
}

/* The entry of an operand whose turn is still to come; only a graph that Python code has changed
 * leads to another. */
static Entry *entry_of(Graph *g, PyObject *node)
{
    Py_ssize_t number = g->table[place_of(g, node)];
    if (number >= 0 && !g->entries[number].over)
        return &g->entries[number];
    PyErr_SetString(PyExc_RuntimeError, "backward: the graph was changed during the backward pass");
    return NULL;
}

static void graph_free(Graph *g)
{
    for (Py_ssize_t i = 0; i < g->count; i++) {
        Py_DECREF(g->entries[i].node);
        Py_XDECREF(g->entries[i].grad);
        Py_XDECREF(g->entries[i].stored);
    }
    PyMem_Free(g->entries);
    PyMem_Free(g->table);
}

/* Whether the slots that a sweep looks into are filled. */
static int is_initialized(PyObject *node)
{
    Py_ssize_t slots[] = {node_at.inputs, node_at.primitive, node_at.saved, node_at.shape,
                          node_at.dtype};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (!SLOT(node, slots[i])) {
            PyErr_SetString(PyExc_AttributeError, "a node of the graph is not initialized");
            return 0;
        }
    return 1;
}

/* The operands of a node as a tuple, a new reference; NULL with the error set if it was released,
 * perhaps by a rule that itself walks backward. */
static PyObject *inputs_of(PyObject *node)
{
    if (!is_initialized(node))
        return NULL;
    PyObject *inputs = SLOT(node, node_at.inputs);
    if (PyTuple_CheckExact(inputs))
        return Py_NewRef(inputs);
    PyObject *freed = PyObject_CallOneArg(freed_error, node);
    if (freed)
        PyErr_SetObject((PyObject *)Py_TYPE(freed), freed);
    Py_XDECREF(freed);
    return NULL;
}

/* Count the references of a tuple to nodes of the graph. */
static void count_references(Graph *g, PyObject *tuple)
{
    for (Py_ssize_t i = 0; PyTuple_CheckExact(tuple) && i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        Py_ssize_t number = Py_IS_TYPE(item, NodeType) ? g->table[place_of(g, item)] : -1;
        if (number >= 0)
            g->entries[number].known++;
    }
}

/* Whether the program can reach a node when the graph has been freed, for a Tensor has it. */
static int is_held(const Entry *entry)
{
    return Py_REFCNT(entry->node) > entry->known;
}

/* Count the edges below `count` roots: `edges` of reverse.py. */
static int count_edges(Graph *g, PyObject *const *roots, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (number_of(g, roots[i]) < 0)
            return 0;
    for (Py_ssize_t i = 0; i < g->count; i++) {
        PyObject *inputs = inputs_of(g->entries[i].node);
        if (!inputs)
            return 0;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(inputs); k++) {
            PyObject *operand = PyTuple_GET_ITEM(inputs, k);
            Py_ssize_t number = operand == constant_node ? 0 : number_of(g, operand);
            if (number < 0) {
                Py_DECREF(inputs);
                return 0;
            }
            g->entries[number].left += operand != constant_node;
        }
        g->entries[i].inner = PyTuple_GET_SIZE(inputs) > 0;
        Py_DECREF(inputs);
    }
    return 1;
}

/* leaves(root): the leaves of its graph, level by level. */
static PyObject *tensor_leaves(PyObject *module, PyObject *root)
{
    if (!NodeType)
        return PyErr_Format(PyExc_RuntimeError, "leaves: not connected yet");
    Graph g = {NULL, 0, 0, NULL, 0};
    PyObject *leaves = PyList_New(0);
    int ok = leaves && count_edges(&g, &root, 1);
    for (Py_ssize_t i = 0; ok && i < g.count; i++) {
        PyObject *node = g.entries[i].node;
        if (SLOT(node, node_at.primitive) == Py_None)
            ok = PyList_Append(leaves, node) == 0;
    }
    graph_free(&g);
    if (!ok)
        Py_CLEAR(leaves);
    return leaves;
}
