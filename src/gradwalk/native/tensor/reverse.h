/* The reverse pass over nodes of Tensors: `reverse_steps` of engine/reverse.py, with `vjp` of
 * tensor/graph/node.py inside. */

static int same_shape(PyObject *contribution, PyObject *parent)
{
    PyObject *shape = PyObject_GetAttr(contribution, name_shape);
    PyObject *dtype = shape ? PyObject_GetAttr(contribution, name_dtype) : NULL;
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

/* Whether the primitive of a node is of the kind called `name`: -1 with the error set. */
static int is_kind(PyObject *node, PyObject *name)
{
    PyObject *primitive = from_slot(node, node_at.primitive),
             *kind = primitive ? PyObject_GetAttr(primitive, name_kind) : NULL;
    int is = kind ? PyObject_RichCompareBool(kind, name, Py_EQ) : -1; /* one object, mostly */
    Py_XDECREF(kind);
    Py_XDECREF(primitive);
    return is;
}

/* `_minds_masks` of tensor/graph/node.py: -1 with the error set */
static int minds_masks(PyObject *node)
{
    PyObject *inputs = SLOT(node, node_at.inputs);
    if (!inputs || !PyTuple_CheckExact(inputs) || PyTuple_GET_SIZE(inputs) == 0)
        return 0;
    int pointwise = is_kind(node, kind_pointwise);
    return pointwise ? pointwise : is_kind(node, kind_linear);
}

/* Whether a contribution is a part of an array, `Gated.at` of arrays.py: -1 with the error set. */
static int is_part(PyObject *contribution)
{
    if ((PyObject *)Py_TYPE(contribution) != masked_type)
        return 0;
    PyObject *part = PyObject_GetAttr(contribution, name_part);
    Py_XDECREF(part);
    return part ? part != Py_None : -1;
}

/* Whether a contribution needs nothing done to it: 1, 0, or -1 with the error set. One that is shut
 * in places does not, if its parent minds that; a part never does. */
static int is_fitting(PyObject *contribution, PyObject *parent)
{
    if ((PyObject *)Py_TYPE(contribution) == ndarray_type)
        return same_shape(contribution, parent);
    if ((PyObject *)Py_TYPE(contribution) != masked_type)
        return 0;
    int part = is_part(contribution);
    if (part)
        return part < 0 ? part : same_shape(contribution, parent);
    PyObject *data = PyObject_GetAttr(contribution, name_data);
    int same = !data                                       ? -1
               : (PyObject *)Py_TYPE(data) == ndarray_type ? same_shape(data, parent)
                                                           : 0;
    Py_XDECREF(data);
    return same == 1 ? minds_masks(parent) : same;
}

/* One contribution, in the shape and precision of the operand that it goes to. */
static PyObject *contribution_of(PyObject *node, PyObject *rule, PyObject *t, PyObject *masked,
                          PyObject *saved, PyObject *options, PyObject *parent)
{
    const int takes = masked && PyObject_HasAttr(rule, name_takes_masks);
    PyObject *contribution = call_rule(rule, takes ? masked : t, saved, options);
    if (!contribution || contribution == Py_None)
        return contribution;
    masked = takes ? NULL : masked; /* it is done */
    int minds = masked && contribution == t ? minds_masks(parent) : 0;
    if (minds < 0)
        Py_CLEAR(contribution);
    else if (minds) /* passed on as it is, by add for one */
        Py_SETREF(contribution, Py_NewRef(masked));
    else if (masked && contribution != t)
        Py_SETREF(contribution,
                  PyObject_CallFunctionObjArgs(python_stays_structural, node, rule, parent,
                                               contribution, masked, saved, NULL));
    if (!contribution)
        return NULL;
    int same = is_fitting(contribution, parent);
    if (same == 0)
        Py_SETREF(contribution,
                  PyObject_CallFunctionObjArgs(python_fitted, contribution, parent, NULL));
    else if (same < 0)
        Py_CLEAR(contribution);
    return contribution;
}

/* Whether an array is nobody else's, memory and all: then a sum may be formed in its place, which
 * takes two thirds of the time on 100,000 numbers. */
static int is_alone(PyObject *array)
{
    if (Py_REFCNT(array) != 1 || (PyObject *)Py_TYPE(array) != ndarray_type)
        return 0;
    PyObject *base = PyObject_GetAttr(array, name_base);
    if (!base)
        PyErr_Clear();
    Py_XDECREF(base);
    return base == Py_None;
}

/* a + b, in the place of a if nobody else knows it, or a part of b in that of a; NULL with the
 * error set. Whether it is done in place never shows in the sum. */
static PyObject *sum_of(PyObject *a, PyObject *b)
{
    int parts[2] = {is_part(a), is_part(b)};
    if (parts[0] < 0 || parts[1] < 0)
        return NULL;
    if (parts[1] && is_alone(a))
        return PyObject_CallMethodOneArg(b, name_put_on, a);
    if (parts[0] && is_alone(b))
        return PyObject_CallMethodOneArg(a, name_put_on, b);
    int here = (PyObject *)Py_TYPE(b) == ndarray_type ? is_alone(a)
        : (PyObject *)Py_TYPE(a) == masked_type && Py_REFCNT(a) == 1;
    return here ? PyNumber_InPlaceAdd(a, b) : PyNumber_Add(a, b);
}

/* The gradient that an operand has so far, and one contribution more; steals the contribution. */
static int add_contribution(Entry *operand, PyObject *contribution)
{
    if (!operand) {
        Py_DECREF(contribution);
        return 0;
    }
    if (!operand->grad) {
        operand->grad = contribution;
        return 1;
    }
    PyObject *sum = sum_of(operand->grad, contribution);
    Py_DECREF(contribution);
    if (sum)
        Py_SETREF(operand->grad, sum);
    return sum != NULL;
}

/* A mask in front of a primitive that mixes numbers is forgotten; in front of a linear one Python
 * moves it. Gives the plain array, and sets *masked to what C has to mind, or NULL; NULL, perhaps
 * with the error set, if Python does it all. */
static PyObject *open_mask(PyObject *node, PyObject *gradient, PyObject **masked)
{
    if ((PyObject *)Py_TYPE(gradient) != masked_type)
        return (PyObject *)Py_TYPE(gradient) == ndarray_type ? Py_NewRef(gradient) : NULL;
    int pointwise = is_kind(node, kind_pointwise);
    if (pointwise > 0)
        *masked = gradient;
    else if (pointwise < 0 || is_kind(node, kind_linear) != 0)
        return NULL;
    PyObject *t = PyObject_GetAttr(gradient, name_data);
    if (t && (PyObject *)Py_TYPE(t) != ndarray_type)
        Py_CLEAR(t);
    return t;
}

/* The rules of a node if C may call them one by one; NULL for the general way in Python, or with
 * the error set. */
static PyObject *plain_rules(PyObject *node, PyObject *inputs, PyObject *saved, PyObject *options)
{
    if (!PyTuple_CheckExact(saved) || PyTuple_GET_SIZE(saved) > 7 || !PyDict_CheckExact(options))
        return NULL;
    PyObject *primitive = from_slot(node, node_at.primitive);
    PyObject *rules = primitive ? PyObject_CallOneArg(python_rules_of, primitive) : NULL;
    Py_XDECREF(primitive);
    if (rules && PyTuple_CheckExact(rules) && PyTuple_GET_SIZE(rules) == PyTuple_GET_SIZE(inputs))
        return rules;
    Py_XDECREF(rules);
    return NULL;
}

/* The contributions of all operands by the general way: a list as long as the inputs. */
static PyObject *contributions_in_python(PyObject *node, PyObject *gradient, PyObject *saved,
                                  PyObject *inputs)
{
    PyObject *contributions =
        PyObject_CallFunctionObjArgs(python_contributions, node, gradient, saved, NULL);
    if (!contributions
        || (PyList_CheckExact(contributions)
            && PyList_GET_SIZE(contributions) == PyTuple_GET_SIZE(inputs)))
        return contributions;
    Py_DECREF(contributions);
    PyErr_SetString(PyExc_RuntimeError, "backward: the graph was changed during the backward pass");
    return NULL;
}

/* From how many numbers on those that a rule has read are freed before the pass has succeeded. */
enum { MANY = 1 << 20 };

static Py_ssize_t size_of(PyObject *array)
{
    PyObject *size = PyObject_GetAttr(array, name_size);
    Py_ssize_t count = size ? PyLong_AsSsize_t(size) : 0;
    Py_XDECREF(size);
    PyErr_Clear();
    return count;
}

/* Hand the gradient of a node on to its operands; *huge becomes whether it is. */
static int pass_on(Graph *g, PyObject *node, PyObject *gradient, PyObject *inputs, int *huge)
{
    PyObject *saved = from_slot(node, node_at.saved), *masked = NULL, *contributions = NULL;
    PyObject *options = saved ? PyObject_GetAttr(node, name_options) : NULL;
    PyObject *t = options ? open_mask(node, gradient, &masked) : NULL;
    PyObject *rules = t ? plain_rules(node, inputs, saved, options) : NULL;
    int ok = !PyErr_Occurred();
    *huge = rules && size_of(t) >= MANY;
    if (ok && !rules)
        ok = (contributions = contributions_in_python(node, gradient, saved, inputs)) != NULL;
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(inputs); i++) {
        PyObject *parent = PyTuple_GET_ITEM(inputs, i), *contribution = Py_None;
        if (parent == constant_node)
            continue;
        if (contributions)
            contribution = Py_NewRef(PyList_GET_ITEM(contributions, i));
        else if (PyTuple_GET_ITEM(rules, i) != Py_None)
            contribution = contribution_of(node, PyTuple_GET_ITEM(rules, i), t, masked, saved,
                                           options, parent);
        else
            Py_INCREF(contribution);
        if (!contribution)
            ok = 0;
        else if (contribution == Py_None)
            Py_DECREF(contribution);
        else
            ok = add_contribution(entry_of(g, parent), contribution);
    }
    Py_XDECREF(t);
    Py_XDECREF(rules);
    Py_XDECREF(options);
    Py_XDECREF(contributions);
    Py_XDECREF(saved);
    return ok;
}

