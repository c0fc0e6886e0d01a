/* Scopes: what a program is inside of while a with statement runs; see gradwalk/core/scopes.py.
 *
 * To enter and to leave is one call of C, which no interrupt divides. Operations ask for a context
 * variable only while some scope pauses: it keeps its last answer, and takes 6 ns. */

typedef struct Entry Entry;

typedef struct {
    PyObject_HEAD
    PyObject *innermost; /* a context variable: the Entry that a task or a thread is in */
    int blocks;          /* how many entries are open, of all */
} Scopes;

typedef struct {
    PyObject_HEAD
    Scopes *kind;
    PyObject *others; /* scopes that are open inside, instead of those around; or None */
    Entry *entries;   /* its own that are open, the last one first */
    long long rank;
    int open;
} Scope;

/* One with statement. Contexts refer to it: a new task inherits those around its creation. */
struct Entry {
    PyObject_HEAD
    Entry *outer, *next; /* `outer` is owned; `next` is another one of the same scope */
    Scope *scope;        /* not owned: a scope that dies leaves. NULL: the entry has ended */
    PyObject *others;
    int pauses;
};

static PyTypeObject *ScopeType, *ScopesType, *EntryType;
static int pauses; /* how many open scopes pause, in all threads */
static Scopes *recording_scopes;
static PyObject *name_pauses, *name_scope_kind;

/* The innermost entry that this context is in, borrowed; NULL if there is none. */
static Entry *current_entry(const Scopes *kind)
{
    PyObject *found = NULL;
    if (PyContextVar_Get(kind->innermost, NULL, &found) < 0)
        PyErr_Clear(); /* it takes a broken hash table, which is for the next user of it to tell */
    Entry *entry = found == Py_None ? NULL : (Entry *)found;
    while (entry && !entry->scope)
        entry = entry->outer;
    Py_XDECREF(found); /* the context keeps it */
    return entry;
}

/* Make an entry, or none, the one that this context is in: 0 with the error set. */
static int set_current(const Scopes *kind, Entry *entry)
{
    PyObject *token = set_variable(kind->innermost, entry ? (PyObject *)entry : Py_None);
    Py_XDECREF(token);
    return token != NULL;
}

static int is_paused(void)
{
    const Entry *entry = current_entry(recording_scopes);
    return entry && entry->pauses;
}

#define recording() (!pauses || !is_paused())

static void count_opened(Scope *scope, PyObject *others, int step)
{
    scope->open += step;
    for (Py_ssize_t i = 0; others && i < PyTuple_GET_SIZE(others); i++)
        ((Scope *)PyTuple_GET_ITEM(others, i))->open += step;
}

/* End an entry. Contexts that refer to it pass over it. */
static void leave(Entry *entry)
{
    Scope *scope = entry->scope;
    Entry **at = &scope->entries;
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    scope->kind->blocks--;
    pauses -= entry->pauses;
    count_opened(scope, entry->others, -1);
    entry->scope = NULL;
    Py_CLEAR(entry->others);
}

/* Not recursively: with statements may lie in each other as deep as the program likes. */
static void entry_dealloc(Entry *entry)
{
    while (entry) {
        PyTypeObject *type = Py_TYPE(entry);
        Entry *outer = entry->outer;
        if (entry->scope) /* the thread, or the task, has ended inside */
            leave(entry);
        PyObject_Free(entry);
        Py_DECREF(type);
        if (outer && Py_REFCNT((PyObject *)outer) > 1) {
            Py_DECREF(outer);
            outer = NULL;
        }
        entry = outer;
    }
}

static PyType_Slot entry_slots[] = {
    {Py_tp_doc, "One with statement."}, {Py_tp_dealloc, entry_dealloc}, {0, NULL}};

static PyType_Spec entry_spec = {
    .name = "gradwalk.native.Entry",
    .basicsize = sizeof(Entry),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = entry_slots,
};

/* Whether `others` is a tuple of scopes: -1 with the error set if it is neither that nor None. */
static int has_others(Scope *scope)
{
    int fit = scope->others && PyTuple_CheckExact(scope->others), none = scope->others == Py_None;
    for (Py_ssize_t i = 0; fit && i < PyTuple_GET_SIZE(scope->others); i++)
        fit = PyObject_TypeCheck(PyTuple_GET_ITEM(scope->others, i), ScopeType);
    if (!fit && !none)
        PyErr_SetString(PyExc_TypeError, "Scope.others: expected a tuple of scopes");
    return fit ? 1 : none ? 0 : -1;
}

