/* The reverse pass of gradwalk/engine/reverse.py, on the numbers in the nodes themselves. */

typedef struct {
    Value **at;
    size_t count, room;
} Array;

typedef struct {
    Array nodes;    /* every inner node of the graph, in the order in which it was found */
    Array leaves;   /* every leaf */
    Array ready;    /* nodes whose consumers have all reported */
    double *grads;  /* what was in `grad` before: of the leaves, then of the nodes if `all` */
    int all;        /* whether the nodes get theirs back, in the end or after a failure */
} Sweep;

static Sweep *sweeping; /* a rule in Python may run other code, which sweeps in Python */

static int grow(Array *array)
{
    size_t larger = array->room ? 2 * array->room : 1024;
    Value **grown = PyMem_RawRealloc(array->at, larger * sizeof(Value *));
    if (!grown) {
        PyErr_NoMemory();
        return 0;
    }
    array->at = grown;
    array->room = larger;
    return 1;
}

static inline int push(Array *array, Value *v)
{
    if (array->count == array->room && !grow(array))
        return 0;
    array->at[array->count++] = v;
    return 1;
}

static int fail_with(PyObject *error)
{
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return 0;
}

static int freed(Value *v) { return fail_with(PyObject_CallOneArg(freed_error, (PyObject *)v)); }

/* One more edge leads to v; what is found first is looked at last, while it is in the cache. */
static inline int find(Sweep *s, Value *v)
{
    if (v->pending++)
        return 1;
    v->flags &= (uint16_t)~REACHED;
    s->all |= v->op == OP_PYTHON; /* whose rule may fail */
    if (is_leaf(v) ? push(&s->leaves, v) : push(&s->nodes, v) && push(&s->ready, v))
        return 1;
    v->pending = 0; /* it may be in no array, by which sweep() resets the others */
    return 0;
}

/* The two loops of a sweep are functions of their own: merged into one, gcc 12 runs out of
 * registers and a sweep takes 129 µs instead of 122. */
#define LOOP static __attribute__((noinline)) int

/* Find every node, and count in `pending` the edges that lead to it. */
LOOP find_edges(Sweep *s, Value *root)
{
    if (!find(s, root))
        return 0;
    root->pending = 0;
    while (s->ready.count) {
        Value *v = s->ready.at[--s->ready.count];
        Py_ssize_t count;
        Operand *in = operands_of(v, &count);
        if (v->flags & FREED)
            return freed(v);
        for (Py_ssize_t i = 0; i < count; i++)
            if (wants(v, in, i) && !find(s, in[i].node))
                return 0;
    }
    return 1;
}

/* Remember the gradients that the sweep will write over and that must survive it. */
static int keep(Sweep *s)
{
    size_t count = s->leaves.count + (s->all ? s->nodes.count : 0);
    s->grads = PyMem_RawMalloc(count * sizeof(double) + 1);
    if (!s->grads) {
        PyErr_NoMemory();
        return 0;
    }
    for (size_t i = 0; i < s->leaves.count; i++)
        s->grads[i] = s->leaves.at[i]->grad;
    for (size_t i = 0; i < s->nodes.count && s->all; i++)
        s->grads[s->leaves.count + i] = s->nodes.at[i]->grad;
    return 1;
}

/* An operand has heard from one more of its consumers; it is ready if that was the last. */
static inline int report(Sweep *s, Value *operand)
{
    if (is_leaf(operand)) /* nobody waits for a leaf, and most edges lead to one */
        return 1;
    return --operand->pending || push(&s->ready, operand);
}

/* Give the operands of v their contributions of its gradient, and report to them. `count` is a
 * constant wherever this is inlined, which unrolls the loops (measured: 1.6 ms instead of 2.4 a
 * sweep). */
static inline __attribute__((always_inline)) int
contribute(Sweep *s, Value *v, Operand *in, int count)
{
    double x[3], contribution;
    int wanted[3];
    const double t = v->grad, y = v->data;
    for (int i = 0; i < count; i++) {
        wanted[i] = wants(v, in, i);
        x[i] = operand_data(v, in, i);
    }
#define CONTRIBUTION(i, rule) \
    if (wanted[i] && rule) give(in[i].node, contribution);
    if (v->flags & REACHED) {
        switch (count) {
        case 1: switch (v->op) { CASES_1 } break;
        case 2: switch (v->op) { CASES_2 } break;
        case 3: switch (v->op) { CASES_3 } break;
        }
    } else {
        v->grad = 0.0;
    }
#undef CONTRIBUTION
    for (int i = 0; i < count; i++)
        if (wanted[i] && !report(s, in[i].node))
            return 0;
    return 1;
}

