/* Scopes: what a thread is inside of while a with statement runs; see gradwalk/core/scopes.py.
 *
 * To enter and to leave is one call of C, which no interrupt divides. Whether this thread records
 * is asked by every operation, so the answer is kept until a scope is entered or left. */

typedef struct Entry Entry;

typedef struct {
    PyObject_HEAD
    Entry *innermost; /* of all threads */
    int blocks;
} Scopes;

typedef struct {
    PyObject_HEAD
    Scopes *kind;
    PyObject *others; /* scopes that are open inside, instead of those around; or None */
    long long rank;
    int open;
} Scope;

struct Entry {
    Entry *outer;
    Scope *scope; /* not owned: a scope that dies leaves */
    PyObject *others;
    uint64_t thread;
    int pauses;
};

static PyTypeObject *ScopeType, *ScopesType;
static int pauses;                             /* how many open scopes pause, in all threads */
static uint64_t changes = 1;                   /* how often such a scope was entered or left */
static _Thread_local uint64_t thread, changes_seen;
static _Thread_local int paused;               /* what was found then */
static Scopes *recording_scopes;
static PyObject *name_pauses, *name_scope_kind;

/* A number that no other thread has had, unlike its identifier. */
static uint64_t this_thread(void)
{
    static uint64_t threads;
    if (!thread)
        thread = ++threads;
    return thread;
}

/* The innermost block, of a scope or (NULL) of any, of this thread or (0) of any. */
static Entry **entry_at(Scopes *kind, Scope *scope, uint64_t of)
{
    Entry **at = &kind->innermost;
    while (*at && ((scope && (*at)->scope != scope) || (of && (*at)->thread != of)))
        at = &(*at)->outer;
    return at;
}

static int look_whether_paused(void)
{
    Entry *entry = *entry_at(recording_scopes, NULL, this_thread());
    paused = entry && entry->pauses;
    changes_seen = changes;
    return paused;
}

#define is_paused() (changes_seen == changes ? paused : look_whether_paused())
#define recording() (!pauses || !is_paused())

static void count_opened(Scope *scope, PyObject *others, int step)
{
    scope->open += step;
    for (Py_ssize_t i = 0; others && i < PyTuple_GET_SIZE(others); i++)
        ((Scope *)PyTuple_GET_ITEM(others, i))->open += step;
}

static void leave(Entry **at)
{
    Entry *entry = *at;
    *at = entry->outer;
    entry->scope->kind->blocks--;
    pauses -= entry->pauses;
    changes++;
    count_opened(entry->scope, entry->others, -1);
    Py_XDECREF(entry->others);
    PyMem_Free(entry);
}

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
    Entry *entry = pausing < 0 || others < 0 ? NULL : PyMem_Malloc(sizeof *entry);
    if (!entry)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    Entry made = {scope->kind->innermost, scope, others ? Py_NewRef(scope->others) : NULL,
                  this_thread(), pausing};
    *entry = made;
    if (!scope->rank)
        scope->rank = ranks++;
    scope->kind->innermost = entry;
    scope->kind->blocks++;
    pauses += pausing;
    changes++;
    count_opened(scope, entry->others, +1);
    return Py_NewRef(scope);
}

/* Leave the innermost block of this thread, or else one that another thread entered. */
static PyObject *scope_exit(Scope *scope, PyObject *exception)
{
    Entry **at = entry_at(scope->kind, scope, this_thread());
    if (!*at)
        at = entry_at(scope->kind, scope, 0);
    if (*at)
        leave(at);
    Py_RETURN_NONE;
}

static PyObject *scope_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
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
    for (Entry **at; scope->kind && *(at = entry_at(scope->kind, scope, 0));)
        leave(at);
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
    Entry *entry = *entry_at(kind, NULL, this_thread());
    return PyBool_FromLong(entry && entry->pauses);
}

static PyObject *scopes_depth(Scopes *kind, void *closure)
{
    long depth = 0;
    for (Entry *entry = kind->innermost; entry; entry = entry->outer)
        depth += entry->thread == this_thread();
    return PyLong_FromLong(depth);
}

/* Put the scopes of this thread into a list, the outermost first. */
static int list_open(PyObject *list, Entry *entry)
{
    for (; entry; entry = entry->outer)
        if (entry->thread == this_thread() && entry->others)
            break;
        else if (entry->thread == this_thread()
                 && PyList_Append(list, (PyObject *)entry->scope) < 0)
            return 0;
    if (PyList_Reverse(list) < 0)
        return 0;
    return !entry || PyList_SetSlice(list, 0, 0, entry->others) == 0;
}

static PyObject *scopes_open(Scopes *kind, void *closure)
{
    PyObject *list = PyList_New(0), *tuple = NULL;
    if (list && list_open(list, kind->innermost))
        tuple = PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

static PyGetSetDef scopes_getset[] = {
    {"depth", (getter)scopes_depth, NULL, "How many scopes this thread is in.", NULL},
    {"open", (getter)scopes_open, NULL, "The scopes that this thread is in.", NULL},
    {"paused", (getter)scopes_paused, NULL, "Whether the innermost one of them pauses.", NULL},
    {NULL},
};

static PyMemberDef scopes_members[] = {
    {"blocks", T_INT, offsetof(Scopes, blocks), READONLY, "How many blocks all threads are in."},
    {NULL},
};

static PyType_Slot scopes_slots[] = {
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
    ScopesType = (PyTypeObject *)PyType_FromSpec(&scopes_spec);
    ScopeType = (PyTypeObject *)PyType_FromSpec(&scope_spec);
    recording_scopes = (Scopes *)(ScopesType ? PyObject_CallNoArgs((PyObject *)ScopesType) : NULL);
    name_pauses = PyUnicode_InternFromString("pauses");
    name_scope_kind = PyUnicode_InternFromString("kind");
    return name_pauses && name_scope_kind && ScopeType && recording_scopes
           && PyModule_AddType(module, ScopeType) == 0
           && PyModule_AddType(module, ScopesType) == 0
           && PyModule_AddObjectRef(module, "recording", (PyObject *)recording_scopes) == 0;
}