static PyObject *scope_enter(Scope *scope, PyObject *unused)
{
    static long long ranks = 2; /* above Values (0) and Tensors (1) */
    int others = has_others(scope), pausing = 0;
    if (scope->kind == recording_scopes) {
        PyObject *answer = PyObject_GetAttr((PyObject *)scope, name_pauses);
        pausing = answer ? PyObject_IsTrue(answer) : -1;
        Py_XDECREF(answer);
    }
    Entry *entry = pausing < 0 || others < 0 ? NULL : PyObject_New(Entry, EntryType);
    if (!entry)
        return NULL;
    Entry *outer = current_entry(scope->kind);
    entry->outer = (Entry *)Py_XNewRef((PyObject *)outer);
    entry->next = NULL;
    entry->scope = NULL;
    entry->others = NULL;
    entry->pauses = pausing;
    const int known = set_current(scope->kind, entry);
    Py_DECREF(entry); /* the context keeps it */
    if (!known)
        return NULL;
    if (!scope->rank)
        scope->rank = ranks++;
    entry->scope = scope;
    entry->others = others ? Py_NewRef(scope->others) : NULL;
    entry->next = scope->entries;
    scope->entries = entry;
    scope->kind->blocks++;
    pauses += pausing;
    count_opened(scope, entry->others, +1);
    return Py_NewRef(scope);
}

/* Leave the innermost block of this context, or else one that another one entered. */
static PyObject *scope_exit(Scope *scope, PyObject *exception)
{
    Entry *current = current_entry(scope->kind), *entry = current;
    while (entry && entry->scope != scope)
        entry = entry->outer;
    if (!entry)
        entry = scope->entries;
    if (!entry)
        Py_RETURN_NONE;
    leave(entry);
    if (entry == current && !set_current(scope->kind, entry->outer))
        PyErr_Clear(); /* the entry has ended all the same: a context passes over it */
    Py_RETURN_NONE;
}

/* Raise the error for arguments of a scope that has no constructor of its own. */
static PyObject * scope_misfit(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *none = named ? Py_NewRef(named) : PyDict_New(), *done = NULL;
    if (none)
        done = PyObject_CallFunctionObjArgs(explain_new, (PyObject *)type, args, none, NULL);
    if (done)
        PyErr_Format(PyExc_TypeError, "%s() takes no arguments", type->tp_name);
    Py_XDECREF(done);
    Py_XDECREF(none);
    return NULL;
}

static PyObject *scope_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    if ((PyTuple_GET_SIZE(args) || (named && PyDict_GET_SIZE(named))) && type->tp_init == PyBaseObject_Type.tp_init)
        return scope_misfit(type, args, named);
    PyObject *kind = PyObject_GetAttr((PyObject *)type, name_scope_kind);
    if (kind && !Py_IS_TYPE(kind, ScopesType))
        PyErr_SetString(PyExc_TypeError, "Scope.kind: expected Scopes()");
    Scope *scope = PyErr_Occurred() ? NULL : (Scope *)type->tp_alloc(type, 0);
    if (!scope) {
        Py_XDECREF(kind);
        return NULL;
    }
    scope->kind = (Scopes *)kind;
    scope->others = Py_NewRef(Py_None);
    return (PyObject *)scope;
}

static int scope_traverse(Scope *scope, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(scope));
    Py_VISIT(scope->others);
    return 0;
}

static int scope_clear(Scope *scope)
{
    Py_CLEAR(scope->others);
    return 0;
}

static void scope_dealloc(Scope *scope)
{
    PyTypeObject *type = Py_TYPE(scope);
    PyObject_GC_UnTrack(scope);
    while (scope->entries)
        leave(scope->entries);
    Py_CLEAR(scope->others);
    Py_XDECREF(scope->kind);
    type->tp_free(scope);
    Py_DECREF(type);
}

static PyObject *scope_is_open(Scope *scope, void *closure)
{
    return PyBool_FromLong(scope->open);
}

static PyGetSetDef scope_getset[] = {
    {"is_open", (getter)scope_is_open, NULL, "Whether any thread is inside.", NULL},
    {NULL},
};

static PyMemberDef scope_members[] = {
    {"others", T_OBJECT, offsetof(Scope, others), 0, "Scopes that are open inside, or None."},
    {"rank", T_LONGLONG, offsetof(Scope, rank), READONLY, "Grows with the order of entering."},
    {NULL},
};

