/* Several rules, one after the other, block by block.
 *
 * NumPy makes a pass over memory for each multiplication of a rule, and one more to add its
 * contribution to others. Here 512 numbers go through a whole chain of rules, those of many nodes
 * of a graph, before the next 512 are looked at: what lies between is never written to memory. The
 * loops are those of kernels.h, printed from the table, and those of masks.h. */

enum { RULE_ARGS = 2 + MAX_MASK_ARGS }; /* t, y and the arguments */

static const PairLoop *pair_loop(uint16_t op, int rule, int moving)
{
    for (size_t i = 0; i < sizeof PAIR_LOOPS / sizeof *PAIR_LOOPS; i++)
        if (PAIR_LOOPS[i].op == op && PAIR_LOOPS[i].rule == rule
            && PAIR_LOOPS[i].moving == moving)
            return &PAIR_LOOPS[i];
    return NULL;
}

static int is_masking(uint16_t op, int rule)
{
#define IS_RULE(primitive, index, arity) (op == OP_##primitive && rule == index) ||
    return MASK_RULES(IS_RULE) 0;
#undef IS_RULE
}

static int is_passing(uint16_t op, int rule)
{
#define IS_RULE(primitive, index) (op == OP_##primitive && rule == index) ||
    return PASSING_RULES(IS_RULE) 0;
#undef IS_RULE
}

/* What of t, y and the arguments a rule looks at: bits. */
static int looks_at(uint16_t op, int rule)
{
    int all = is_masking(op, rule) || is_passing(op, rule);
    for (size_t i = 0; i < sizeof PAIR_LOOPS / sizeof *PAIR_LOOPS; i++)
        if (PAIR_LOOPS[i].op == op && PAIR_LOOPS[i].rule == rule)
            all |= PAIR_LOOPS[i].moving;
    return all;
}

/* rule_kind(primitive, rule): "mask", "pass" or "loop", and the bits of what moves its
 * contribution; None if there is no loop for it. */
static PyObject *engine_rule_kind(PyObject *module, PyObject *args)
{
    PyObject *primitive;
    int rule;
    if (!PyArg_ParseTuple(args, "Oi:rule_kind", &primitive, &rule))
        return NULL;
    uint16_t op = op_of(primitive);
    int looks = op == OP_PYTHON ? 0 : looks_at(op, rule);
    if (!looks)
        Py_RETURN_NONE;
    const char *kind = is_masking(op, rule) ? "mask" : is_passing(op, rule) ? "pass" : "loop";
    return Py_BuildValue("si", kind, looks);
}

/* What is written for whole blocks stays a function: inlined, GCC 12 forgets what `restrict` said.
 */
#define ALONE VECTORS __attribute__((noinline))

/* A mask of a block is words: all ones where a mask is open, 0 where it is shut. */
ALONE static void open_from_bytes(uint64_t *restrict open, const char *restrict shut, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        open[i] = (uint64_t)shut[i] - 1;
}

ALONE static void bytes_from_open(char *restrict shut, const uint64_t *restrict open, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        shut[i] = (char)(1 + open[i]);
}

/* In place, from the 1.0 and 0.0 of masks.h: they differ in bit 61. */
ALONE static void open_from_doubles(char *numbers, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        uint64_t bits; /* only memcpy may read the bits of a double */
        memcpy(&bits, numbers + sizeof bits * (size_t)i, sizeof bits);
        bits = (bits >> 61) - 1;
        memcpy(numbers + sizeof bits * (size_t)i, &bits, sizeof bits);
    }
}

ALONE static void add_block(double *restrict to, const double *restrict a, const double *restrict b,
                            Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        to[i] = a[i] + b[i];
}

ALONE static void add_to_block(double *restrict to, const double *restrict b, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        to[i] += b[i];
}

ALONE static void and_block(uint64_t *restrict to, const uint64_t *restrict a,
                            const uint64_t *restrict b, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        to[i] = a[i] & b[i];
}

ALONE static void or_block(uint64_t *restrict to, const uint64_t *restrict a,
                           const uint64_t *restrict b, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        to[i] = a[i] | b[i];
}

/* What a step does: the contribution that a rule gives, with its tangent if anything moves; a sum;
 * numbers emptied where a mask is shut; the mask that is open where both are, or where either is.
 */
enum { STEP_RULE, STEP_ADD, STEP_EMPTY, STEP_BOTH, STEP_EITHER };

