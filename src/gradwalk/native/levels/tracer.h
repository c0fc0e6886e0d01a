/* Tracers of numbers, and steps of tapes, as Python sees them. */

/* A number that is no float: an int, a bool, a number of NumPy. */
static int other_number(PyObject *o, double *number)
{
    if (is_reading(o))
        return 0;
    PyObject *answer = PyLong_Check(o) || PyFloat_Check(o) ? Py_NewRef(Py_True)
                                                           : PyObject_CallOneArg(is_real, o);
    int known = answer == Py_True && to_double(o, "operator", number);
    Py_XDECREF(answer);
    PyErr_Clear(); /* Python will raise it again, with what it says of the operation */
    return known;
}

/* primitive(*args) if all arguments are numbers that can be computed with here; `*known` is 0, and
 * nothing was done, if Python has to do it. */
static PyObject *apply_objects(uint16_t op, PyObject *const *args, int count, int *known)
{
    Number x[3], y;
    *known = !observer; /* which sees operations in Python */
    for (int i = 0; *known && i < count; i++)
        *known = number_of(args[i], &x[i]) || other_number(args[i], &x[i].number);
    Tracer *top = *known ? decide(x, count, known) : NULL;
    if (!top || !*known) {
        *known = 0;
        return NULL;
    }
    if (!apply_at(top, op, x, count, &y))
        return NULL;
    return y.object ? y.object : PyFloat_FromDouble(y.number);
}

static PyObject *tracer_binary(uint16_t op, PyObject *a, PyObject *b, const char *name,
                               const char *reflected)
{
    int known;
    PyObject *args[2] = {a, b}, *result = apply_objects(op, args, 2, &known);
    if (known)
        return result;
    return is_tracer(a) ? PyObject_CallMethod(tracer_base, name, "OO", a, b)
                        : PyObject_CallMethod(tracer_base, reflected, "OO", b, a);
}

static PyObject *tracer_unary(uint16_t op, PyObject *a, const char *name)
{
    int known;
    PyObject *result = apply_objects(op, &a, 1, &known);
    return known ? result : PyObject_CallMethod(tracer_base, name, "O", a);
}

#define TRACER_BINARY(slot, op, name)                                                             \
    static PyObject *slot(PyObject *a, PyObject *b)                                               \
    {                                                                                             \
        return tracer_binary(op, a, b, "__" name "__", "__r" name "__");                          \
    }

TRACER_BINARY(tracer_add, OP_add, "add")
TRACER_BINARY(tracer_sub, OP_sub, "sub")
TRACER_BINARY(tracer_mul, OP_mul, "mul")
TRACER_BINARY(tracer_div, OP_div, "truediv")
TRACER_BINARY(tracer_floordiv, OP_floordiv, "floordiv")
TRACER_BINARY(tracer_mod, OP_mod, "mod")

static PyObject *tracer_pow(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return tracer_binary(OP_pow, a, b, "__pow__", "__rpow__");
}

static PyObject *tracer_neg(PyObject *a) { return tracer_unary(OP_neg, a, "__neg__"); }
static PyObject *tracer_abs(PyObject *a) { return tracer_unary(OP_abs, a, "__abs__"); }
static PyObject *tracer_positive(PyObject *a) { return Py_NewRef(a); }

static PyObject *tracer_compare(PyObject *a, PyObject *b, int how)
{
    static const char *const names[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};
    Number other;
    double x, y;
    if (data_of((Number){a, 0.0}, &x)) {
        if (number_of(b, &other) && data_of(other, &y))
            Py_RETURN_RICHCOMPARE(x, y, how);
        if (PyLong_CheckExact(b))
            return compare_number(x, b, how);
    }
    return PyObject_CallMethod(tracer_base, names[how], "OO", a, b);
}

/* _apply(primitive, args, options={}) */
static PyObject *tracer_apply(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
    if (given >= 2 && PyTuple_CheckExact(args[1])
        && (given == 2 || (PyDict_CheckExact(args[2]) && !PyDict_GET_SIZE(args[2])))) {
        const uint16_t op = op_of(args[0]);
        const Py_ssize_t count = PyTuple_GET_SIZE(args[1]);
        int known = op != OP_PYTHON && count == arity_of(op);
        PyObject *result = NULL;
        if (known)
            result = apply_objects(op, ((PyTupleObject *)args[1])->ob_item, (int)count, &known);
        if (known)
            return result;
    }
    PyObject *apply = PyObject_GetAttrString(tracer_base, "_apply"), *result = NULL;
    PyObject *all[4] = {self, given > 0 ? args[0] : NULL, given > 1 ? args[1] : NULL,
                        given > 2 ? args[2] : NULL};
    if (apply && given <= 3)
        result = PyObject_Vectorcall(apply, all, (size_t)given + 1, NULL);
    Py_XDECREF(apply);
    return result;
}

