/* Equations in columns: what Columns of gradwalk/program/builder.py is, which is the specification. */

/* Operations as they are written. An operand is the index of an earlier entry; inputs come first. */
typedef struct {
    uint16_t *kernel; /* and, from bit MASKED on, the operands that may be absent */
    int32_t *first; /* of each instruction's operands, which end where those of the next begin */
    int32_t *operands;
    size_t count, room, operand_count, operand_room;
    size_t inputs; /* instruction i is entry inputs + i */
} Tape;

static int larger(void **at, size_t *room, size_t size)
{
    size_t more = *room ? 2 * *room : 1024;
    void *grown = PyMem_RawRealloc(*at, more * size);
    if (!grown) {
        PyErr_NoMemory();
        return 0;
    }
    *at = grown;
    *room = more;
    return 1;
}

static void close_tape(Tape *t)
{
    PyMem_RawFree(t->kernel);
    PyMem_RawFree(t->first);
    PyMem_RawFree(t->operands);
}

/* Write one instruction; its entry, or -1 with the error set. */
static int32_t write_down(Tape *t, uint16_t kernel, const int32_t *operands, int count)
{
    if (t->count + 1 >= t->room) {
        size_t room = t->room;
        if (!larger((void **)&t->kernel, &room, sizeof *t->kernel)
            || !larger((void **)&t->first, &t->room, sizeof *t->first))
            return -1;
    }
    while (t->operand_count + (size_t)count > t->operand_room)
        if (!larger((void **)&t->operands, &t->operand_room, sizeof *t->operands))
            return -1;
    if (t->inputs + t->count >= INT32_MAX / 2 || t->operand_count >= INT32_MAX / 2) {
        PyErr_SetString(PyExc_MemoryError, "a program of more than 10⁹ operations");
        return -1;
    }
    t->kernel[t->count] = kernel;
    t->first[t->count] = (int32_t)t->operand_count;
    memcpy(t->operands + t->operand_count, operands, (size_t)count * sizeof *operands);
    t->operand_count += (size_t)count;
    t->first[t->count + 1] = (int32_t)t->operand_count;
    return (int32_t)(t->inputs + t->count++);
}

/* --- columns that Python fills --------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *table, *consts;
    Tape tape; /* whose kernels are places in the table */
    int32_t *outs; /* the first result of each equation, and the end; NULL: each has one */
    size_t outs_room;
    char *absent; /* by variable; NULL: none may be */
    size_t absent_room;
    Slots places, numbers, equations; /* of the table, of floats among the constants, written once */
    size_t place_count, number_count, equation_count;
    int variables, inputs;
} Columns;

/* An operation that gives the other operand back if one is this constant. */
typedef struct {
    PyObject *primitive;
    int place;
    double constant;
} Identity;

enum { MAX_IDENTITIES = 16 };

static PyTypeObject *ColumnsType;
static PyObject *read_primitive;
static Identity identities[MAX_IDENTITIES];
static int identity_count;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int is_same_number(const PyObject *x, double number)
{
    return PyFloat_CheckExact(x) && bits_of(PyFloat_AS_DOUBLE(x)) == bits_of(number);
}

/* The place of a primitive in the table, or -1 with the error set. */
static int place_of(Columns *c, PyObject *primitive)
{
    const uint64_t hash = mix((uint64_t)(uintptr_t)primitive, 0);
    if (!spare_slots(&c->places, c->place_count))
        return -1;
    Slot *slot = first_slot(&c->places, hash);
    for (; slot->index >= 0; slot = next_slot(&c->places, slot))
        if (slot->hash == hash && PyList_GET_ITEM(c->table, slot->index) == primitive)
            return slot->index;
    if (PyList_GET_SIZE(c->table) > UINT16_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a program of more than 65,536 different primitives");
        return -1;
    }
    if (PyList_Append(c->table, primitive) < 0)
        return -1;
    *slot = (Slot){hash, (int32_t)(PyList_GET_SIZE(c->table) - 1)};
    c->place_count++;
    return slot->index;
}

