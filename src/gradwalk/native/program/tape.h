/* A graph written down as a program: what its nodes compute, then what the reverse pass computes.
 *
 * An operand is the index of an earlier entry. Inputs come first: leaves, then constants. The
 * contributions are added in the order of reverse.h, so that a program gives the bits of
 * backward().
 */

enum { MASKED = 11 };
_Static_assert(KERNEL_COUNT < 1 << MASKED, "a kernel and its masked operands have 16 bits");

typedef struct {
    Sweep s;
    Array order;           /* inner nodes, consumers first */
    double *constants;     /* each once */
    size_t constant_count, constant_room;
    Slots slots;           /* of them, by bits */
    int32_t *gradients;    /* entry of the gradient of each leaf and node; -1: there is none */
    int32_t *watched_entries;
    int custom;            /* the graph has a rule that is not in the table */
    Tape tape;
} Recorder;

static void close_recorder(Recorder *r)
{
    close_sweep(&r->s);
    PyMem_RawFree(r->order.at);
    PyMem_RawFree(r->constants);
    PyMem_RawFree(r->slots.at);
    PyMem_RawFree(r->gradients);
    PyMem_RawFree(r->watched_entries);
    close_tape(&r->tape);
}

/* The order of pass_on, which depends on the edges alone. */
static int find_order(Recorder *r, Value *root)
{
    if (!is_leaf(root) && !push(&r->s.ready, root))
        return 0;
    while (r->s.ready.count) {
        Value *v = r->s.ready.at[--r->s.ready.count];
        Py_ssize_t count;
        Operand *in = operands_of(v, &count);
        if (!push(&r->order, v))
            return 0;
        for (Py_ssize_t i = 0; i < count; i++)
            if (wants(v, in, i) && !report(&r->s, in[i].node))
                return 0;
    }
    return 1;
}

/* The index of a constant, which is kept once however often the program has it; -1: no memory. */
static int32_t constant_index(Recorder *r, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    uint64_t hash = mix(bits, 0);
    if (!spare_slots(&r->slots, r->constant_count))
        return -1;
    Slot *slot = first_slot(&r->slots, hash);
    for (; slot->index >= 0; slot = next_slot(&r->slots, slot))
        if (!memcmp(&r->constants[slot->index], &number, sizeof number))
            return slot->index;
    if (r->constant_count == r->constant_room
        && !larger((void **)&r->constants, &r->constant_room, sizeof number))
        return -1;
    r->constants[r->constant_count] = number;
    *slot = (Slot){hash, (int32_t)r->constant_count++};
    return slot->index;
}

/* While a program is written, `grad` of a node holds its entry; restore() puts the gradients back.
 */
static inline void set_entry(Value *v, int32_t entry)
{
    memcpy(&v->grad, &entry, sizeof entry);
}

static inline int32_t entry_of(const Value *v)
{
    int32_t entry;
    memcpy(&entry, &v->grad, sizeof entry);
    return entry;
}

/* The entry of operand i: of a node, or of a constant. */
static int32_t operand_entry(Recorder *r, Value *v, Operand *in, Py_ssize_t i)
{
    if (wants(v, in, i))
        return entry_of(in[i].node);
    int32_t index = constant_index(r, operand_data(v, in, i));
    return index < 0 ? -1 : (int32_t)r->s.leaves.count + index;
}

static int number_inputs(Recorder *r)
{
    for (size_t i = 0; i < r->s.leaves.count; i++)
        set_entry(r->s.leaves.at[i], (int32_t)i);
    for (size_t i = 0; i < r->order.count; i++) {
        Value *v = r->order.at[i];
        Py_ssize_t count;
        Operand *in = operands_of(v, &count);
        if (v->op == OP_PYTHON) { /* whose rules are not in the table: a program in Python */
            r->custom = 1;
            return 0;
        }
        for (Py_ssize_t k = 0; k < count; k++)
            if (!wants(v, in, k) && constant_index(r, operand_data(v, in, k)) < 0)
                return 0;
    }
    r->tape.inputs = r->s.leaves.count + r->constant_count;
    return 1;
}