/* The operands of a node have one consumer less to wait for. */
static int report(Graph *g, PyObject *inputs, Py_ssize_t *ready, Py_ssize_t *waiting)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); i++) {
        PyObject *operand = PyTuple_GET_ITEM(inputs, i);
        Entry *entry = operand == constant_node ? NULL : entry_of(g, operand);
        if (operand != constant_node && !entry)
            return 0;
        if (entry && --entry->left == 0)
            ready[(*waiting)++] = entry - g->entries;
    }
    return 1;
}

/* The array of a gradient without its mask. */
static PyObject *dense(PyObject *t)
{
    return (PyObject *)Py_TYPE(t) == masked_type ? PyObject_GetAttr(t, name_data) : Py_NewRef(t);
}

/* The gradient of a leaf goes to the list. A leaf to which all masks were shut goes there with
 * None. */
static int list_leaf(PyObject *node, PyObject *t, PyObject *leaves)
{
    PyObject *data = t ? dense(t) : Py_NewRef(Py_None);
    PyObject *pair = data ? PyTuple_Pack(2, node, data) : NULL;
    int ok = pair && PyList_Append(leaves, pair) == 0;
    Py_XDECREF(data);
    Py_XDECREF(pair);
    return ok;
}

/* The gradient of an inner node, for whoever holds its Tensor. */
static int store_gradient(Entry *entry, PyObject *t)
{
    PyObject *data = dense(t);
    if (data && PyDict_Check(data)) /* Parts, of several results */
        entry->stored = Py_NewRef(Py_None);
    else if (data) /* a sum of arrays without axes is a number */
        entry->stored = (PyObject *)Py_TYPE(data) == ndarray_type
                            ? Py_NewRef(data)
                            : PyObject_CallOneArg(asarray, data);
    Py_XDECREF(data);
    return entry->stored != NULL;
}

