/* Operations on numbers that may be Values and tracers, and rules, which are made of them. */

static int apply_number(uint16_t op, const Number *x, int count, Number *y);
static int contribution_at(uint16_t op, int wanted, double t, double y, const double *x,
                           double *given);

/* --- rules ----------------------------------------------------------------------------------- */

static int rule_in_python(uint16_t op, int index, Number t, Number y, const Number *x, Number *out)
{
    PyObject *rules = PyObject_GetAttrString(ROWS[op], "rules"), *args = tuple_of(x, arity_of(op));
    PyObject *t_ = python_of(t), *y_ = python_of(y), *found = NULL;
    if (rules && args && t_ && y_)
        found = PyObject_CallMethod(ROWS[op], "contribution", "OOOO",
                                    PyTuple_GET_ITEM(rules, index), t_, y_, args);
    Py_XDECREF(rules);
    Py_XDECREF(args);
    Py_XDECREF(t_);
    Py_XDECREF(y_);
    if (found == Py_None) {
        Py_DECREF(found);
        return 0;
    }
    return take_number(found, out) ? 1 : -1;
}

static int condition(uint8_t op, const double *x)
{
    switch (op) { CONDITION_CASES }
    Py_UNREACHABLE();
}

enum { SHUT = 0, OPEN = 1, FAILED = -1, ASK_PYTHON = -2 };

static int run_rule_step(uint8_t op, const Number *x, Number *out)
{
    double numbers[2];
    if (op < OP_COUNT)
        return apply_number(op, x, arity_of(op), out) ? OPEN : FAILED;
    const int mask = op == OP_pass_if || op == OP_mask_if;
    if (!data_of(x[0], &numbers[0]) || (!mask && !data_of(x[1], &numbers[1])))
        return ASK_PYTHON;
    if (!mask)
        *out = (Number){NULL, condition(op, numbers)};
    else if ((numbers[0] != 0.0) == (op == OP_mask_if))
        return SHUT;
    else
        *out = shared(x[1]);
    return OPEN;
}

/* Whether a rule asks for what numbers only Python knows: it is to ask before anything is done. */
static int asks_python(const RuleProgram *p, const Number *entries, int given)
{
    double number;
    int asks = 0, known = 1;
    for (const RuleStep *s = RULE_STEPS + p->first; s < RULE_STEPS + p->first + p->count; s++)
        asks |= s->op >= OP_COUNT;
    for (int i = 0; asks && i < given; i++)
        known = known && data_of(entries[i], &number);
    return !known;
}

static int run_rule_program(const RuleProgram *p, Number *entries, int given, Number *out)
{
    int end = given, state = OPEN;
    for (const RuleStep *s = RULE_STEPS + p->first; state == OPEN && end < given + p->count; s++) {
        Number x[3];
        for (int k = 0; k < 3; k++)
            x[k] = s->operands[k] >= 0 ? entries[s->operands[k]]
                                       : (Number){NULL, RULE_CONSTANTS[-1 - s->operands[k]]};
        state = run_rule_step(s->op, x, &entries[end]);
        end += state == OPEN;
    }
    if (state == OPEN)
        *out = shared(entries[p->output]);
    while (end > given)
        Py_XDECREF(entries[--end].object);
    return state;
}

/* The contribution of t to argument `index`: OPEN, SHUT if there is none, or FAILED. */
static int rule_number(uint16_t op, int index, Number t, Number y, const Number *x, Number *out)
{
    const int square = op == OP_pow && index == 0 && !x[1].object && x[1].number == 2.0;
    const RuleProgram *p = square ? &RULE_OF_SQUARE : &RULE_PROGRAMS[op][index];
    const int count = arity_of(op);
    double numbers[3];
    int plain = !t.object && !y.object, simple = is_simple(t) && is_simple(y), state = ASK_PYTHON;
    if (p->count < 0)
        return SHUT;
    for (int i = 0; i < count; i++) {
        numbers[i] = x[i].number;
        plain &= !x[i].object;
        simple = simple && is_simple(x[i]);
    }
    if (plain) {
        out->object = NULL;
        return contribution_at(op, index, t.number, y.number, numbers, &out->number);
    }
    if (simple) {
        Number entries[MAX_RULE] = {t, y};
        memcpy(entries + 2, x, (size_t)count * sizeof *x);
        if (!asks_python(p, entries, 2 + count))
            state = run_rule_program(p, entries, 2 + count, out);
    }
    return state == ASK_PYTHON ? rule_in_python(op, index, t, y, x, out) : state;
}

/* --- operations ------------------------------------------------------------------------------ */

static int apply_to_values(uint16_t op, const Number *x, int count, Number *y)
{
    PyObject *args[3];
    double numbers[3];
    int ok = 1;
    for (int i = 0; i < count; i++) {
        args[i] = x[i].object ? Py_NewRef(x[i].object) : PyFloat_FromDouble(x[i].number);
        ok = ok && args[i] && data_of(x[i], &numbers[i]);
    }
    y->object = ok ? (PyObject *)node_of(op, forward(op, numbers), args, numbers, count) : NULL;
    for (int i = 0; i < count; i++)
        Py_XDECREF(args[i]);
    return y->object != NULL;
}