/* The atom of a number, or 0 with the error set. */
static int32_t number_atom(Columns *c, PyObject *x)
{
    const uint64_t hash = mix(bits_of(PyFloat_AS_DOUBLE(x)), 0);
    if (!spare_slots(&c->numbers, c->number_count))
        return 0;
    Slot *slot = first_slot(&c->numbers, hash);
    for (; slot->index >= 0; slot = next_slot(&c->numbers, slot))
        if (slot->hash == hash
            && is_same_number(PyList_GET_ITEM(c->consts, slot->index), PyFloat_AS_DOUBLE(x)))
            return -1 - slot->index;
    if (PyList_Append(c->consts, x) < 0)
        return 0;
    *slot = (Slot){hash, (int32_t)(PyList_GET_SIZE(c->consts) - 1)};
    c->number_count++;
    return -1 - slot->index;
}

static int atom_is_masked(const Columns *c, int32_t atom)
{
    return atom >= 0 && (size_t)atom < c->absent_room && c->absent[atom];
}

static int mark_absent(Columns *c, int32_t variable)
{
    while ((size_t)variable >= c->absent_room) {
        size_t before = c->absent_room;
        if (!larger((void **)&c->absent, &c->absent_room, 1))
            return 0;
        memset(c->absent + before, 0, c->absent_room - before);
    }
    c->absent[variable] = 1;
    return 1;
}

/* Begin to note the results of each equation, as one has none, or several. */
static int begin_outs(Columns *c)
{
    for (size_t k = 0; k <= c->tape.count; k++) {
        if (k >= c->outs_room && !larger((void **)&c->outs, &c->outs_room, sizeof *c->outs))
            return 0;
        c->outs[k] = c->inputs + (int32_t)k;
    }
    return 1;
}

/* Write one equation; its first result, or -1 with the error set. */
static int32_t append_equation(Columns *c, int place, const int32_t *operands, int count,
                               int results, int masked)
{
    const int32_t out = c->variables;
    if (results > INT32_MAX / 2 - out) {
        PyErr_SetString(PyExc_MemoryError, "a program of more than 10⁹ variables");
        return -1;
    }
    if ((results != 1 && !c->outs && !begin_outs(c))
        || write_down(&c->tape, (uint16_t)place, operands, count) < 0)
        return -1;
    if (c->outs) {
        if (c->tape.count >= c->outs_room
            && !larger((void **)&c->outs, &c->outs_room, sizeof *c->outs))
            return -1;
        c->outs[c->tape.count] = out + results;
    }
    c->variables = out + results;
    return masked && !mark_absent(c, out) ? -1 : out;
}

/* The operand that an operation gives back whatever its number is; -1: there is none. */
static int32_t returned_operand(const Columns *c, PyObject *primitive, const int32_t *operands)
{
    for (const Identity *i = identities; i < identities + identity_count; i++)
        if (i->primitive == primitive && operands[i->place] < 0 && operands[1 - i->place] >= 0
            && is_same_number(PyList_GET_ITEM(c->consts, -1 - operands[i->place]), i->constant))
            return operands[1 - i->place];
    return -1;
}

/* The result of an equation with one, which is written once; -1 with the error set. */
static int32_t write_equation(Columns *c, PyObject *primitive, const int32_t *operands, int count,
                              int masked)
{
    const int32_t same = returned_operand(c, primitive, operands);
    const int place = same < 0 ? place_of(c, primitive) : 0;
    if (same >= 0 || place < 0)
        return same;
    uint64_t hash = mix((uint64_t)place, 0);
    for (int i = 0; i < count; i++)
        hash = mix(hash, (uint64_t)operands[i]);
    if (!spare_slots(&c->equations, c->equation_count))
        return -1;
    const Tape *t = &c->tape;
    Slot *slot = first_slot(&c->equations, hash);
    for (; slot->index >= 0; slot = next_slot(&c->equations, slot)) {
        const int32_t k = slot->index, first = t->first[k];
        if (slot->hash == hash && t->kernel[k] == place && t->first[k + 1] - first == count
            && !memcmp(t->operands + first, operands, (size_t)count * sizeof *operands))
            return c->outs ? c->outs[k] : c->inputs + k;
    }
    *slot = (Slot){hash, (int32_t)t->count};
    c->equation_count++;
    return append_equation(c, place, operands, count, 1, masked);
}

/* --- the type -------------------------------------------------------------------------------- */