/* What a node forgets: of a graph that belongs to a transform, its numbers, when it has had its
 * turn; of a user's graph, all, when the whole pass has succeeded, but huge numbers at once. */
enum { RELEASE_NOTHING, RELEASE_ALL, RELEASE_NUMBERS };

typedef struct {
    int release, store; /* store: inner nodes get their gradients, too */
} Options;

/* The turn of one node: pass on, report. */
static int take_turn(Graph *g, Py_ssize_t number, Py_ssize_t *ready, Py_ssize_t *waiting,
                     PyObject *leaves, Options options)
{
    Entry *entry = &g->entries[number];
    PyObject *node = entry->node, *t = entry->grad;
    PyObject *inputs = inputs_of(node);
    entry->grad = NULL;
    entry->over = 1;
    int ok = inputs != NULL, huge = 0;
    if (ok && t && entry->inner)
        ok = pass_on(g, node, t, inputs, &huge);
    ok = ok && report(g, inputs, ready, waiting);
    if (ok && !entry->inner)
        ok = list_leaf(node, t, leaves);
    else if (ok && t && options.store && (options.release != RELEASE_ALL || is_held(entry)))
        ok = store_gradient(entry, t);
    if (ok && entry->inner && (options.release == RELEASE_NUMBERS || (options.release && huge)))
        set_slot(node, node_at.saved, Py_NewRef(Py_None));
    Py_XDECREF(t);
    Py_XDECREF(inputs);
    return ok;
}

/* The seeds arrive: each root waits for one edge more, as if one node had them all as operands. */
static int seed_roots(Graph *g, PyObject *const *roots, PyObject *const *seeds, Py_ssize_t count,
                      Py_ssize_t *ready, Py_ssize_t *waiting)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        Entry *entry = entry_of(g, roots[i]);
        if (!entry)
            return 0;
        entry->left++;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Entry *entry = entry_of(g, roots[i]);
        if (!entry || !add_contribution(entry, Py_NewRef(seeds[i])))
            return 0;
        if (--entry->left == 0)
            ready[(*waiting)++] = entry - g->entries;
    }
    return 1;
}

