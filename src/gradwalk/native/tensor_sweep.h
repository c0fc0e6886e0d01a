/* The reverse pass over Tensor nodes: `walk` of reverse.py with `pull` of tensor/graph/node.py inside. */

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

/* Whether the row of a node is of the kind called `name`: -1 with the error set. */
static int is_kind(PyObject *node, PyObject *name)
{
    PyObject *row = from_slot(node, node_at.row), *kind = row ? PyObject_GetAttr(row, name_kind) : NULL;
    int is = kind ? PyObject_RichCompareBool(kind, name, Py_EQ) : -1; /* one object, mostly */
    Py_XDECREF(kind);
    Py_XDECREF(row);
    return is;
}

/* `_minds_gates` of tensor/graph/node.py: -1 with the error set */
static int minds_gates(PyObject *node)
{
    PyObject *inputs = SLOT(node, node_at.inputs);
    if (!inputs || !PyTuple_CheckExact(inputs) || PyTuple_GET_SIZE(inputs) == 0)
        return 0;
    int pointwise = is_kind(node, kind_pointwise);
    return pointwise ? pointwise : is_kind(node, kind_linear);
}

/* Whether a contribution is a part of an array, `Gated.at` of arrays.py: -1 with the error set. */
static int is_part(PyObject *share)
{
    if ((PyObject *)Py_TYPE(share) != gated_type)
        return 0;
    PyObject *part = PyObject_GetAttr(share, name_part);
    Py_XDECREF(part);
    return part ? part != Py_None : -1;
}

/* Whether a share needs nothing done to it: 1, 0, or -1 with the error set. One that is shut in
 * places does not, if its parent minds that; a part never does. */
static int is_fitting(PyObject *share, PyObject *parent)
{
    if ((PyObject *)Py_TYPE(share) == ndarray_type)
        return same_shape(share, parent);
    if ((PyObject *)Py_TYPE(share) != gated_type)
        return 0;
    int part = is_part(share);
    if (part)
        return part < 0 ? part : same_shape(share, parent);
    PyObject *data = PyObject_GetAttr(share, name_data);
    int same = !data ? -1 : (PyObject *)Py_TYPE(data) == ndarray_type ? same_shape(data, parent) : 0;
    Py_XDECREF(data);
    return same == 1 ? minds_gates(parent) : same;
}

/* One share, in the shape and precision of the operand that it goes to. */
static PyObject *share_of(PyObject *node, PyObject *rule, PyObject *t, PyObject *gated,
                          PyObject *saved, PyObject *options, PyObject *parent)
{
    PyObject *share = call_rule(rule, t, saved, options);
    if (!share || share == Py_None)
        return share;
    int minds = gated && share == t ? minds_gates(parent) : 0;
    if (minds < 0)
        Py_CLEAR(share);
    else if (minds) /* passed on as it is, by add for one */
        Py_SETREF(share, Py_NewRef(gated));
    else if (gated && share != t)
        Py_SETREF(share, PyObject_CallFunctionObjArgs(python_stays_structural, node, rule, parent,
                                                      share, gated, saved, NULL));
    if (!share)
        return NULL;
    int same = is_fitting(share, parent);
    if (same == 0)
        Py_SETREF(share, PyObject_CallFunctionObjArgs(python_fitted, share, parent, NULL));
    else if (same < 0)
        Py_CLEAR(share);
    return share;
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

/* a + b, in the place of a if nobody else knows it, or a part of b in that of a; NULL with the error
 * set. Whether it is done in place never shows in the sum. */
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
        : (PyObject *)Py_TYPE(a) == gated_type && Py_REFCNT(a) == 1;
    return here ? PyNumber_InPlaceAdd(a, b) : PyNumber_Add(a, b);
}

/* The gradient that an operand has so far, and one share more; steals the share. */
static int add_share(Entry *operand, PyObject *share)
{
    if (!operand) {
        Py_DECREF(share);
        return 0;
    }
    if (!operand->grad) {
        operand->grad = share;
        return 1;
    }
    PyObject *sum = sum_of(operand->grad, share);
    Py_DECREF(share);
    if (sum)
        Py_SETREF(operand->grad, sum);
    return sum != NULL;
}

/* A gate in front of a row that mixes numbers is forgotten; in front of a linear one Python
 * moves it. Gives the plain array, and sets *gated to what C has to mind, or NULL; NULL, perhaps
 * with the error set, if Python does it all. */
