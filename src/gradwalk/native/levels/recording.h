/* What a compiled function computes with numbers, as it is written down; gradwalk/program/recording/recorder.py
 * is the specification. Operations on numbers that are there in every run are recorded here. */

typedef struct {
    PyObject_HEAD
    PyObject *primitive, *operands, *source;
    char masked, absent;
} Written;

/* A list of them, in which equal operations are written once. */
typedef struct {
    PyListObject list;
    Slots slots;
    size_t written;
} Ledger;

/* An operation that gives the other operand back if one is this constant. */
typedef struct {
    PyObject *primitive;
    int place;
    double constant;
} Identity;

enum { MAX_IDENTITIES = 16 };

static PyTypeObject *WrittenType, *LedgerType;
static PyObject *name_entries;
static Identity identities[MAX_IDENTITIES];
static int identity_count;

/* --- entries --------------------------------------------------------------------------------- */

static int written_init(Written *w, PyObject *args, PyObject *named)
{
    static char *names[] = {"primitive", "operands", "masked", "absent", "source", NULL};
    PyObject *primitive, *operands = NULL, *source = Py_None;
    int masked = 0, absent = 0;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O|O!ppO:Entry", names, &primitive, &PyTuple_Type,
                                     &operands, &masked, &absent, &source))
        return -1;
    Py_XSETREF(w->primitive, Py_NewRef(primitive));
    Py_XSETREF(w->operands, operands ? Py_NewRef(operands) : PyTuple_New(0));
    Py_XSETREF(w->source, Py_NewRef(source));
    w->masked = (char)masked;
    w->absent = (char)absent;
    return w->operands ? 0 : -1;
}

/* Tuples count how deep they are in each other while they are freed, so no chain is too long. */
static void written_dealloc(Written *w)
{
    PyTypeObject *type = Py_TYPE(w);
    Py_XDECREF(w->primitive);
    Py_XDECREF(w->operands);
    Py_XDECREF(w->source);
    type->tp_free(w);
    Py_DECREF(type);
}

static PyMemberDef written_members[] = {
    {"primitive", T_OBJECT, offsetof(Written, primitive), 0, NULL},
    {"operands", T_OBJECT, offsetof(Written, operands), 0, NULL},
    {"source", T_OBJECT, offsetof(Written, source), 0, NULL},
    {"masked", T_BOOL, offsetof(Written, masked), 0, NULL},
    {"absent", T_BOOL, offsetof(Written, absent), 0, NULL},
    {NULL},
};

static PyType_Slot written_slots[] = {
    {Py_tp_doc, "A number of a program: an input, or the result of a primitive."},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, written_init},
    {Py_tp_dealloc, written_dealloc},
    {Py_tp_members, written_members},
    {0, NULL},
};

static PyType_Spec written_spec = {
    .name = "gradwalk.program.recording.entries.Entry",
    .basicsize = sizeof(Written),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = written_slots,
};

/* --- the list -------------------------------------------------------------------------------- */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int is_same_operand(PyObject *a, PyObject *b)
{
    return a == b
           || (PyFloat_CheckExact(a) && PyFloat_CheckExact(b)
               && bits_of(PyFloat_AS_DOUBLE(a)) == bits_of(PyFloat_AS_DOUBLE(b)));
}

static int is_same_operation(PyObject *entry, PyObject *primitive, PyObject *const *x,
                             Py_ssize_t count)
{
    const Written *w = (Written *)entry;
    if (w->primitive != primitive || PyTuple_GET_SIZE(w->operands) != count)
        return 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!is_same_operand(PyTuple_GET_ITEM(w->operands, i), x[i]))
            return 0;
    return 1;
}

/* The operand that an operation gives back whatever its number is; NULL: there is none. */
static PyObject *returned_operand(PyObject *primitive, PyObject *const *x)
{
    for (const Identity *i = identities; i < identities + identity_count; i++)
        if (i->primitive == primitive && PyFloat_CheckExact(x[i->place])
            && bits_of(PyFloat_AS_DOUBLE(x[i->place])) == bits_of(i->constant)
            && !PyFloat_CheckExact(x[1 - i->place]))
            return x[1 - i->place];
    return NULL;
}