static int apply_in_reverse_mode(Scope *level, uint16_t op, const Number *x, int count, Number *y)
{
    Number raws[3];
    int own = 0, simple = 1, plain = 1, tracks = 0;
    for (int i = 0; i < count; i++) {
        const int mine = is_own(x[i], level);
        raws[i] = mine ? ((Tracer *)x[i].object)->primal : x[i];
        own |= mine << i;
        simple = simple && is_simple(raws[i]);
        plain &= !raws[i].object;
        tracks = tracks || is_tracked_object(x[i].object);
    }
    if (!apply_number(op, raws, count, y))
        return 0;
    if (!DIFFERENTIABLE[op] || !recording())
        return 1;
    simple = simple && is_simple(*y);
    Tracer *t = tracer_new(level, *y);
    y->object = (PyObject *)t;
    if (!t)
        return 0;
    for (int i = 0; i < count; i++)
        t->in[i] = shared(x[i]);
    t->op = (uint8_t)op;
    t->count = (uint8_t)count;
    t->own = (uint8_t)own;
    t->flags = (uint8_t)(STEP | (simple ? SIMPLE : 0) | (plain ? PLAIN : 0));
    if (tracks)
        PyObject_GC_Track(t);
    return 1;
}

/* sum + more, both of which are consumed. */
static int add_number(Number *sum, Number more)
{
    if (!sum->object && !more.object) {
        sum->number += more.number;
        return 1;
    }
    Number both[2] = {*sum, more};
    int ok = apply_number(OP_add, both, 2, sum);
    Py_XDECREF(both[0].object);
    Py_XDECREF(more.object);
    if (!ok)
        sum->object = NULL;
    return ok;
}

static int apply_in_forward_mode(Scope *level, uint16_t op, const Number *x, int count, Number *y)
{
    Number raws[3], tangent = {NULL, 0.0}, contribution;
    int any = 0, state = OPEN;
    for (int i = 0; i < count; i++)
        raws[i] = is_own(x[i], level) ? ((Tracer *)x[i].object)->primal : x[i];
    if (!apply_number(op, raws, count, y))
        return 0;
    if (!DIFFERENTIABLE[op] || !recording())
        return 1;
    for (int i = 0; i < count && state != FAILED; i++) {
        if (!is_own(x[i], level) || !(((Tracer *)x[i].object)->flags & TANGENT))
            continue;
        state = rule_number(op, i, ((Tracer *)x[i].object)->payload, *y, raws, &contribution);
        if (state == OPEN && any++)
            state = add_number(&tangent, contribution) ? OPEN : FAILED;
        else if (state == OPEN)
            tangent = contribution;
    }
    if (state == FAILED || !any) { /* no tangent: what comes out is a constant of this level */
        Py_XDECREF(tangent.object);
        if (state == FAILED)
            Py_CLEAR(y->object);
        return state != FAILED;
    }
    const int simple = is_simple(*y) && is_simple(tangent);
    Tracer *t = tracer_new(level, *y);
    y->object = (PyObject *)t;
    if (!t) {
        Py_XDECREF(tangent.object);
        return 0;
    }
    t->payload = tangent;
    t->flags = (uint8_t)(TANGENT | (simple ? SIMPLE : 0));
    if (is_tracked_object(t->primal.object) || is_tracked_object(tangent.object))
        PyObject_GC_Track(t);
    return 1;
}

/* Of the highest level among the arguments a tracer, the first; `*known`: whether all of them can
 * be computed with here. */
static Tracer *decide(const Number *x, int count, int *known)
{
    Tracer *top = NULL;
    *known = 1;
    for (int i = 0; i < count; i++) {
        if (!x[i].object || is_value(x[i].object))
            continue;
        Tracer *t = (Tracer *)x[i].object;
        if (!is_tracer(x[i].object))
            *known = 0; /* it has leaked */
        else if (!top || t->level->rank > top->level->rank)
            top = t;
    }
    if (!top || !*known)
        return top;
    *known = top->level->open
             && (Py_IS_TYPE(top->level, VJPType) || Py_IS_TYPE(top->level, JVPType)
                 || Py_IS_TYPE(top->level, RecorderType));
    for (int i = 0; *known && Py_IS_TYPE(top->level, JVPType) && i < count; i++) {
        const Tracer *t = (Tracer *)x[i].object;
        if (is_own(x[i], top->level) && !(t->flags & TANGENT))
            *known = t->payload.object == Py_None; /* else a tangent that arrays have computed */
    }
    return top;
}

static int apply_at(Tracer *top, uint16_t op, const Number *x, int count, Number *y)
{
    return Py_IS_TYPE(top->level, VJPType)   ? apply_in_reverse_mode(top->level, op, x, count, y)
           : Py_IS_TYPE(top->level, JVPType) ? apply_in_forward_mode(top->level, op, x, count, y)
                                             : apply_in_recorder(top, op, x, count, y);
}

/* y = the primitive of x, whatever x are: 1, or 0 with the error set. */
static int apply_number(uint16_t op, const Number *x, int count, Number *y)
{
    int known, objects = 0;
    for (int i = 0; i < count; i++)
        objects |= x[i].object != NULL;
    if (!objects) {
        double numbers[3];
        for (int i = 0; i < count; i++)
            numbers[i] = x[i].number;
        *y = (Number){NULL, forward(op, numbers)};
        return 1;
    }
    Tracer *top = decide(x, count, &known);
    return !known ? apply_otherwise(top, op, x, count, y)
           : top  ? apply_at(top, op, x, count, y)
                  : apply_to_values(op, x, count, y);
}
