/* The reverse pass over a tape: engine/reverse.py, in the same order. It is not for tapes with steps
 * of Python: of arrays, and of primitives of the user. */

typedef struct {
    Tracer *step;
    Number derivative;
    uint32_t pending; /* consumers that have not reported yet */
    int reached;
} Visit;

typedef struct {
    Visit *at;
    uint32_t *stack;
    size_t count, depth, room;
    uint64_t number;
    uint32_t leaves; /* that the pass has come to, whose `pending` tells when */
} TapePass;

enum { BROKEN = -1, UNFIT = 0, FIT = 1 };

static uint64_t tape_passes;

static void close_tape_pass(TapePass *p)
{
    for (size_t i = 0; i < p->count; i++) {
        Py_XDECREF(p->at[i].derivative.object);
        Py_DECREF(p->at[i].step);
    }
    PyMem_RawFree(p->at);
    PyMem_RawFree(p->stack);
}

static int grow_tape_pass(TapePass *p)
{
    size_t room = p->room ? 2 * p->room : 64;
    Visit *at = PyMem_RawRealloc(p->at, room * sizeof *at);
    p->at = at ? at : p->at;
    uint32_t *stack = PyMem_RawRealloc(p->stack, room * sizeof *stack);
    p->stack = stack ? stack : p->stack;
    if (!at || !stack || room > UINT32_MAX) {
        PyErr_NoMemory();
        return 0;
    }
    p->room = room;
    return 1;
}

static inline Visit *visit_of(TapePass *p, const Tracer *t) { return &p->at[t->place]; }

/* One more edge leads to t. */
static int visit(TapePass *p, Tracer *t)
{
    if (t->pass != p->number) {
        if ((t->flags & (STEP | SIMPLE | RELEASED)) != (STEP | SIMPLE))
            return UNFIT;
        if (p->count == p->room && !grow_tape_pass(p))
            return BROKEN;
        t->pass = p->number;
        t->place = (uint32_t)p->count;
        p->at[p->count] = (Visit){(Tracer *)Py_NewRef((PyObject *)t), {NULL, 0.0}, 0, 0};
        p->stack[p->depth++] = (uint32_t)p->count++;
    }
    visit_of(p, t)->pending++;
    return FIT;
}

/* Visit all that the outputs of a level were computed from. */
static int visit_all(TapePass *p, const Scope *level, PyObject *outputs)
{
    int state = FIT;
    p->number = ++tape_passes;
    for (Py_ssize_t i = 0; state == FIT && i < PyList_GET_SIZE(outputs); i++) {
        Number y = {PyList_GET_ITEM(outputs, i), 0.0};
        if (is_own(y, level))
            state = visit(p, (Tracer *)y.object);
        else if (!number_of(y.object, &y))
            state = UNFIT; /* perhaps of an array */
    }
    while (state == FIT && p->depth) {
        const Tracer *t = p->at[p->stack[--p->depth]].step;
        for (int i = 0; state == FIT && i < t->count; i++)
            if (t->own >> i & 1)
                state = visit(p, (Tracer *)t->in[i].object);
    }
    return state;
}

static inline void report_to(TapePass *p, const Tracer *t)
{
    if (!--visit_of(p, t)->pending)
        p->stack[p->depth++] = t->place;
}

static inline int give_number(TapePass *p, const Tracer *t, Number contribution)
{
    Visit *v = visit_of(p, t);
    if (v->reached)
        return add_number(&v->derivative, contribution);
    v->derivative = contribution;
    v->reached = 1;
    return 1;
}

/* The contributions of a step whose numbers are doubles. */
static int give_doubles(TapePass *p, const Tracer *step, double t)
{
    const double y = step->primal.number;
    double x[3], contribution;
    int ok = 1;
    for (int i = 0; i < step->count; i++)
        x[i] = raw_of(step, i).number;
#define CONTRIBUTION(i, rule) \
    if (step->own >> i & 1 && rule) \
        ok = ok && give_number(p, (Tracer *)step->in[i].object, (Number){NULL, contribution});
    switch (step->op) { CASES_1 CASES_2 CASES_3 }
#undef CONTRIBUTION
    return ok;
}

