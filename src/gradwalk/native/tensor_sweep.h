/* The reverse sweep over Tensor nodes: `walk` of reverse.py with `pull` of tensor/node.py inside. */

typedef struct {
    PyObject *node;  /* owned until its turn is over; then an address in the table, no more */
    PyObject *grad;  /* so far; NULL: no gradient has reached it */
    Py_ssize_t left; /* edges that have not reported */
    int over;
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
    if (g->count == g->room && !graph_grow(g))
        return -1;
    size_t place = place_of(g, node);
    if (g->table[place] < 0) {
        g->table[place] = g->count;
        g->entries[g->count++] = (Entry){Py_NewRef(node), NULL, 0, 0};
    }
    return g->table[place];
}

static void graph_free(Graph *g)
{
    for (Py_ssize_t i = 0; i < g->count; i++) {
        if (!g->entries[i].over)
            Py_DECREF(g->entries[i].node);
        Py_XDECREF(g->entries[i].grad);
    }
    PyMem_Free(g->entries);
    PyMem_Free(g->table);
}

/* The operands of a node as a tuple; NULL with the error set if they have been released. */
static PyObject *inputs_of(PyObject *node)
{
    PyObject *inputs = SLOT(node, node_at.inputs);
    if (inputs && PyTuple_CheckExact(inputs))
        return inputs;
    PyObject *freed = PyImport_ImportModule("gradwalk.trace");
    Py_XSETREF(freed, freed ? PyObject_CallMethod(freed, "freed", "O", node) : NULL);
    if (freed)
        PyErr_SetObject((PyObject *)Py_TYPE(freed), freed);
    Py_XDECREF(freed);
    return NULL;
}

/* Count the edges below the root: `edges` of reverse.py. */
static int count_edges(Graph *g, PyObject *root)
{
    if (number_of(g, root) < 0)
        return 0;
    for (Py_ssize_t i = 0; i < g->count; i++) {
        PyObject *inputs = inputs_of(g->entries[i].node);
        if (!inputs)
            return 0;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(inputs); k++) {
            PyObject *operand = PyTuple_GET_ITEM(inputs, k);
            Py_ssize_t number = operand == constant_node ? 0 : number_of(g, operand);
            if (number < 0)
                return 0;
            g->entries[number].left += operand != constant_node;
        }
    }
    return 1;
}

static int same_shape(PyObject *share, PyObject *parent)
{
    PyObject *shape = PyObject_GetAttr(share, name_shape);
    PyObject *dtype = shape ? PyObject_GetAttr(share, name_dtype) : NULL;
    int same = dtype ? dtype == SLOT(parent, node_at.dtype) : -1;
    if (same > 0)
        same = PyObject_RichCompareBool(shape, SLOT(parent, node_at.shape), Py_EQ);
    Py_XDECREF(shape);
    Py_XDECREF(dtype);
    return same;
}

/* rule(t, *saved, **options) */
static PyObject *call_rule(PyObject *rule, PyObject *t, PyObject *saved, PyObject *options)
{
    PyObject *args[8];
    Py_ssize_t count = PyTuple_GET_SIZE(saved) + 1;
    args[0] = t;
    for (Py_ssize_t i = 1; i < count; i++)
        args[i] = PyTuple_GET_ITEM(saved, i - 1);
    return PyObject_VectorcallDict(rule, args, (size_t)count, options);
}

/* Whether the row of a node is of the kind called `name`, an interned string. */
static int is_kind(PyObject *node, PyObject *name)
{
    PyObject *kind = PyObject_GetAttr(SLOT(node, node_at.row), name_kind);
    Py_XDECREF(kind); /* the row keeps it */
    return kind == name;
}

/* `_minds_gates` of tensor/node.py */
static int minds_gates(PyObject *node)
{
    PyObject *inputs = SLOT(node, node_at.inputs);
    return PyTuple_GET_SIZE(inputs) > 0
           && (is_kind(node, kind_pointwise) || is_kind(node, kind_linear));
}

/* One share, in the shape and precision of the operand that it goes to. */
static PyObject *share_of(PyObject *node, PyObject *rule, PyObject *t, PyObject *gated,
                          PyObject *saved, PyObject *options, PyObject *parent)
{
    PyObject *share = call_rule(rule, t, saved, options);
    if (!share || share == Py_None)
        return share;
    if (gated && share == t && minds_gates(parent)) /* passed on as it is, by add for one */
        Py_SETREF(share, Py_NewRef(gated));
    else if (gated && share != t)
        Py_SETREF(share, PyObject_CallFunctionObjArgs(python_still_gated, node, rule, parent,
                                                      share, gated, saved, NULL));
    if (!share)
        return NULL;
    int same = (PyObject *)Py_TYPE(share) == ndarray_type ? same_shape(share, parent) : 0;
    if (same == 0)
        Py_SETREF(share, PyObject_CallFunctionObjArgs(python_fitted, share, parent, NULL));
    else if (same < 0)
        Py_CLEAR(share);
    return share;
}

/* The gradient that an operand has so far, and one share more; steals the share. */
static int add_share(Entry *operand, PyObject *share)
{
    if (!operand->grad) {
        operand->grad = share;
        return 1;
    }
    PyObject *sum = PyNumber_Add(operand->grad, share);
    Py_DECREF(share);
    if (sum)
        Py_SETREF(operand->grad, sum);
    return sum != NULL;
}

/* A gate in front of a row that mixes numbers is forgotten; in front of a linear one Python
 * moves it. Sets *t to the plain array, and *gated to what C has to mind, or NULL. */
