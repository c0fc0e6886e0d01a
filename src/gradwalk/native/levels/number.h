/* Numbers as levels compute with them: doubles, and Values and tracers, which have one inside.
 *
 * gradwalk/levels is the specification: same graphs, same bits. What is here are operations on
 * tracers of reverse and forward mode, of numbers alone; Python knows the rest. */

typedef struct {
    PyObject *object; /* a Value or a tracer; NULL: the number itself */
    double number;
} Number;

typedef struct StepView StepView;

enum { /* Tracer.flags */
    TANGENT = 1, /* of forward mode: the payload is a number */
    STEP = 2,    /* of reverse mode: the tracer is a step of the tape itself */
    SIMPLE = 4,  /* all of it is Values, numbers and tracers of these two modes */
    PLAIN = 8,   /* the numbers that the rules of this step read are doubles */
    RELEASED = 16, /* a reverse pass has freed the operands */
};

typedef struct Tracer Tracer;

struct Tracer {
    PyObject_HEAD
    Scope *level;
    Number primal;
    union {
        Number payload; /* an object of any kind, unless TANGENT is set */
        Number in[3];   /* STEP: operands; where bit i of `own` is set, tracers of this level */
    };
    StepView *view; /* this step as Python sees it, if it does; not owned */
    uint64_t pass;  /* the last pass that visited this step, */
    uint32_t place; /* and where */
    uint8_t op, count, own, flags;
};

static PyTypeObject *VJPType, *JVPType, *RecorderType;
static int in_tape_pass; /* what it calls may start another one, which Python runs */

static inline int is_simple(Number x)
{
    return !x.object || is_value(x.object)
           || (is_tracer(x.object) && ((Tracer *)x.object)->flags & SIMPLE);
}

static inline Number shared(Number x)
{
    Py_XINCREF(x.object);
    return x;
}

static inline PyObject *python_of(Number x)
{
    return x.object ? Py_NewRef(x.object) : PyFloat_FromDouble(x.number);
}

/* A borrowed number; whether it is one that can be computed with here. */
static inline int number_of(PyObject *o, Number *x)
{
    *x = (Number){NULL, 0.0};
    if (PyFloat_CheckExact(o))
        x->number = PyFloat_AS_DOUBLE(o);
    else if (is_value(o) || is_tracer(o))
        x->object = o;
    else
        return 0;
    return 1;
}

/* The result of a function of Python, which is consumed: 1, or 0 with the error set. */
static int take_number(PyObject *o, Number *x)
{
    if (!o)
        return 0;
    if (number_of(o, x)) {
        if (!x->object)
            Py_DECREF(o);
        return 1;
    }
    x->number = PyFloat_AsDouble(o);
    Py_DECREF(o);
    return x->number != -1.0 || !PyErr_Occurred();
}

/* The number itself, below all levels: 0 if only Python can tell. */
static int data_of(Number x, double *number)
{
    while (x.object && is_tracer(x.object)) {
        const Tracer *t = (Tracer *)x.object;
        if (!t->level->open || !(Py_IS_TYPE(t->level, VJPType) || Py_IS_TYPE(t->level, JVPType)))
            return 0;
        x = t->primal;
    }
    if (x.object && !is_value(x.object))
        return 0;
    *number = x.object ? ((Value *)x.object)->data : x.number;
    return 1;
}

/* --- birth and death ------------------------------------------------------------------------- */

enum { KEPT_TRACERS = 1 << 16 };

static Tracer *spare_tracers, *dead_tracers; /* linked through `view` */
static int spare_count;

static inline Tracer *next_tracer(Tracer *t) { return (Tracer *)t->view; }
static inline void link_tracer(Tracer **to, Tracer *t)
{
    t->view = (StepView *)*to;
    *to = t;
}

/* A tracer with nothing but its level and its primal, which it takes over. */
static Tracer *tracer_new(Scope *level, Number primal)
{
    Tracer *t = spare_tracers;
    if (t) {
        spare_tracers = next_tracer(t);
        spare_count--;
        Py_SET_REFCNT((PyObject *)t, 1);
    } else if ((t = PyObject_GC_New(Tracer, TracerType))) {
        Py_DECREF(TracerType); /* the type outlives all tracers */
    } else {
        Py_XDECREF(primal.object);
        return NULL;
    }
    t->level = (Scope *)Py_NewRef((PyObject *)level);
    t->primal = primal;
    t->payload = (Number){NULL, 0.0};
    t->view = NULL;
    t->pass = 0;
    t->op = OP_LEAF;
    t->count = t->own = t->flags = 0;
    return t;
}

static inline int is_tracked_object(PyObject *o)
{
    return o && (is_value(o) ? ((Value *)o)->flags & TRACKED : PyObject_GC_IsTracked(o));
}

static void release_tracer(Tracer *t)
{
    int count = t->flags & STEP ? t->count : 1;
    t->count = 0;
    for (int i = 0; i < count; i++)
        Py_CLEAR(t->in[i].object);
}

/* As nodes do: the dead queue up, so that long tapes die without recursion. */
static void tracer_dealloc(Tracer *t)
{
    static int working;
    if (PyObject_GC_IsTracked((PyObject *)t))
        PyObject_GC_UnTrack(t);
    link_tracer(&dead_tracers, t);
    if (working)
        return;
    working = 1;
    while ((t = dead_tracers)) {
        dead_tracers = next_tracer(t);
        release_tracer(t);
        Py_CLEAR(t->primal.object);
        Py_CLEAR(t->level);
        if (spare_count < KEPT_TRACERS) {
            spare_count++;
            link_tracer(&spare_tracers, t);
        } else {
            PyObject_GC_Del(t);
        }
    }
    working = 0;
}

static int tracer_traverse(Tracer *t, visitproc visit, void *arg)
{
    int count = t->flags & STEP ? t->count : 1;
    Py_VISIT(t->level);
    Py_VISIT(t->primal.object);
    for (int i = 0; i < count; i++)
        Py_VISIT(t->in[i].object);
    return 0;
}

/* --- what Python computes with them ----------------------------------------------------------- */

static inline int arity_of(uint16_t op) { return KERNELS[op - OP_FIRST].arity; }

static PyObject *tuple_of(const Number *x, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *o = python_of(x[i]);
        if (!o)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, o);
    }
    return tuple;
}

/* By Python: at a level that is not known here, or has ended; `top` is NULL if only it can tell. */
static int apply_otherwise(Tracer *top, uint16_t op, const Number *x, int count, Number *y)
{
    PyObject *args = tuple_of(x, count), *result = NULL;
    if (args)
        result = top ? PyObject_CallMethod(tracer_base, "_apply", "OOO", top, ROWS[op], args)
                     : PyObject_Call(ROWS[op], args, NULL);
    Py_XDECREF(args);
    return take_number(result, y);
}

static inline int is_own(Number x, const Scope *level)
{
    return x.object && is_tracer(x.object) && ((Tracer *)x.object)->level == level;
}