/* --- the parts ------------------------------------------------------------------------------- */

/* A step of a tape as Python sees it: one object for as long as any refers to it. */
struct StepView {
    PyObject_HEAD
    Tracer *tracer;
};

static PyTypeObject *StepViewType;
static PyObject *constant_step;

static PyObject *view_of(Tracer *t)
{
    if (t->view)
        return Py_NewRef((PyObject *)t->view);
    StepView *view = PyObject_GC_New(StepView, StepViewType);
    if (view) {
        view->tracer = (Tracer *)Py_NewRef((PyObject *)t);
        t->view = view;
        PyObject_GC_Track(view);
    }
    return (PyObject *)view;
}

static void view_dealloc(StepView *view)
{
    PyTypeObject *type = Py_TYPE(view);
    PyObject_GC_UnTrack(view);
    view->tracer->view = NULL;
    Py_DECREF(view->tracer);
    PyObject_GC_Del(view);
    Py_DECREF(type);
}

static int view_traverse(StepView *view, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(view));
    Py_VISIT(view->tracer);
    return 0;
}

static PyObject *tracer_payload(Tracer *t, void *closure)
{
    return t->flags & STEP ? view_of(t) : python_of(t->payload);
}

static PyObject *tracer_level(Tracer *t, void *closure) { return Py_NewRef((PyObject *)t->level); }
static PyObject *tracer_primal(Tracer *t, void *closure) { return python_of(t->primal); }

static PyObject *view_primitive(StepView *view, void *closure)
{
    return Py_NewRef(view->tracer->op == OP_LEAF ? Py_None : ROWS[view->tracer->op]);
}

static PyObject *view_inputs(StepView *view, void *closure)
{
    Tracer *t = view->tracer;
    if (t->flags & RELEASED)
        Py_RETURN_NONE;
    PyObject *inputs = PyTuple_New(t->count);
    for (int i = 0; inputs && i < t->count; i++) {
        PyObject *input = t->own >> i & 1 ? tracer_payload((Tracer *)t->in[i].object, NULL)
                                          : Py_NewRef(constant_step);
        if (!input)
            Py_CLEAR(inputs);
        else
            PyTuple_SET_ITEM(inputs, i, input);
    }
    return inputs;
}

static inline Number raw_of(const Tracer *t, int i)
{
    return t->own >> i & 1 ? ((Tracer *)t->in[i].object)->primal : t->in[i];
}

/* The result and the arguments. */
static PyObject *view_saved(StepView *view, void *closure)
{
    Number saved[4] = {view->tracer->primal};
    for (int i = 0; i < view->tracer->count; i++)
        saved[i + 1] = raw_of(view->tracer, i);
    return tuple_of(saved, view->tracer->count + 1);
}

static PyObject *view_release(StepView *view, PyObject *unused)
{
    view->tracer->flags |= RELEASED;
    release_tracer(view->tracer);
    Py_RETURN_NONE;
}

/* ScalarTracer(level, primal, payload); of reverse mode, payload None is for a leaf of the tape. */
static PyObject *tracer_vectorcall(PyObject *type, PyObject *const *args, size_t flags,
                                   PyObject *names)
{
    Number primal;
    if (names || PyVectorcall_NARGS(flags) != 3 || !PyObject_TypeCheck(args[0], ScopeType))
        return PyErr_Format(PyExc_TypeError, "ScalarTracer: expected level, primal, payload");
    if (!number_of(args[1], &primal))
        primal.object = args[1];
    Tracer *t = tracer_new((Scope *)args[0], shared(primal));
    if (!t)
        return NULL;
    const int reverse = VJPType && PyObject_TypeCheck(args[0], VJPType);
    const int forward = Py_IS_TYPE(args[0], JVPType);
    int tracks = !forward && !Py_IS_TYPE(args[0], VJPType);
    Number payload = {NULL, 0.0};
    if (reverse && args[2] == Py_None) {
        t->flags = STEP | PLAIN | (is_simple(primal) ? SIMPLE : 0);
    } else if (forward && number_of(args[2], &payload)) {
        t->payload = shared(payload);
        t->flags = TANGENT | (is_simple(primal) && is_simple(payload) ? SIMPLE : 0);
    } else {
        const int recorded = RecorderType && Py_IS_TYPE(args[0], RecorderType);
        t->payload.object = Py_NewRef(args[2]);
        t->flags = recorded && is_simple(primal) ? SIMPLE : 0;
        tracks = recorded ? PyObject_GC_IsTracked(args[2]) : tracks || args[2] != Py_None;
    }
    if (tracks || is_tracked_object(primal.object) || is_tracked_object(payload.object))
        PyObject_GC_Track(t);
    return (PyObject *)t;
}