static int give_contributions(TapePass *p, const Tracer *step, Number t)
{
    Number x[3], contribution;
    if (step->flags & PLAIN && !t.object)
        return give_doubles(p, step, t.number);
    for (int i = 0; i < step->count; i++)
        x[i] = raw_of(step, i);
    for (int i = 0; i < step->count; i++) {
        int state = step->own >> i & 1
                        ? rule_number(step->op, i, t, step->primal, x, &contribution)
                        : SHUT;
        if (state == FAILED
            || (state == OPEN && !give_number(p, (Tracer *)step->in[i].object, contribution)))
            return 0;
    }
    return 1;
}

static int run_reverse(TapePass *p, int release)
{
    while (p->depth) {
        Visit *v = &p->at[p->stack[--p->depth]];
        Tracer *step = v->step;
        if (!step->count) { /* a leaf, which keeps its gradient */
            v->pending = ++p->leaves;
            continue;
        }
        if (v->reached && !give_contributions(p, step, v->derivative))
            return 0;
        Py_CLEAR(v->derivative.object);
        for (int i = 0; i < step->count; i++)
            if (step->own >> i & 1)
                report_to(p, (Tracer *)step->in[i].object);
        if (release) {
            step->flags |= RELEASED;
            release_tracer(step);
        }
    }
    return 1;
}

/* The gradients of the leaves that one has reached, in the order of the pass. */
static PyObject *leaf_gradients(TapePass *p)
{
    PyObject *found = PyDict_New();
    for (size_t i = 0; i < p->count; i++) /* nothing is on the stack any more */
        if (p->at[i].step->op == OP_LEAF && p->at[i].pending)
            p->stack[p->at[i].pending - 1] = (uint32_t)i;
    for (uint32_t i = 0; found && i < p->leaves; i++) {
        const Visit *v = &p->at[p->stack[i]];
        if (!v->reached)
            continue;
        PyObject *leaf = view_of(v->step), *gradient = python_of(v->derivative);
        if (!leaf || !gradient || PyDict_SetItem(found, leaf, gradient) < 0)
            Py_CLEAR(found);
        Py_XDECREF(leaf);
        Py_XDECREF(gradient);
    }
    return found;
}

static int give_seeds(TapePass *p, const Scope *level, PyObject *outputs, PyObject *cotangents)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(outputs); i++) {
        Number y = {PyList_GET_ITEM(outputs, i), 0.0}, t;
        if (!is_own(y, level))
            continue;
        if (!number_of(PyList_GET_ITEM(cotangents, i), &t) || !is_simple(t))
            return UNFIT;
        if (!give_number(p, (Tracer *)y.object, shared(t)))
            return BROKEN;
        report_to(p, (Tracer *)y.object);
    }
    return FIT;
}

/* tape_gradients(level, outputs, cotangents, release): the gradient of each leaf that one reaches;
 * None if this is not for such a tape, and nothing was done. */
static PyObject *engine_tape_gradients(PyObject *module, PyObject *args)
{
    PyObject *level, *outputs, *cotangents, *found = NULL;
    int release;
    if (!PyArg_ParseTuple(args, "O!O!O!p:tape_gradients", VJPType, &level, &PyList_Type, &outputs,
                          &PyList_Type, &cotangents, &release))
        return NULL;
    if (in_tape_pass || PyList_GET_SIZE(outputs) != PyList_GET_SIZE(cotangents))
        Py_RETURN_NONE;
    in_tape_pass = 1;
    TapePass p = {0};
    int state = visit_all(&p, (Scope *)level, outputs);
    if (state == FIT)
        state = give_seeds(&p, (Scope *)level, outputs, cotangents);
    if (state == FIT)
        state = run_reverse(&p, release) ? FIT : BROKEN;
    if (state == FIT)
        found = leaf_gradients(&p);
    in_tape_pass = 0;
    close_tape_pass(&p);
    return state == UNFIT ? Py_NewRef(Py_None) : found;
}