typedef struct {
    int what, rule, live;
    uint16_t op;
    int at[RULE_ARGS], moving[RULE_ARGS], open[RULE_ARGS]; /* registers; -1: there is none */
    int out, second; /* second: the tangent of a contribution, or where a mask is open */
    const PairLoop *loop; /* NULL for a mask */
    int masked;
} Step;

/* Numbers or a mask: given as an array, wanted as an array, or only for a block. */
typedef struct {
    Py_buffer given, wanted;
    double number;
    int is_mask, live, last, slot; /* slot: -1 if it has no room of its own */
    void *here;                    /* of this block */
} Register;

typedef struct {
    Step *steps;
    Register *registers;
    Py_ssize_t count, known; /* of steps, of registers */
    char *room;
    int slots;
    int *unused, idle; /* slots that are free */
} Chain;

/* Which steps lead to something that is wanted, and who is the last to look at each register. */
static void find_live(Chain *c)
{
    for (Py_ssize_t r = 0; r < c->known; r++) {
        c->registers[r].live = c->registers[r].wanted.buf != NULL;
        c->registers[r].last = -1;
    }
    for (Py_ssize_t k = c->count - 1; k >= 0; k--) {
        Step *s = &c->steps[k];
        s->live = c->registers[s->out].live || (s->second >= 0 && c->registers[s->second].live);
        for (int i = 0; s->live && i < 3 * RULE_ARGS; i++) {
            int from = i < RULE_ARGS ? s->at[i]
                : i < 2 * RULE_ARGS ? s->moving[i - RULE_ARGS] : s->open[i - 2 * RULE_ARGS];
            if (from >= 0) {
                Register *r = &c->registers[from];
                r->live = 1;
                r->last = r->last < 0 ? (int)k : r->last;
            }
        }
        for (int i = 0; s->live && i < 2; i++) { /* what nobody looks at is in the way till here */
            Register *to =
                (i ? s->second : s->out) < 0 ? NULL : &c->registers[i ? s->second : s->out];
            if (to && to->last < 0)
                to->last = (int)k;
            if (to && !to->is_mask) /* written all the same */
                to->live = 1;
        }
    }
}

static int take_slot(Chain *c)
{
    return c->idle ? c->unused[--c->idle] : c->slots++;
}

/* Give each register room for a block, unless it lies in an array. */
static void place_registers(Chain *c)
{
    for (Py_ssize_t i = 0; i < c->known; i++) {
        Register *r = &c->registers[i];
        r->slot = r->given.buf && r->live ? c->slots++ : -1;
    }
    for (Py_ssize_t k = 0; k < c->count; k++) {
        Step *s = &c->steps[k];
        int ends[3 * RULE_ARGS + 2], some = 0;
        for (int i = 0; s->live && i < 2; i++) {
            Register *r =
                (i ? s->second : s->out) < 0 ? NULL : &c->registers[i ? s->second : s->out];
            if (r && (r->is_mask || !r->wanted.buf))
                r->slot = take_slot(c);
            if (r)
                ends[some++] = i ? s->second : s->out;
        }
        for (int i = 0; s->live && i < RULE_ARGS; i++) {
            ends[some++] = s->at[i];
            ends[some++] = s->moving[i];
            ends[some++] = s->open[i];
        }
        for (int i = 0; i < some; i++) {
            Register *r = ends[i] < 0 ? NULL : &c->registers[ends[i]];
            if (r && r->last == (int)k && r->slot >= 0 && !r->given.buf && !r->wanted.buf) {
                c->unused[c->idle++] = r->slot;
                r->last = -2; /* once */
            }
        }
    }
}

/* Where the numbers of each register lie in this block. */
static void enter_block(Chain *c, Py_ssize_t start, Py_ssize_t length, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < c->known; i++) {
        Register *r = &c->registers[i];
        double *room = r->slot < 0 ? NULL : (double *)c->room + (size_t)r->slot * BLOCK;
        if (!r->live)
            continue;
        r->here = room;
        if (r->given.buf && r->is_mask)
            open_from_bytes(r->here, (const char *)r->given.buf + start, length);
        else if (r->given.buf)
            r->here = (void *)mask_operand(&r->given, n, start, length, room);
        else if (r->wanted.buf && !r->is_mask)
            r->here = (double *)r->wanted.buf + start;
    }
}

static void *here(const Chain *c, int index)
{
    return index < 0 ? NULL : c->registers[index].here;
}

typedef struct {
    double zeros[BLOCK];
    uint64_t open[BLOCK]; /* a mask that is open everywhere */
} Nought;

