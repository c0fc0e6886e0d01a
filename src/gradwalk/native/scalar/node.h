/* The node of a scalar graph: what it is, how it is born, and how it dies without recursion. */

enum { /* Value.flags */
    NUMBER_0 = 1, NUMBER_1 = 2, /* operand 0 / 1 is a number of the program, kept in place */
    CONSTANT = 4,               /* this leaf stands for such a number: it gets no gradient */
    REACHED = 8,                /* a gradient has arrived in the present reverse pass */
    FREED = 16,                 /* backward(retain_graph=False) has released the operands */
    WIDE = 32,                  /* in[0] is an Extra, which has the operands and more */
    ENTERED = 64, LEFT = 128,   /* how far leaks.h has come with this node */
    TRACKED = 256,              /* by the cyclic collector; see below */
    LINED = 512,                /* lines.h has the line of the program that computed it */
};

typedef struct Value Value;
typedef struct Extra Extra;

typedef union {
    Value *node;
    double number;
    Extra *extra;
} Operand;

/* What few nodes have: a label, more than two operands, a primitive without a kernel. Tracked nodes
 * do not lie in the pages of memory.h, and are linked here. */
struct Extra {
    PyObject *label, *primitive;
    Operand *in;
    char *is_number;  /* which operands are numbers of the program */
    Py_ssize_t count;
    Value *next, *previous;
};

/* 64 bytes, a cache line. The operands of a node are older than itself, so that there are no cycles
 * of nodes. The rules of a user's primitive may refer to Values that are computed by it: only its
 * nodes, and all that have such an operand, are tracked by the cyclic collector. They are wide. */
struct Value {
    PyObject_HEAD
    double data, grad;
    Operand in[2];
    uint32_t pending;     /* consumers that have not reported yet, during a reverse pass */
    uint8_t op, count; /* count: operands in `in`; 0 for a leaf or a wide node */
    uint16_t flags;
    PyObject *weakrefs;
};

_Static_assert(sizeof(Value) <= NODE_SIZE, "a node has to fit its place in memory.h");
_Static_assert(OP_COUNT <= UINT8_MAX, "the kernels have to fit Value.op");

static PyTypeObject *ValueType;
static PyTypeObject *LeakedType; /* of what leaks.h has poisoned */
static PyObject *ROWS[OP_COUNT];  /* kernel -> primitive of the table */
static PyObject *KERNEL_OF;       /* primitive of the table -> kernel */
static PyTypeObject *TracerType;
static PyObject *tracer_base; /* the class of tracers in Python, which knows what is not here */
static PyObject *constant_primitive, *as_float, *expect_text, *is_real, *freed_error, *explain_new,
    *manual;
static PyObject *python_gradients, *python_leaves,
    *nested_error; /* inside of a rule: see reverse.h */

#define is_value(o) Py_IS_TYPE(o, ValueType)
#define is_tracer(o) Py_IS_TYPE(o, TracerType)

static inline Value *fill_node(Value *v, uint16_t op, double data)
{
    v->data = data;
    v->grad = 0.0;
    v->weakrefs = NULL;
    v->pending = 0;
    v->op = (uint8_t)op;
    v->count = 0;
    v->flags = 0;
    return v;
}

static Value *node_new(uint16_t op, double data)
{
    Value *v = take_place();
    if (!v)
        return (Value *)PyErr_NoMemory();
    memset(v, 0, sizeof(PyObject)); /* Py_SET_REFCNT leaves alone what looks immortal */
    Py_SET_TYPE((PyObject *)v, ValueType); /* the type outlives all nodes: no reference to it */
    Py_SET_REFCNT((PyObject *)v, 1);
    return fill_node(v, op, data);
}

static inline Extra *extra_of(Value *v)
{
    return v->flags & WIDE ? v->in[0].extra : NULL;
}

/* The operands of a node, wherever they are. */
static inline Operand *operands_of(Value *v, Py_ssize_t *count)
{
    if (!(v->flags & WIDE)) {
        *count = v->count;
        return v->in;
    }
    *count = v->in[0].extra->count;
    return v->in[0].extra->in;
}

static inline int is_number(Value *v, Py_ssize_t i)
{
    return v->flags & WIDE ? v->in[0].extra->is_number[i] : (v->flags >> i) & 1;
}

static inline double operand_data(Value *v, Operand *in, Py_ssize_t i)
{
    return is_number(v, i) ? in[i].number : in[i].node->data;
}

static inline int is_leaf(Value *v)
{
    return v->op == OP_LEAF;
}