static int open_gate(PyObject *node, PyObject **t, PyObject **gated)
{
    *gated = NULL;
    if ((PyObject *)Py_TYPE(*t) != gated_type)
        return 1;
    if (is_kind(node, kind_pointwise))
        *gated = *t;
    else if (is_kind(node, kind_linear))
        return 0;
    *t = PyObject_GetAttr(*t, name_data);
    Py_XDECREF(*t); /* the gate keeps it */
    return *t != NULL;
}

/* The rules of a node if C may call them one by one, NULL for the general way in Python. */
static PyObject *plain_rules(PyObject *node, PyObject **t, PyObject **gated, PyObject *inputs,
                             PyObject *saved)
{
    if (PyTuple_GET_SIZE(saved) > 7 || !open_gate(node, t, gated)
        || (PyObject *)Py_TYPE(*t) != ndarray_type)
        return NULL;
    PyObject *rules = PyObject_CallOneArg(python_rules_of, SLOT(node, node_at.row));
    if (rules && PyTuple_CheckExact(rules) && PyTuple_GET_SIZE(rules) == PyTuple_GET_SIZE(inputs))
        return rules;
    Py_XDECREF(rules);
    return NULL;
}

/* Hand the gradient of a node on to its operands. */
static int pass_on(Graph *g, PyObject *node, PyObject *gradient, PyObject *inputs)
{
    PyObject *saved = Py_NewRef(SLOT(node, node_at.saved)), *t = gradient, *gated = NULL;
    PyObject *rules = plain_rules(node, &t, &gated, inputs, saved), *options = NULL;
    PyObject *shares = NULL;
    int ok = !PyErr_Occurred();
    if (ok && rules)
        ok = (options = PyObject_GetAttr(node, name_options)) != NULL;
    else if (ok)
        ok = (shares = PyObject_CallFunctionObjArgs(python_shares, node, gradient, saved, NULL))
             != NULL;
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(inputs); i++) {
        PyObject *parent = PyTuple_GET_ITEM(inputs, i), *share = Py_None;
        if (parent == constant_node)
            continue;
        if (shares)
            share = Py_NewRef(PyList_GET_ITEM(shares, i));
        else if (PyTuple_GET_ITEM(rules, i) != Py_None)
            share = share_of(node, PyTuple_GET_ITEM(rules, i), t, gated, saved, options, parent);
        else
            Py_INCREF(share);
        if (!share)
            ok = 0;
        else if (share == Py_None)
            Py_DECREF(share);
        else
            ok = add_share(&g->entries[g->table[place_of(g, parent)]], share);
    }
    Py_XDECREF(rules);
    Py_XDECREF(options);
    Py_XDECREF(shares);
    Py_DECREF(saved);
    return ok;
}

/* Store the gradient of an inner node, for whoever still holds its Tensor. */
static int keep_gradient(PyObject *node, PyObject *t)
{
    PyObject *dense;
    if ((PyObject *)Py_TYPE(t) == gated_type)
        dense = PyObject_GetAttr(t, name_data);
    else
        dense = Py_NewRef((PyObject *)Py_TYPE(t) == ndarray_type ? t : Py_None);
    if (dense)
        set_slot(node, node_at.grad, dense);
    return dense != NULL;
}

/* The turn of one node: pass on, report, release. */
static int take_turn(Graph *g, Py_ssize_t number, Py_ssize_t *ready, Py_ssize_t *waiting,
                     PyObject *leaves, int release)
{
    PyObject *node = g->entries[number].node, *t = g->entries[number].grad;
    PyObject *inputs = Py_NewRef(SLOT(node, node_at.inputs));
    g->entries[number].grad = NULL;
    g->entries[number].over = 1;
    int inner = PyTuple_GET_SIZE(inputs) > 0;
    int ok = !t || !inner || pass_on(g, node, t, inputs);
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(inputs); i++) {
        PyObject *operand = PyTuple_GET_ITEM(inputs, i);
        if (operand == constant_node)
            continue;
        Py_ssize_t k = g->table[place_of(g, operand)];
        if (--g->entries[k].left == 0)
            ready[(*waiting)++] = k;
    }
    if (ok && t && !inner) {
        PyObject *pair = PyTuple_Pack(2, node, t);
        ok = pair && PyList_Append(leaves, pair) == 0;
        Py_XDECREF(pair);
    }
    if (ok && t && inner)
        ok = keep_gradient(node, t);
    if (ok && release && inner) {
        set_slot(node, node_at.inputs, Py_NewRef(Py_None));
        set_slot(node, node_at.saved, Py_NewRef(Py_None));
    }
    Py_XDECREF(t);
    Py_DECREF(inputs);
    Py_DECREF(node);
    return ok;
}

/* sweep(root, seed, release): the leaves with their gradients, in the order of reverse.walk. */
static PyObject *tensor_sweep(PyObject *module, PyObject *args)
{
    PyObject *root, *seed;
    int release;
    if (!PyArg_ParseTuple(args, "O!Op:sweep", NodeType, &root, &seed, &release))
        return NULL;
    Graph g = {NULL, 0, 0, NULL, 0};
    PyObject *leaves = PyList_New(0);
    int ok = leaves && count_edges(&g, root);
    Py_ssize_t *ready = ok ? PyMem_Malloc((size_t)g.count * sizeof *ready) : NULL, waiting = 0;
    if (ok && !ready) {
        PyErr_NoMemory();
        ok = 0;
    }
    if (ok) {
        g.entries[0].grad = Py_NewRef(seed);
        ready[waiting++] = 0;
    }
    while (ok && waiting) {
        Py_ssize_t number = ready[--waiting];
        ok = take_turn(&g, number, ready, &waiting, leaves, release);
    }
    PyMem_Free(ready);
    graph_free(&g);
    if (!ok)
        Py_CLEAR(leaves);
    return leaves;
}