static int contribute_wide(Sweep *s, Value *v, Operand *in, Py_ssize_t count)
{
    if (v->op != OP_PYTHON)
        return count == 3   ? contribute(s, v, in, 3)
               : count == 2 ? contribute(s, v, in, 2)
                            : contribute(s, v, in, 1);
    if (!(v->flags & REACHED))
        v->grad = 0.0;
    else if (!contribute_in_python(v, in, count))
        return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (wants(v, in, i) && !report(s, in[i].node))
            return 0;
    return 1;
}

LOOP pass_on(Sweep *s, Value *root, double seed)
{
    root->grad = seed;
    root->flags |= REACHED;
    if (!is_leaf(root) && !push(&s->ready, root))
        return 0;
    while (s->ready.count) {
        Value *v = s->ready.at[--s->ready.count];
        int ok = v->flags & WIDE
                     ? contribute_wide(s, v, v->in[0].extra->in, v->in[0].extra->count)
                 : v->count == 2 ? contribute(s, v, v->in, 2)
                                 : contribute(s, v, v->in, 1);
        if (!ok)
            return 0;
    }
    return 1;
}

/* Leaves add this sweep's gradient to what they had: whether one has got a contribution. */
static int settle_leaves(Sweep *s)
{
    int reached = 0;
    for (size_t i = 0; i < s->leaves.count; i++) {
        Value *v = s->leaves.at[i];
        reached |= v->flags & REACHED;
        v->grad = s->grads[i] + (v->flags & REACHED ? v->grad : 0.0);
    }
    return reached != 0;
}

/* As if there had been no sweep. */
static void restore(Sweep *s)
{
    for (size_t i = 0; s->grads && i < s->leaves.count; i++)
        s->leaves.at[i]->grad = s->grads[i];
    for (size_t i = 0; s->grads && s->all && i < s->nodes.count; i++)
        s->nodes.at[i]->grad = s->grads[s->leaves.count + i];
}

/* The inner nodes let go of their operands, which may die of it: hence two references. */
static void release_graph(Sweep *s)
{
    for (size_t i = 0; i < s->nodes.count; i++)
        Py_INCREF(s->nodes.at[i]);
    for (size_t i = 0; i < s->nodes.count; i++) {
        release_operands(s->nodes.at[i]);
        s->nodes.at[i]->flags |= FREED;
    }
    for (size_t i = 0; i < s->nodes.count; i++)
        Py_DECREF(s->nodes.at[i]);
    work_off_the_dead();
}

/* Nobody waits any more; nodes that have all been served are so already. */
static void reset_pending(Sweep *s, int served)
{
    for (size_t i = 0; i < s->leaves.count; i++)
        s->leaves.at[i]->pending = 0;
    for (size_t i = 0; i < s->nodes.count && !served; i++)
        s->nodes.at[i]->pending = 0;
}

/* One sweep: 1 if it went well. `s` must be closed either way. `pending` serves one at a time. */
static int sweep(Sweep *s, Value *root, double seed)
{
    if (sweeping)
        return fail_with(PyObject_CallNoArgs(nested_error));
    sweeping = s;
    int ok = find_edges(s, root) && keep(s) && pass_on(s, root, seed);
    sweeping = NULL;
    reset_pending(s, ok);
    return ok;
}

static void close_sweep(Sweep *s)
{
    PyMem_RawFree(s->nodes.at);
    PyMem_RawFree(s->leaves.at);
    PyMem_RawFree(s->ready.at);
    PyMem_RawFree(s->grads);
}

/* forget_pass(): in the child of a fork, undo what a thread was doing that only the parent has. */
static PyObject *engine_forget_pass(PyObject *module, PyObject *unused)
{
    if (sweeping) {
        reset_pending(sweeping, 0);
        restore(sweeping);
        close_sweep(sweeping);
    }
    sweeping = NULL;
    in_tape_pass = 0;
    Py_RETURN_NONE;
}

/* _run_backward(seed, retain_graph): whether a leaf has got a contribution from a result that is none
 * itself. Reading the arguments here takes 50 ns less than a tuple of them. */
static PyObject *value_backward(Value *root, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "_run_backward: expected two arguments");
    const double seed = PyFloat_AsDouble(args[0]);
    const int retain = PyObject_IsTrue(args[1]);
    if (PyErr_Occurred())
        return NULL;
    Sweep s = {0};
    const int inner = !is_leaf(root);
    int ok = sweep(&s, root, seed), reached = 0;
    if (ok)
        reached = settle_leaves(&s);
    else
        restore(&s);
    if (ok && !retain)
        release_graph(&s);
    close_sweep(&s);
    return ok ? PyBool_FromLong(reached && inner) : NULL;
}