static void free_extra(Extra *extra)
{
    if (extra) {
        Py_XDECREF(extra->label);
        Py_XDECREF(extra->primitive);
        PyMem_Free(extra->in);
        PyMem_Free(extra->is_number);
        PyMem_Free(extra);
    }
}

static Extra *extra_new(Py_ssize_t room)
{
    Extra *extra = PyMem_Calloc(1, sizeof(Extra));
    if (extra) {
        extra->in = PyMem_Calloc(room + 1, sizeof(Operand));
        extra->is_number = PyMem_Calloc(room + 1, 1);
    }
    if (extra && extra->in && extra->is_number)
        return extra;
    free_extra(extra);
    return (Extra *)PyErr_NoMemory();
}

static Value *tracked; /* the last of them */

/* A node that the collector will track, when it is complete. */
static Value *node_new_tracked(uint16_t op, double data, Extra *extra)
{
    Value *v = PyObject_GC_New(Value, ValueType);
    if (!v)
        return NULL;
    Py_DECREF(ValueType);
    fill_node(v, op, data)->flags = WIDE | TRACKED;
    v->in[0].extra = extra;
    extra->next = tracked;
    extra->previous = NULL;
    if (tracked)
        tracked->in[0].extra->previous = v;
    tracked = v;
    return v;
}

static void untrack(Value *v)
{
    Extra *extra = v->in[0].extra;
    if (extra->next)
        extra->next->in[0].extra->previous = extra->previous;
    if (extra->previous)
        extra->previous->in[0].extra->next = extra->next;
    else
        tracked = extra->next;
    if (PyObject_GC_IsTracked((PyObject *)v))
        PyObject_GC_UnTrack(v);
}

/* The same node with its operands in an Extra. */
static int widen(Value *v)
{
    if (v->flags & WIDE)
        return 1;
    Extra *extra = extra_new(v->count);
    if (!extra)
        return 0;
    for (int i = 0; i < v->count; i++) {
        extra->in[i] = v->in[i];
        extra->is_number[i] = (char)is_number(v, i);
    }
    extra->count = v->count;
    v->in[0].extra = extra;
    v->count = 0;
    v->flags = (uint16_t)((v->flags & ~(NUMBER_0 | NUMBER_1)) | WIDE);
    return 1;
}

static Value *dead; /* nodes that nobody refers to any more, linked through their `grad` */

static inline void bury(Value *v)
{
    if (v->flags & TRACKED)
        untrack(v);
    memcpy(&v->grad, &dead, sizeof dead);
    dead = v;
}

/* Py_DECREF, but a node that dies of it only joins the queue: saves a call, 0.4 ms a step. */
static inline void drop(Value *v)
{
    if (Py_REFCNT((PyObject *)v) == 1) {
        Py_SET_REFCNT((PyObject *)v, 0);
        bury(v);
    } else {
        Py_DECREF(v);
    }
}

/* Let go of the operands; the node keeps its numbers and its label. */
static void release_operands(Value *v)
{
    Py_ssize_t count;
    Operand *in = operands_of(v, &count);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!is_number(v, i))
            drop(in[i].node);
    if (v->flags & WIDE)
        v->in[0].extra->count = 0;
    v->count = 0;
}

/* A node that dies releases its operands, which may die of it, and so on down ten million levels.
 * So the dead queue up, and only the first call works the queue off. */
static void work_off_the_dead(void)
{
    static int working;
    Value *v;
    if (working)
        return;
    working = 1;
    while ((v = dead)) {
        memcpy(&dead, &v->grad, sizeof dead);
        if (v->flags & LINED)
            forget_line(v);
        if (v->weakrefs)
            PyObject_ClearWeakRefs((PyObject *)v);
        release_operands(v);
        free_extra(extra_of(v));
        if (v->flags & TRACKED)
            PyObject_GC_Del(v);
        else
            give_place(v);
    }
    working = 0;
}

static int node_is_gc(PyObject *v) { return ((Value *)v)->flags & TRACKED; }

/* There is no tp_clear: every cycle leads through the rules of a primitive, which have one. */
static int node_traverse(Value *v, visitproc visit, void *arg)
{
    Extra *extra = v->in[0].extra;
    Py_VISIT(extra->primitive);
    for (Py_ssize_t i = 0; i < extra->count; i++)
        if (!extra->is_number[i])
            Py_VISIT(extra->in[i].node);
    return 0;
}

static void node_dealloc(Value *v)
{
    bury(v);
    work_off_the_dead();
}