static void run_rule(const Chain *c, const Step *s, const Nought *nought, Py_ssize_t n)
{
    Pairs p = {.out = here(c, s->out)};
    for (int k = 0; k < RULE_ARGS; k++) {
        p.at[k] = s->at[k] < 0 ? nought->zeros : here(c, s->at[k]);
        p.moving[k] = here(c, s->moving[k]);
        p.open[k] = s->open[k] < 0 ? nought->open : here(c, s->open[k]);
    }
    int noted = s->second >= 0 && c->registers[s->second].live;
    if (s->loop) {
        p.dout = here(c, s->second);
        (s->masked ? s->loop->masked : s->loop->loop)(&p, n);
        return;
    }
    MaskArgs g = {p.at[0], p.at[1], {p.at[2], p.at[3], p.at[4]}, p.out,
               noted ? here(c, s->second) : NULL};
    mask_block(s->op, s->rule, &g, n);
    if (noted)
        open_from_doubles((char *)g.shut, n);
}

static void run_step(const Chain *c, const Step *s, const Nought *nought, Py_ssize_t n)
{
    void *out = here(c, s->out), *a = here(c, s->at[0]), *b = here(c, s->at[1]);
    if (s->what == STEP_RULE)
        run_rule(c, s, nought, n);
    else if (s->what == STEP_ADD && out == a)
        add_to_block(out, b, n);
    else if (s->what == STEP_ADD)
        add_block(out, a, b, n);
    else if (s->what == STEP_EITHER)
        or_block(out, a, b, n);
    else
        and_block(out, a, b, n);
}

static void run_blocks(Chain *c, Py_ssize_t n)
{
    Nought nought;
    memset(nought.zeros, 0, sizeof nought.zeros);
    memset(nought.open, 0xff, sizeof nought.open);
    for (Py_ssize_t start = 0; start < n; start += BLOCK) {
        Py_ssize_t length = n - start < BLOCK ? n - start : BLOCK;
        enter_block(c, start, length, n);
        for (Py_ssize_t k = 0; k < c->count; k++)
            if (c->steps[k].live)
                run_step(c, &c->steps[k], &nought, length);
        for (Py_ssize_t i = 0; i < c->known; i++) {
            Register *r = &c->registers[i];
            if (r->is_mask && r->wanted.buf)
                bytes_from_open((char *)r->wanted.buf + start, r->here, length);
        }
    }
}

/* One step from Python: (what, primitive, rule, t, y, 3 arguments, their 5 tangents, their 5 masks,
 * out, second), registers by number, -1 for none. 0 with the error set if it is none. */
static int read_step(Step *s, PyObject *tuple, Py_ssize_t known)
{
    enum { PARTS = 3 + 3 * RULE_ARGS + 2 };
    int *places[PARTS] = {&s->what, NULL, &s->rule};
    for (int k = 0; k < RULE_ARGS; k++) {
        places[3 + k] = &s->at[k];
        places[3 + RULE_ARGS + k] = &s->moving[k];
        places[3 + 2 * RULE_ARGS + k] = &s->open[k];
    }
    places[PARTS - 2] = &s->out;
    places[PARTS - 1] = &s->second;
    int fit = PyTuple_CheckExact(tuple) && PyTuple_GET_SIZE(tuple) == PARTS;
    for (int i = 0; fit && i < PARTS; i++)
        if (places[i]) {
            *places[i] = (int)PyLong_AsLong(PyTuple_GET_ITEM(tuple, i));
            fit = !PyErr_Occurred() && (i < 3 || (*places[i] >= -1 && *places[i] < known));
        }
    fit = fit && s->out >= 0 && (s->what == STEP_RULE || (s->at[0] >= 0 && s->at[1] >= 0));
    if (fit && s->what == STEP_RULE) {
        s->op = op_of(PyTuple_GET_ITEM(tuple, 1));
        int looks = s->op == OP_PYTHON ? 0 : looks_at(s->op, s->rule), pattern = 0;
        for (int k = 0; k < RULE_ARGS; k++) {
            int moves = s->moving[k] >= 0 && looks >> k & 1;
            pattern |= moves << k;
            s->masked |= moves && k && s->open[k] >= 0;
        }
        s->loop = pair_loop(s->op, s->rule, pattern);
        fit = s->op != OP_PYTHON && (s->loop ? !pattern || s->second >= 0
                                             : is_masking(s->op, s->rule));
    }
    if (!fit && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "run_chain: a step that does not fit");
    return fit;
}