static PyObject *columns_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    Columns *c = (Columns *)type->tp_alloc(type, 0);
    if (!c)
        return NULL;
    c->table = PyList_New(0);
    c->consts = PyList_New(0);
    if (!c->table || !c->consts)
        Py_CLEAR(c);
    return (PyObject *)c;
}

static int columns_init(PyObject *c, PyObject *args, PyObject *named) { return 0; }

static void columns_dealloc(Columns *c)
{
    PyTypeObject *type = Py_TYPE(c);
    Py_XDECREF(c->table);
    Py_XDECREF(c->consts);
    close_tape(&c->tape);
    PyMem_RawFree(c->outs);
    PyMem_RawFree(c->absent);
    PyMem_RawFree(c->places.at);
    PyMem_RawFree(c->numbers.at);
    PyMem_RawFree(c->equations.at);
    type->tp_free(c);
    Py_DECREF(type);
}

/* The operands in a sequence; a new array of atoms that are there, which PyMem_Free frees. */
static int32_t *atoms_in(const Columns *c, PyObject *given, int *count)
{
    PyObject *atoms = PySequence_Fast(given, "expected a sequence of atoms");
    if (!atoms)
        return NULL;
    *count = (int)PySequence_Fast_GET_SIZE(atoms);
    int32_t *to = PyMem_Malloc(((size_t)*count + 1) * sizeof *to);
    for (int i = 0; to && i < *count; i++) {
        const long a = PyLong_AsLong(PySequence_Fast_GET_ITEM(atoms, i));
        const int there = a < c->variables && a >= -PyList_GET_SIZE(c->consts);
        if (!there && !PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "there is no atom %ld", a);
        if (PyErr_Occurred()) {
            PyMem_Free(to);
            to = NULL;
        } else
            to[i] = (int32_t)a;
    }
    if (!to && !PyErr_Occurred())
        PyErr_NoMemory();
    Py_DECREF(atoms);
    return to;
}

static PyObject *atom_or_error(int32_t atom) { return atom < 0 ? NULL : PyLong_FromLong(atom); }

/* append(primitive, operands, count=1, masked=False) */
static PyObject *columns_append(Columns *c, PyObject *args)
{
    PyObject *primitive, *given;
    int results = 1, masked = 0, count;
    if (!PyArg_ParseTuple(args, "OO|ip:append", &primitive, &given, &results, &masked))
        return NULL;
    if (results < 0)
        return PyErr_Format(PyExc_ValueError, "append: expected a number of results");
    const int place = place_of(c, primitive);
    int32_t *operands = place < 0 ? NULL : atoms_in(c, given, &count);
    if (!operands)
        return NULL;
    PyObject *found = atom_or_error(append_equation(c, place, operands, count, results, masked));
    PyMem_Free(operands);
    return found;
}

/* write(primitive, operands, masked=False) */
static PyObject *columns_write(Columns *c, PyObject *args)
{
    PyObject *primitive, *given;
    int masked = 0, count;
    if (!PyArg_ParseTuple(args, "OO|p:write", &primitive, &given, &masked))
        return NULL;
    int32_t *operands = atoms_in(c, given, &count);
    if (!operands)
        return NULL;
    PyObject *found = atom_or_error(write_equation(c, primitive, operands, count, masked));
    PyMem_Free(operands);
    return found;
}

static PyObject *columns_variable(Columns *c, PyObject *unused)
{
    if (c->tape.count) {
        const int place = place_of(c, read_primitive);
        return place < 0 ? NULL : atom_or_error(append_equation(c, place, NULL, 0, 1, 0));
    }
    c->inputs = ++c->variables;
    return PyLong_FromLong(c->inputs - 1);
}

/* constant(x, own=False) */
static PyObject *columns_constant(Columns *c, PyObject *args)
{
    PyObject *x;
    int own = 0;
    if (!PyArg_ParseTuple(args, "O|p:constant", &x, &own))
        return NULL;
    if (PyFloat_CheckExact(x) && !own) {
        const int32_t atom = number_atom(c, x);
        return atom ? PyLong_FromLong(atom) : NULL;
    }
    return PyList_Append(c->consts, x) < 0 ? NULL : PyLong_FromSsize_t(-PyList_GET_SIZE(c->consts));
}