static PyObject *open_gate(PyObject *node, PyObject *gradient, PyObject **gated)
{
    if ((PyObject *)Py_TYPE(gradient) != gated_type)
        return (PyObject *)Py_TYPE(gradient) == ndarray_type ? Py_NewRef(gradient) : NULL;
    int pointwise = is_kind(node, kind_pointwise);
    if (pointwise > 0)
        *gated = gradient;
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
    PyObject *row = from_slot(node, node_at.row);
    PyObject *rules = row ? PyObject_CallOneArg(python_rules_of, row) : NULL;
    Py_XDECREF(row);
    if (rules && PyTuple_CheckExact(rules) && PyTuple_GET_SIZE(rules) == PyTuple_GET_SIZE(inputs))
        return rules;
    Py_XDECREF(rules);
    return NULL;
}

/* The contributions of all operands by the general way: a list as long as the inputs. */
static PyObject *shares_in_python(PyObject *node, PyObject *gradient, PyObject *saved,
                                  PyObject *inputs)
{
    PyObject *shares = PyObject_CallFunctionObjArgs(python_shares, node, gradient, saved, NULL);
    if (!shares
        || (PyList_CheckExact(shares) && PyList_GET_SIZE(shares) == PyTuple_GET_SIZE(inputs)))
        return shares;
    Py_DECREF(shares);
    PyErr_SetString(PyExc_RuntimeError, "backward: the graph was changed during the sweep");
    return NULL;
}

/* From how many numbers on a kernel that adds a share in one pass is worth a call of Python. */
enum { LARGE = 1 << 15 };

static int is_large(PyObject *array)
{
    PyObject *size = PyObject_GetAttr(array, name_size);
    Py_ssize_t count = size ? PyLong_AsSsize_t(size) : 0;
    Py_XDECREF(size);
    PyErr_Clear();
    return count >= LARGE;
}

/* `added_share` of tensor/fusion/accumulate.py: the share of one operand, computed and added in one pass. 1 if
 * it is done, 0 if it has to be done the usual way, -1 with the error set. */
static int add_in_one_pass(PyObject *node, Py_ssize_t index, PyObject *t, PyObject *gated,
                           PyObject *parent, Entry *operand)
{
    PyObject *so_far = operand && operand->grad ? operand->grad : Py_None;
    if (!operand)
        return -1;
    if (so_far != Py_None && !is_alone(so_far))
        return 0;
    PyObject *place = PyLong_FromSsize_t(index);
    PyObject *sum = place ? PyObject_CallFunctionObjArgs(python_added_share, node, place, t,
                                                         gated ? gated : Py_None, parent, so_far,
                                                         NULL) : NULL;
    Py_XDECREF(place);
    if (!sum)
        return -1;
    int done = sum != Py_NotImplemented;
    if (done)
        Py_XSETREF(operand->grad, Py_NewRef(sum));
    Py_DECREF(sum);
    return done;
}