/* All turns: 1 if they went well. */
static int take_turns(Graph *g, PyObject *const *roots, PyObject *const *seeds, Py_ssize_t count,
                      PyObject *leaves, Options options)
{
    Py_ssize_t waiting = 0, *ready = PyMem_Malloc((size_t)(g->count + 1) * sizeof *ready);
    if (!ready)
        return PyErr_NoMemory() != NULL;
    int ok = seed_roots(g, roots, seeds, count, ready, &waiting);
    while (ok && waiting) {
        Py_ssize_t number = ready[--waiting];
        ok = take_turn(g, number, ready, &waiting, leaves, options);
    }
    PyMem_Free(ready);
    return ok;
}

/* Give leaves and nodes their gradients, and free the graph: nothing here can fail, and no signal
 * comes between. The nodes die with their entries, one by one, however long a chain is. */
static void commit(Graph *g, PyObject *leaves, PyObject *totals, int release)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(leaves); i++) {
        PyObject *total = PyList_GET_ITEM(totals, i);
        if (total != Py_None)
            set_slot(PyTuple_GET_ITEM(PyList_GET_ITEM(leaves, i), 0), node_at.grad,
                     Py_NewRef(total));
    }
    for (Py_ssize_t i = 0; i < g->count; i++) {
        Entry *entry = &g->entries[i];
        if (entry->stored)
            set_slot(entry->node, node_at.grad, Py_NewRef(entry->stored));
        if (release == RELEASE_ALL && entry->inner) {
            set_slot(entry->node, node_at.inputs, Py_NewRef(Py_None));
            set_slot(entry->node, node_at.saved, Py_NewRef(Py_None));
        }
    }
}

/* finish(leaves) gives the gradients that leaves get, and the node of Values to walk on from, or
 * None: their pass comes first, because it can fail. */
static int finish_with(PyObject *finish, Graph *g, PyObject *leaves, int release)
{
    PyObject *totals, *values, *both = PyObject_CallOneArg(finish, leaves);
    int ok = both && PyArg_ParseTuple(both, "O!O", &PyList_Type, &totals, &values);
    if (ok && PyList_GET_SIZE(totals) != PyList_GET_SIZE(leaves)) {
        PyErr_SetString(PyExc_ValueError, "sweep: expected as many gradients as leaves");
        ok = 0;
    }
    if (ok && values != Py_None) {
        PyObject *done = PyObject_CallMethod(values, "_run_backward", "dO", 1.0, Py_True);
        ok = done != NULL;
        Py_XDECREF(done);
    }
    if (ok)
        commit(g, leaves, totals, release);
    Py_XDECREF(both);
    return ok;
}

/* sweep(root, seed, release, finish=None): the leaves with their gradients, in the order of
 * reverse.reverse_steps; see tensor/graph/backward.py. Several roots, with as many seeds, come as
 * tuples. */
static PyObject *tensor_sweep(PyObject *module, PyObject *args)
{
    PyObject *root, *seed, *finish = Py_None;
    Options options = {0};
    if (!NodeType)
        return PyErr_Format(PyExc_RuntimeError, "sweep: not connected yet");
    if (!PyArg_ParseTuple(args, "OOi|O:sweep", &root, &seed, &options.release, &finish))
        return NULL;
    int several = PyTuple_CheckExact(root);
    Py_ssize_t count = several ? PyTuple_GET_SIZE(root) : 1;
    if (several && (!PyTuple_CheckExact(seed) || PyTuple_GET_SIZE(seed) != count))
        return PyErr_Format(PyExc_ValueError, "sweep: %zd roots need as many seeds", count);
    PyObject *const *roots = several ? ((PyTupleObject *)root)->ob_item : &root;
    PyObject *const *seeds = several ? ((PyTupleObject *)seed)->ob_item : &seed;
    Graph g = {NULL, 0, 0, NULL, 0};
    options.store = finish != Py_None;
    PyObject *leaves = PyList_New(0);
    int ok = leaves && count_edges(&g, roots, count);
    for (Py_ssize_t i = 0; ok && options.store && i < g.count; i++) {
        count_references(&g, SLOT(g.entries[i].node, node_at.inputs));
        count_references(&g, SLOT(g.entries[i].node, node_at.saved));
    }
    ok = ok && take_turns(&g, roots, seeds, count, leaves, options);
    if (ok && options.store)
        ok = finish_with(finish, &g, leaves, options.release);
    graph_free(&g);
    if (!ok)
        Py_CLEAR(leaves);
    return leaves;
}