static int write_forward(Recorder *r)
{
    for (size_t i = r->order.count; i-- > 0;) {
        Value *v = r->order.at[i];
        int32_t operands[MAX_LANES], entry;
        Py_ssize_t count;
        Operand *in = operands_of(v, &count);
        for (Py_ssize_t k = 0; k < count; k++)
            operands[k] = operand_entry(r, v, in, k);
        if ((entry = write_down(&r->tape, v->op, operands, (int)count)) < 0)
            return 0;
        set_entry(v, entry);
    }
    return 1;
}

/* The gradient of an entry gets one more contribution. */
static int write_plus(Recorder *r, int32_t entry, int32_t contribution)
{
    int32_t *gradient = &r->gradients[entry];
    if (*gradient < 0) {
        *gradient = contribution;
    } else {
        int32_t terms[2] = {*gradient, contribution};
        *gradient = write_down(&r->tape, KERNEL_plus, terms, 2);
    }
    return *gradient >= 0;
}

static int write_contributions(Recorder *r, Value *v, int32_t t)
{
    Py_ssize_t count;
    Operand *in = operands_of(v, &count);
    for (Py_ssize_t i = 0; i < count; i++) {
        const Rule *rule = &RULES[v->op][i];
        if (!wants(v, in, i) || !rule->kernel)
            continue;
        int32_t operands[MAX_LANES], contribution = t;
        for (int k = 0; k < rule->count; k++) {
            int which = rule->operands[k];
            operands[k] = which == 0   ? t
                          : which == 1 ? entry_of(v)
                                       : operand_entry(r, v, in, which - 2);
        }
        if (rule->kernel != PASSES)
            contribution = write_down(&r->tape, rule->kernel, operands, rule->count);
        if (contribution < 0 || !write_plus(r, entry_of(in[i].node), contribution))
            return 0;
    }
    return 1;
}

/* The reverse pass. The gradient of the root is `seed`, an entry. */
static int write_reverse(Recorder *r, Value *root, int32_t seed)
{
    size_t entries = r->tape.inputs + r->order.count;
    r->gradients = PyMem_RawMalloc(entries * sizeof *r->gradients + 1);
    if (!r->gradients) {
        PyErr_NoMemory();
        return 0;
    }
    memset(r->gradients, -1, entries * sizeof *r->gradients);
    r->gradients[entry_of(root)] = seed;
    for (size_t i = 0; i < r->order.count; i++) {
        Value *v = r->order.at[i];
        int32_t t = r->gradients[entry_of(v)];
        if (t >= 0 && !write_contributions(r, v, t))
            return 0;
    }
    return 1;
}

/* Whether a node is in the graph that is being written, where `grad` holds its entry. */
static int is_written(const Recorder *r, Value *v)
{
    const size_t leaves = r->s.leaves.count, nodes = r->order.count;
    const size_t entry = (size_t)entry_of(v), place = entry - r->tape.inputs;
    if (is_leaf(v))
        return entry < leaves && r->s.leaves.at[entry] == v;
    return place < nodes && r->order.at[nodes - 1 - place] == v;
}

static int find_watched(Recorder *r, Value *const *watched, size_t count)
{
    if (!(r->watched_entries = PyMem_RawMalloc(count * sizeof *r->watched_entries + 1)))
        return PyErr_NoMemory() != NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_written(r, watched[i])) {
            PyErr_SetString(PyExc_ValueError, "replay: the root does not depend on a node");
            return 0;
        }
        r->watched_entries[i] = entry_of(watched[i]);
    }
    return 1;
}

/* Write the graph of the first watched node down. Its nodes are as before afterwards. */
static int record_graph(Recorder *r, Value *const *watched, size_t count, double seed)
{
    Value *root = watched[0];
    if (sweeping)
        return fail_with(PyObject_CallNoArgs(nested_error));
    sweeping = &r->s;
    r->s.all = 1;
    int ok = find_edges(&r->s, root) && keep(&r->s);
    if (ok) {
        int32_t one = find_order(r, root) ? constant_index(r, seed) : -1;
        ok = one >= 0 && number_inputs(r) && write_forward(r)
             && write_reverse(r, root, (int32_t)r->s.leaves.count + one)
             && find_watched(r, watched, count);
    }
    sweeping = NULL;
    reset_pending(&r->s, 0);
    restore(&r->s);
    return ok;
}