static PyMethodDef scope_methods[] = {
    {"__enter__", (PyCFunction)scope_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)scope_exit, METH_VARARGS, NULL},
    {NULL},
};

static PyType_Slot scope_slots[] = {
    {Py_tp_doc, "Scope()\n--\n\nWhat a with statement opens; see gradwalk.core.scopes."},
    {Py_tp_new, scope_new},         {Py_tp_dealloc, scope_dealloc},
    {Py_tp_traverse, scope_traverse}, {Py_tp_clear, scope_clear},
    {Py_tp_getset, scope_getset},   {Py_tp_members, scope_members},
    {Py_tp_methods, scope_methods}, {0, NULL},
};

static PyType_Spec scope_spec = {
    .name = "gradwalk.native.Scope",
    .basicsize = sizeof(Scope),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = scope_slots,
};

/* --- the scopes of one kind ------------------------------------------------------------------- */

static PyObject *scopes_paused(Scopes *kind, void *closure)
{
    const Entry *entry = current_entry(kind);
    return PyBool_FromLong(entry && entry->pauses);
}

static PyObject *scopes_depth(Scopes *kind, void *closure)
{
    long depth = 0;
    for (const Entry *entry = current_entry(kind); entry; entry = entry->outer)
        depth += entry->scope != NULL;
    return PyLong_FromLong(depth);
}

/* Put the scopes of this context into a list, the outermost first. */
static int list_open(PyObject *list, Entry *entry)
{
    for (; entry; entry = entry->outer)
        if (entry->scope && entry->others)
            break;
        else if (entry->scope && PyList_Append(list, (PyObject *)entry->scope) < 0)
            return 0;
    if (PyList_Reverse(list) < 0)
        return 0;
    return !entry || PyList_SetSlice(list, 0, 0, entry->others) == 0;
}

static PyObject *scopes_open(Scopes *kind, void *closure)
{
    PyObject *list = PyList_New(0), *tuple = NULL;
    if (list && list_open(list, current_entry(kind)))
        tuple = PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

static PyGetSetDef scopes_getset[] = {
    {"depth", (getter)scopes_depth, NULL, "How many scopes this context is in.", NULL},
    {"open", (getter)scopes_open, NULL, "The scopes that this context is in.", NULL},
    {"paused", (getter)scopes_paused, NULL, "Whether the innermost one of them pauses.", NULL},
    {NULL},
};

static PyMemberDef scopes_members[] = {
    {"blocks", T_INT, offsetof(Scopes, blocks), READONLY, "How many blocks are open in all contexts."},
    {NULL},
};

static PyObject *scopes_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    Scopes *kind = (Scopes *)type->tp_alloc(type, 0);
    if (kind && !(kind->innermost = PyContextVar_New("gradwalk.scopes", Py_None)))
        Py_CLEAR(kind);
    return (PyObject *)kind;
}

static void scopes_dealloc(Scopes *kind)
{
    PyTypeObject *type = Py_TYPE(kind);
    Py_XDECREF(kind->innermost);
    type->tp_free(kind);
    Py_DECREF(type);
}

static PyType_Slot scopes_slots[] = {
    {Py_tp_new, scopes_new},
    {Py_tp_dealloc, scopes_dealloc},
    {Py_tp_doc, "The open scopes of one kind; gradwalk.core.scopes.Scopes is its specification."},
    {Py_tp_getset, scopes_getset},
    {Py_tp_members, scopes_members},
    {0, NULL},
};

static PyType_Spec scopes_spec = {
    .name = "gradwalk.native.Scopes",
    .basicsize = sizeof(Scopes),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = scopes_slots,
};

/* Add both classes to the module, and the scopes of no_grad. */
static int add_scopes(PyObject *module)
{
    EntryType = (PyTypeObject *)PyType_FromSpec(&entry_spec);
    ScopesType = (PyTypeObject *)PyType_FromSpec(&scopes_spec);
    ScopeType = (PyTypeObject *)PyType_FromSpec(&scope_spec);
    recording_scopes = (Scopes *)(ScopesType ? PyObject_CallNoArgs((PyObject *)ScopesType) : NULL);
    name_pauses = PyUnicode_InternFromString("pauses");
    name_scope_kind = PyUnicode_InternFromString("kind");
    return name_pauses && name_scope_kind && EntryType && ScopeType && recording_scopes
           && PyModule_AddType(module, ScopeType) == 0
           && PyModule_AddType(module, ScopesType) == 0
           && PyModule_AddObjectRef(module, "recording", (PyObject *)recording_scopes) == 0;
}