static PyObject *append_entry(Ledger *l, PyObject *primitive, PyObject *const *x, Py_ssize_t count,
                              int masked, int absent)
{
    PyObject *operands = PyTuple_New(count);
    Written *w = operands ? (Written *)WrittenType->tp_alloc(WrittenType, 0) : NULL;
    if (!w) {
        Py_XDECREF(operands);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        PyTuple_SET_ITEM(operands, i, Py_NewRef(x[i]));
    w->primitive = Py_NewRef(primitive);
    w->operands = operands;
    w->source = Py_NewRef(Py_None);
    w->masked = (char)masked;
    w->absent = (char)absent;
    if (PyList_Append((PyObject *)l, (PyObject *)w) < 0)
        Py_CLEAR(w);
    return (PyObject *)w;
}

/* The entry of an operation, a new reference. */
static PyObject *entry_for(Ledger *l, PyObject *primitive, PyObject *const *x, Py_ssize_t count,
                           int masked, int absent)
{
    PyObject *same = returned_operand(primitive, x);
    if (same)
        return Py_NewRef(same);
    uint64_t hash = mix((uint64_t)(uintptr_t)primitive, 0);
    for (Py_ssize_t i = 0; i < count; i++)
        hash = mix(hash, PyFloat_CheckExact(x[i]) ? bits_of(PyFloat_AS_DOUBLE(x[i]))
                                                  : (uint64_t)(uintptr_t)x[i]);
    if (!spare_slots(&l->slots, l->written))
        return NULL;
    Slot *slot = first_slot(&l->slots, hash);
    for (; slot->index >= 0; slot = next_slot(&l->slots, slot)) {
        PyObject *known = slot->hash == hash && slot->index < PyList_GET_SIZE(l)
                              ? PyList_GET_ITEM(l, slot->index)
                              : NULL;
        if (known && is_same_operation(known, primitive, x, count))
            return Py_NewRef(known);
    }
    PyObject *made = append_entry(l, primitive, x, count, masked, absent);
    if (made) {
        *slot = (Slot){hash, (int32_t)(PyList_GET_SIZE(l) - 1)};
        l->written++;
    }
    return made;
}

static PyObject *ledger_write(Ledger *l, PyObject *args)
{
    PyObject *primitive, *operands;
    int masked = 0, absent = 0;
    if (!PyArg_ParseTuple(args, "OO!|pp:write", &primitive, &PyTuple_Type, &operands, &masked,
                          &absent))
        return NULL;
    return entry_for(l, primitive, ((PyTupleObject *)operands)->ob_item, PyTuple_GET_SIZE(operands),
                     masked, absent);
}

static void ledger_dealloc(Ledger *l)
{
    PyTypeObject *type = Py_TYPE(l);
    PyMem_RawFree(l->slots.at);
    l->slots = (Slots){NULL, 0};
    PyList_Type.tp_dealloc((PyObject *)l);
    Py_DECREF(type);
}

static PyMethodDef ledger_methods[] = {
    {"write", (PyCFunction)ledger_write, METH_VARARGS,
     "Return the entry of an operation, which is written down once however often it comes."},
    {NULL},
};

static PyType_Slot ledger_slots[] = {
    {Py_tp_doc, "The entries of a program in the order in which they were computed."},
    {Py_tp_dealloc, ledger_dealloc},
    {Py_tp_methods, ledger_methods},
    {0, NULL},
};

static PyType_Spec ledger_spec = {
    .name = "gradwalk.program.recording.entries.Entries",
    .basicsize = sizeof(Ledger),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = ledger_slots,
};

/* entry_types(((primitive, place, constant), ...)): the classes Entry and Entries. */
static PyObject *engine_entry_types(PyObject *module, PyObject *rows)
{
    if (!PyTuple_Check(rows))
        return PyErr_Format(PyExc_TypeError, "entry_types: expected a tuple, got %R", rows);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows) && i < MAX_IDENTITIES; i++) {
        Identity *to = &identities[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, i), "Oid", &to->primitive, &to->place,
                              &to->constant))
            return NULL;
        Py_INCREF(to->primitive);
        identity_count = (int)i + 1;
    }
    PyObject *bases = PyTuple_Pack(1, &PyList_Type);
    name_entries = PyUnicode_InternFromString("entries");
    WrittenType = (PyTypeObject *)PyType_FromSpec(&written_spec);
    LedgerType = (PyTypeObject *)(bases ? PyType_FromSpecWithBases(&ledger_spec, bases) : NULL);
    Py_XDECREF(bases);
    if (!name_entries || !WrittenType || !LedgerType)
        return NULL;
    return Py_BuildValue("(OO)", WrittenType, LedgerType);
}

/* recorder_type(Recorder) */
static PyObject *engine_recorder_type(PyObject *module, PyObject *level)
{
    RecorderType = (PyTypeObject *)Py_NewRef(level);
    Py_RETURN_NONE;
}

/* --- operations ------------------------------------------------------------------------------ */

/* The operand of a number of this run, a new reference; NULL if Python has to say what it is. */
static PyObject *written_operand(Number x, const Scope *level, double *number)
{
    if (!x.object) {
        *number = x.number;
        return PyFloat_FromDouble(x.number);
    }
    const Tracer *t = (Tracer *)x.object;
    if (!is_own(x, level) || t->primal.object || !t->payload.object
        || !Py_IS_TYPE(t->payload.object, WrittenType) || ((Written *)t->payload.object)->masked)
        return NULL;
    *number = t->primal.number;
    return Py_NewRef(t->payload.object);
}

static PyObject *write_operation(Scope *level, uint16_t op, PyObject *const *operands, int count)
{
    PyObject *ledger = PyObject_GetAttr((PyObject *)level, name_entries), *entry = NULL;
    if (ledger && Py_IS_TYPE(ledger, LedgerType))
        entry = entry_for((Ledger *)ledger, ROWS[op], operands, count, 0, 0);
    else if (ledger)
        PyErr_SetString(PyExc_TypeError, "Recorder.entries: expected Entries");
    Py_XDECREF(ledger);
    return entry;
}

static int apply_in_recorder(Tracer *top, uint16_t op, const Number *x, int count, Number *y)
{
    Scope *level = top->level;
    PyObject *operands[3], *entry = NULL;
    double numbers[3];
    int found = 0;
    for (; found < count; found++)
        if (!(operands[found] = written_operand(x[found], level, &numbers[found])))
            break;
    if (found == count)
        entry = write_operation(level, op, operands, count);
    while (found-- > 0)
        Py_DECREF(operands[found]);
    if (!entry)
        return PyErr_Occurred() ? 0 : apply_otherwise(top, op, x, count, y);
    Tracer *t = tracer_new(level, (Number){NULL, forward(op, numbers)});
    if (!t) {
        Py_DECREF(entry);
        return 0;
    }
    t->payload.object = entry;
    t->flags = SIMPLE;
    *y = (Number){(PyObject *)t, 0.0};
    return 1;
}