/* One register from Python: (given, wanted, is_mask), arrays, numbers or None. */
static int read_register(Register *r, PyObject *given, PyObject *wanted, int is_mask)
{
    r->is_mask = is_mask;
    if (PyFloat_Check(given) || PyLong_Check(given)) {
        r->number = PyFloat_AsDouble(given);
        r->given = (Py_buffer){.buf = &r->number, .len = 8, .itemsize = 8, .format = "d"};
    } else if (given != Py_None
               && PyObject_GetBuffer(given, &r->given, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return 0;
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE;
    if (wanted != Py_None && PyObject_GetBuffer(wanted, &r->wanted, flags) < 0)
        return 0;
    return !PyErr_Occurred();
}

/* Whether all arrays are of one shape, that of the results, and of types that steps know. */
static int registers_fit(Chain *c, const Py_buffer *like)
{
    for (Py_ssize_t i = 0; i < c->known; i++) {
        Register *r = &c->registers[i];
        if (r->wanted.buf && (!mask_fits(&r->wanted, like) || r->wanted.ndim != like->ndim
                              || r->wanted.itemsize != (r->is_mask ? 1 : 8)))
            return 0;
        if (r->given.buf && (!mask_fits(&r->given, like)
                             || (r->is_mask && r->given.len * like->itemsize != like->len)))
            return 0;
    }
    return 1;
}

static void chain_free(Chain *c)
{
    for (Py_ssize_t i = 0; c->registers && i < c->known; i++) {
        PyBuffer_Release(&c->registers[i].given);
        PyBuffer_Release(&c->registers[i].wanted);
    }
    PyMem_Free(c->steps);
    PyMem_Free(c->registers);
    PyMem_Free(c->unused);
    PyMem_Free(c->room);
}

static int chain_read(Chain *c, PyObject *steps, PyObject *given, PyObject *wanted, PyObject *masks)
{
    c->count = PyList_GET_SIZE(steps);
    c->known = PyList_GET_SIZE(given);
    c->steps = PyMem_Calloc((size_t)c->count + 1, sizeof *c->steps);
    c->registers = PyMem_Calloc((size_t)c->known + 1, sizeof *c->registers);
    c->unused = PyMem_Calloc((size_t)c->known + 1, sizeof *c->unused);
    if (!c->steps || !c->registers || !c->unused)
        return PyErr_NoMemory() != NULL;
    if (PyList_GET_SIZE(wanted) != c->known || PyList_GET_SIZE(masks) != c->known) {
        PyErr_SetString(PyExc_ValueError, "run_chain: lists of different lengths");
        return 0;
    }
    for (Py_ssize_t k = 0; k < c->count; k++)
        if (!read_step(&c->steps[k], PyList_GET_ITEM(steps, k), c->known))
            return 0;
    for (Py_ssize_t i = 0; i < c->known; i++)
        if (!read_register(&c->registers[i], PyList_GET_ITEM(given, i), PyList_GET_ITEM(wanted, i),
                           PyList_GET_ITEM(masks, i) == Py_True))
            return 0;
    return 1;
}

/* run_chain(steps, given, wanted, masks): lists of steps and, for each register, of arrays or
 * numbers that are given, of arrays that are wanted, and of flags whether it is a mask. */
static PyObject *engine_run_chain(PyObject *module, PyObject *args)
{
    PyObject *steps, *given, *wanted, *masks;
    if (!PyArg_ParseTuple(args, "O!O!O!O!:run_chain", &PyList_Type, &steps, &PyList_Type, &given,
                          &PyList_Type, &wanted, &PyList_Type, &masks))
        return NULL;
    Chain c = {NULL};
    const Py_buffer *like = NULL;
    int ok = chain_read(&c, steps, given, wanted, masks);
    for (Py_ssize_t i = 0; ok && i < c.known; i++)
        like = c.registers[i].wanted.buf ? &c.registers[i].wanted : like;
    if (ok && like && !registers_fit(&c, like)) {
        PyErr_SetString(PyExc_ValueError, "run_chain: arrays that do not fit");
        ok = 0;
    }
    if (ok && like) {
        find_live(&c);
        place_registers(&c);
        c.room = PyMem_Malloc(((size_t)c.slots + 1) * BLOCK * sizeof(double));
        ok = c.room || PyErr_NoMemory();
    }
    if (ok && like) {
        Py_BEGIN_ALLOW_THREADS
        run_blocks(&c, like->len / like->itemsize);
        Py_END_ALLOW_THREADS
    }
    chain_free(&c);
    return ok ? Py_NewRef(Py_None) : NULL;
}