/* Hand the gradient of a node on to its operands. */
static int pass_on(Graph *g, PyObject *node, PyObject *gradient, PyObject *inputs)
{
    PyObject *saved = from_slot(node, node_at.saved), *gated = NULL, *shares = NULL;
    PyObject *options = saved ? PyObject_GetAttr(node, name_options) : NULL;
    PyObject *t = options ? open_gate(node, gradient, &gated) : NULL;
    PyObject *rules = t ? plain_rules(node, inputs, saved, options) : NULL;
    int ok = !PyErr_Occurred(), large = rules && is_large(t);
    if (ok && !rules)
        ok = (shares = shares_in_python(node, gradient, saved, inputs)) != NULL;
    for (Py_ssize_t i = 0; ok && i < PyTuple_GET_SIZE(inputs); i++) {
        PyObject *parent = PyTuple_GET_ITEM(inputs, i), *share = Py_None;
        if (parent == constant_node)
            continue;
        int done = large ? add_in_one_pass(node, i, t, gated, parent, entry_of(g, parent)) : 0;
        ok = done >= 0;
        if (done)
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
            ok = add_share(entry_of(g, parent), share);
    }
    Py_XDECREF(t);
    Py_XDECREF(rules);
    Py_XDECREF(options);
    Py_XDECREF(shares);
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

/* The array of a gradient without its gate. */
static PyObject *dense(PyObject *t)
{
    return (PyObject *)Py_TYPE(t) == gated_type ? PyObject_GetAttr(t, name_data) : Py_NewRef(t);
}

/* The gradient of a leaf goes to the list, that of an inner node to whoever holds its Tensor.
 * A leaf to which all gates were shut goes there with None. */
static int keep_gradient(PyObject *node, PyObject *t, int inner, PyObject *leaves)
{
    if (!t && inner)
        return 1;
    PyObject *data = t ? dense(t) : Py_NewRef(Py_None), *kept = NULL;
    if (data && !inner)
        kept = PyTuple_Pack(2, node, data);
    else if (data && PyDict_Check(data)) /* Parts, of several results */
        kept = Py_NewRef(Py_None);
    else if (data) /* a sum of arrays without axes is a number */
        kept = (PyObject *)Py_TYPE(data) == ndarray_type ? Py_NewRef(data)
                                                         : PyObject_CallOneArg(asarray, data);
    Py_XDECREF(data);
    int ok = kept != NULL;
    if (ok && inner)
        set_slot(node, node_at.grad, Py_NewRef(kept));
    else if (ok)
        ok = PyList_Append(leaves, kept) == 0;
    Py_XDECREF(kept);
    return ok;
}

/* What a node forgets when it has had its turn. */
enum { RELEASE_NOTHING, RELEASE_ALL, RELEASE_NUMBERS };

/* The turn of one node: pass on, report, release. */
static int take_turn(Graph *g, Py_ssize_t number, Py_ssize_t *ready, Py_ssize_t *waiting,
                     PyObject *leaves, int release, int store)
{
    PyObject *node = g->entries[number].node, *t = g->entries[number].grad;
    PyObject *inputs = inputs_of(node);
    g->entries[number].grad = NULL;
    g->entries[number].over = 1;
    int ok = inputs != NULL, inner = ok && PyTuple_GET_SIZE(inputs) > 0;
    if (ok && t && inner)
        ok = pass_on(g, node, t, inputs);
    ok = ok && report(g, inputs, ready, waiting);
    if (ok && (store || !inner))
        ok = keep_gradient(node, t, inner, leaves);
    if (ok && release == RELEASE_ALL && inner)
        set_slot(node, node_at.inputs, Py_NewRef(Py_None));
    if (ok && release && inner)
        set_slot(node, node_at.saved, Py_NewRef(Py_None));
    Py_XDECREF(t);
    Py_XDECREF(inputs);
    Py_DECREF(node);
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
        if (!entry || !add_share(entry, Py_NewRef(seeds[i])))
            return 0;
        if (--entry->left == 0)
            ready[(*waiting)++] = entry - g->entries;
    }
    return 1;
}

static PyObject *sweep_from(PyObject *const *roots, PyObject *const *seeds, Py_ssize_t count,
                            int release, int store)
{
    Graph g = {NULL, 0, 0, NULL, 0};
    PyObject *leaves = PyList_New(0);
    int ok = leaves && count_edges(&g, roots, count);
    Py_ssize_t *ready = ok ? PyMem_Malloc((size_t)(g.count + 1) * sizeof *ready) : NULL;
    Py_ssize_t waiting = 0;
    if (ok && !ready) {
        PyErr_NoMemory();
        ok = 0;
    }
    ok = ok && seed_roots(&g, roots, seeds, count, ready, &waiting);
    while (ok && waiting) {
        Py_ssize_t number = ready[--waiting];
        ok = take_turn(&g, number, ready, &waiting, leaves, release, store);
    }
    PyMem_Free(ready);
    graph_free(&g);
    if (!ok)
        Py_CLEAR(leaves);
    return leaves;
}

/* sweep(root, seed, release, store=True): the leaves with their gradients, in the order of
 * reverse.reverse_steps. Several roots, with as many seeds, come as tuples. */
static PyObject *tensor_sweep(PyObject *module, PyObject *args)
{
    PyObject *root, *seed;
    int release, store = 1;
    if (!NodeType)
        return PyErr_Format(PyExc_RuntimeError, "sweep: not connected yet");
    if (!PyArg_ParseTuple(args, "OOi|p:sweep", &root, &seed, &release, &store))
        return NULL;
    if (!PyTuple_CheckExact(root))
        return sweep_from(&root, &seed, 1, release, store);
    Py_ssize_t count = PyTuple_GET_SIZE(root);
    if (!PyTuple_CheckExact(seed) || PyTuple_GET_SIZE(seed) != count)
        return PyErr_Format(PyExc_ValueError, "sweep: %zd roots need as many seeds", count);
    return sweep_from(((PyTupleObject *)root)->ob_item, ((PyTupleObject *)seed)->ob_item, count,
                      release, store);
}