static PyObject *columns_is_masked(Columns *c, PyObject *atom)
{
    const long a = PyLong_AsLong(atom);
    if (a == -1 && PyErr_Occurred())
        return NULL;
    return PyBool_FromLong(a <= INT32_MAX && atom_is_masked(c, (int32_t)a));
}

static PyObject *bytes_from(const void *from, size_t count, size_t size)
{
    return PyBytes_FromStringAndSize(from, (Py_ssize_t)(count * size));
}

static PyObject *absent_column(Columns *c)
{
    if (!c->absent)
        Py_RETURN_NONE;
    PyObject *column = PyBytes_FromStringAndSize(NULL, c->variables);
    if (column) {
        const size_t noted = (size_t)c->variables < c->absent_room ? (size_t)c->variables : c->absent_room;
        memset(PyBytes_AS_STRING(column), 0, (size_t)c->variables);
        memcpy(PyBytes_AS_STRING(column), c->absent, noted);
    }
    return column;
}

/* columns(): op, first, atoms, outs, absent */
static PyObject *columns_columns(Columns *c, PyObject *unused)
{
    static const int32_t none[1] = {0};
    const Tape *t = &c->tape;
    PyObject *outs = c->outs ? bytes_from(c->outs, t->count + 1, sizeof *c->outs)
                             : Py_NewRef(Py_None);
    return Py_BuildValue("(NNNNN)", bytes_from(t->kernel, t->count, sizeof *t->kernel),
                         bytes_from(t->first ? t->first : none, t->count + 1, sizeof *none),
                         bytes_from(t->operands, t->operand_count, sizeof *none), outs,
                         absent_column(c));
}

static Py_ssize_t columns_length(PyObject *c) { return (Py_ssize_t)((Columns *)c)->tape.count; }

static PyMemberDef columns_members[] = {
    {"table", T_OBJECT, offsetof(Columns, table), READONLY, NULL},
    {"consts", T_OBJECT, offsetof(Columns, consts), READONLY, NULL},
    {"variables", T_INT, offsetof(Columns, variables), READONLY, NULL},
    {"inputs", T_INT, offsetof(Columns, inputs), READONLY, NULL},
    {NULL},
};

static PyMethodDef columns_methods[] = {
    {"append", (PyCFunction)columns_append, METH_VARARGS,
     "append(primitive, operands, count=1, masked=False)"},
    {"columns", (PyCFunction)columns_columns, METH_NOARGS, "columns()"},
    {"constant", (PyCFunction)columns_constant, METH_VARARGS, "constant(x, own=False)"},
    {"is_masked", (PyCFunction)columns_is_masked, METH_O, "is_masked(atom)"},
    {"variable", (PyCFunction)columns_variable, METH_NOARGS, "variable()"},
    {"write", (PyCFunction)columns_write, METH_VARARGS, "write(primitive, operands, masked=False)"},
    {NULL},
};

static PyType_Slot columns_slots[] = {
    {Py_tp_doc, "Equations as they are written, operands before their consumers."},
    {Py_tp_new, columns_new},
    {Py_tp_init, columns_init},
    {Py_tp_dealloc, columns_dealloc},
    {Py_sq_length, columns_length},
    {Py_tp_members, columns_members},
    {Py_tp_methods, columns_methods},
    {0, NULL},
};

static PyType_Spec columns_spec = {
    .name = "gradwalk.program.builder.Columns",
    .basicsize = sizeof(Columns),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = columns_slots,
};

/* columns_type(read, ((primitive, place, constant), ...)): the class Columns. */
static PyObject *engine_columns_type(PyObject *module, PyObject *args)
{
    PyObject *rows;
    if (!PyArg_ParseTuple(args, "OO!:columns_type", &read_primitive, &PyTuple_Type, &rows))
        return NULL;
    Py_INCREF(read_primitive);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows) && i < MAX_IDENTITIES; i++) {
        Identity *to = &identities[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, i), "Oid", &to->primitive, &to->place,
                              &to->constant))
            return NULL;
        Py_INCREF(to->primitive);
        identity_count = (int)i + 1;
    }
    ColumnsType = (PyTypeObject *)PyType_FromSpec(&columns_spec);
    return Py_XNewRef((PyObject *)ColumnsType);
}