static PyObject *tracer_new_slow(PyTypeObject *type, PyObject *args, PyObject *named)
{
    return tracer_vectorcall((PyObject *)type, ((PyTupleObject *)args)->ob_item,
                             (size_t)PyTuple_GET_SIZE(args), NULL);
}

static PyGetSetDef tracer_getset[] = {
    {"_level", (getter)tracer_level, NULL, NULL, NULL},
    {"_primal", (getter)tracer_primal, NULL, NULL, NULL},
    {"_payload", (getter)tracer_payload, NULL, NULL, NULL},
    {NULL},
};

static PyMethodDef tracer_methods[] = {
    {"_apply", (PyCFunction)(void (*)(void))tracer_apply, METH_FASTCALL, NULL},
    {NULL},
};

static PyType_Slot tracer_slots[] = {
    {Py_tp_doc, "ScalarTracer(level, primal, payload)\n--\n\nA tracer of one number."},
    {Py_tp_new, tracer_new_slow},
    {Py_tp_dealloc, tracer_dealloc},
    {Py_tp_traverse, tracer_traverse},
    {Py_tp_richcompare, tracer_compare},
    {Py_tp_hash, value_hash},
    {Py_tp_getset, tracer_getset},
    {Py_tp_methods, tracer_methods},
    {Py_nb_add, tracer_add},
    {Py_nb_subtract, tracer_sub},
    {Py_nb_multiply, tracer_mul},
    {Py_nb_true_divide, tracer_div},
    {Py_nb_floor_divide, tracer_floordiv},
    {Py_nb_remainder, tracer_mod},
    {Py_nb_power, tracer_pow},
    {Py_nb_negative, tracer_neg},
    {Py_nb_positive, tracer_positive},
    {Py_nb_absolute, tracer_abs},
    {0, NULL},
};

static PyType_Spec tracer_spec = {
    .name = "gradwalk.levels.level.ScalarTracer",
    .basicsize = sizeof(Tracer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = tracer_slots,
};

static PyGetSetDef view_getset[] = {
    {"_primitive", (getter)view_primitive, NULL, NULL, NULL},
    {"_inputs", (getter)view_inputs, NULL, NULL, NULL},
    {"saved", (getter)view_saved, NULL, NULL, NULL},
    {NULL},
};

static PyMethodDef view_methods[] = {
    {"release", (PyCFunction)view_release, METH_NOARGS, "Free operands and residuals."},
    {NULL},
};

static PyType_Slot view_slots[] = {
    {Py_tp_dealloc, view_dealloc},
    {Py_tp_traverse, view_traverse},
    {Py_tp_getset, view_getset},
    {Py_tp_methods, view_methods},
    {0, NULL},
};

static PyType_Spec view_spec = {
    .name = "gradwalk.levels.vjp.NativeStep",
    .basicsize = sizeof(StepView),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = view_slots,
};

/* tracer_type(base): the class of tracers, which has in C what is fast and in `base` the rest. */
static PyObject *engine_tracer_type(PyObject *module, PyObject *base)
{
    PyObject *bases = PyTuple_Pack(1, base);
    TracerType = (PyTypeObject *)(bases ? PyType_FromSpecWithBases(&tracer_spec, bases) : NULL);
    Py_XDECREF(bases);
    if (!TracerType)
        return NULL;
    tracer_base = Py_NewRef(base);
    TracerType->tp_name = "ScalarTracer"; /* in messages: as of the class in Python */
    TracerType->tp_vectorcall = tracer_vectorcall;
    return Py_NewRef((PyObject *)TracerType);
}

/* step_type(base, VJPLevel, constant): the class of the steps on tapes of this level. */
static PyObject *engine_step_type(PyObject *module, PyObject *args)
{
    PyObject *base, *level, *constant;
    if (!PyArg_ParseTuple(args, "OO!O:step_type", &base, &PyType_Type, &level, &constant))
        return NULL;
    PyObject *bases = PyTuple_Pack(1, base);
    StepViewType = (PyTypeObject *)(bases ? PyType_FromSpecWithBases(&view_spec, bases) : NULL);
    Py_XDECREF(bases);
    if (!StepViewType)
        return NULL;
    VJPType = (PyTypeObject *)Py_NewRef(level);
    constant_step = Py_NewRef(constant);
    return Py_NewRef((PyObject *)StepViewType);
}

/* forward_type(JVPLevel) */
static PyObject *engine_forward_type(PyObject *module, PyObject *level)
{
    JVPType = (PyTypeObject *)Py_NewRef(level);
    Py_RETURN_NONE;
}
