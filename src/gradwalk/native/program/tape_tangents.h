/* The forward pass over a tape: engine/forward.py, for several tangents side by side. */

enum { MAX_TANGENTS = 8 }; /* at once: memory for more would not stay in the cache */

typedef struct {
    const Tracer *step;
    int32_t place, operands[3]; /* -1: a constant */
} Link;

typedef struct {
    TapePass pass;
    Link *order; /* consumers first */
    Number *tangents; /* MAX_TANGENTS for each step, */
    char *reached;    /* and whether there is one */
} ForwardPass;

static int make_room(ForwardPass *f)
{
    const size_t count = f->pass.count + 1;
    f->order = PyMem_RawMalloc(count * sizeof *f->order);
    f->tangents = PyMem_RawCalloc(count * MAX_TANGENTS, sizeof *f->tangents);
    f->reached = PyMem_RawCalloc(count, MAX_TANGENTS);
    if (f->order && f->tangents && f->reached)
        return 1;
    PyErr_NoMemory();
    return 0;
}

/* The order of the reverse pass. */
static void find_step_order(ForwardPass *f, const Scope *level, PyObject *outputs)
{
    TapePass *p = &f->pass;
    Link *link = f->order;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(outputs); i++) {
        Number y = {PyList_GET_ITEM(outputs, i), 0.0};
        if (is_own(y, level))
            report_to(p, (Tracer *)y.object);
    }
    for (; p->depth; link++) {
        link->place = (int32_t)p->stack[--p->depth];
        link->step = p->at[link->place].step;
        for (int i = 0; i < link->step->count; i++) {
            const Tracer *operand = (Tracer *)link->step->in[i].object;
            link->operands[i] = link->step->own >> i & 1 ? (int32_t)operand->place : -1;
            if (link->operands[i] >= 0)
                report_to(p, operand);
        }
    }
}

/* A step gets one more contribution to its tangent, which is consumed. */
static int give_tangent(ForwardPass *f, size_t at, Number contribution)
{
    if (f->reached[at])
        return add_number(&f->tangents[at], contribution);
    f->tangents[at] = contribution;
    f->reached[at] = 1;
    return 1;
}

static int push_operand(ForwardPass *f, const Link *link, int i, const Number *x, int lanes)
{
    const size_t from = (size_t)link->operands[i] * MAX_TANGENTS;
    const size_t to = (size_t)link->place * MAX_TANGENTS;
    for (int k = 0; k < lanes; k++) {
        Number contribution;
        int state = f->reached[from + k] ? rule_number(link->step->op, i, f->tangents[from + k],
                                                       link->step->primal, x, &contribution)
                                         : SHUT;
        if (state == FAILED || (state == OPEN && !give_tangent(f, to + k, contribution)))
            return 0;
    }
    return 1;
}

/* The tangents that the caller has given for a step. */
static int push_given(ForwardPass *f, const Link *link, PyObject *given, Py_ssize_t first, int lanes)
{
    const size_t to = (size_t)link->place * MAX_TANGENTS;
    for (int k = 0; k < lanes; k++) {
        PyObject *t = PyDict_GetItemWithError(PyList_GET_ITEM(given, first + k),
                                              (PyObject *)link->step->view);
        Number tangent;
        if (!t && PyErr_Occurred())
            return 0;
        if (t && number_of(t, &tangent) && !give_tangent(f, to + k, shared(tangent)))
            return 0;
    }
    return 1;
}

static int run_forward(ForwardPass *f, PyObject *given, Py_ssize_t first, int lanes)
{
    for (const Link *link = f->order + f->pass.count; link-- > f->order;) {
        Number x[3];
        for (int i = 0; i < link->step->count; i++)
            x[i] = raw_of(link->step, i);
        for (int i = 0; i < link->step->count; i++)
            if (link->operands[i] >= 0 && !push_operand(f, link, i, x, lanes))
                return 0;
        if (link->step->view && !push_given(f, link, given, first, lanes))
            return 0;
    }
    return 1;
}

/* Forget the tangents of a run. */
static void clear_tangents(ForwardPass *f)
{
    const size_t count = f->tangents && f->reached ? f->pass.count * MAX_TANGENTS : 0;
    for (size_t i = 0; i < count; i++) {
        Py_CLEAR(f->tangents[i].object);
        f->reached[i] = 0;
    }
}

static PyObject *output_tangents(ForwardPass *f, const Scope *level, PyObject *outputs, int lane)
{
    PyObject *list = PyList_New(PyList_GET_SIZE(outputs));
    for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(outputs); i++) {
        Number y = {PyList_GET_ITEM(outputs, i), 0.0};
        const size_t at =
            is_own(y, level) ? ((Tracer *)y.object)->place * (size_t)MAX_TANGENTS + lane : 0;
        PyObject *t = is_own(y, level) && f->reached[at] ? python_of(f->tangents[at])
                                                          : Py_NewRef(Py_None);
        if (!t)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, t);
    }
    return list;
}

/* Whether all that is given are numbers that can be computed with here. */
static int are_simple(PyObject *given)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); i++) {
        PyObject *key, *t, *one = PyList_GET_ITEM(given, i);
        Py_ssize_t at = 0;
        Number x;
        while (PyDict_Check(one) && PyDict_Next(one, &at, &key, &t))
            if (t != Py_None && !(number_of(t, &x) && is_simple(x)))
                return 0;
    }
    return 1;
}

static int run_all(ForwardPass *f, const Scope *level, PyObject *outputs, PyObject *given,
                   PyObject *found)
{
    const Py_ssize_t count = PyList_GET_SIZE(given);
    if (!make_room(f))
        return 0;
    find_step_order(f, level, outputs);
    for (Py_ssize_t first = 0; first < count; first += MAX_TANGENTS) {
        const int lanes = (int)(count - first < MAX_TANGENTS ? count - first : MAX_TANGENTS);
        if (!run_forward(f, given, first, lanes))
            return 0;
        for (int k = 0; k < lanes; k++)
            if (!append_new(found, output_tangents(f, level, outputs, k)))
                return 0;
        clear_tangents(f);
    }
    return 1;
}

/* tape_tangents(level, outputs, given): for each of the given dictionaries, by steps, the tangents of
 * the outputs; None if this is not for such a tape. */
static PyObject *engine_tape_tangents(PyObject *module, PyObject *args)
{
    PyObject *level, *outputs, *given;
    if (!PyArg_ParseTuple(args, "O!O!O!:tape_tangents", VJPType, &level, &PyList_Type, &outputs,
                          &PyList_Type, &given))
        return NULL;
    PyObject *found = PyList_New(0); /* first, as it may collect garbage */
    if (!found || in_tape_pass || !are_simple(given)) {
        Py_XDECREF(found);
        return found ? Py_NewRef(Py_None) : NULL;
    }
    in_tape_pass = 1;
    ForwardPass f = {0};
    int state = visit_all(&f.pass, (Scope *)level, outputs);
    if (state == FIT && !run_all(&f, (Scope *)level, outputs, given, found))
        state = BROKEN;
    if (state != FIT)
        Py_CLEAR(found);
    in_tape_pass = 0;
    clear_tangents(&f);
    PyMem_RawFree(f.order);
    PyMem_RawFree(f.tangents);
    PyMem_RawFree(f.reached);
    close_tape_pass(&f.pass);
    return state == UNFIT ? Py_NewRef(Py_None) : found;
}
