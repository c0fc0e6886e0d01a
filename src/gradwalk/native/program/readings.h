/* Constants of a graph that were read from its numbers: what a replay could not compute again. */

/* Whether a number has more digits than a person types: one that was computed. */
static int is_long(double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.14g", number);
    return isfinite(number) && strtod(text, NULL) != number;
}

static int same_size(double a, double b)
{
    return fabs(a) == fabs(b);
}

/* Note the constants of all nodes; append conditions that are constants. */
static int note_constants(Recorder *r, PyObject *found)
{
    for (size_t i = 0; i < r->order.count; i++) {
        Value *v = r->order.at[i];
        Py_ssize_t count;
        Operand *in = operands_of(v, &count);
        for (Py_ssize_t k = 0; k < count; k++) {
            if (wants(v, in, k))
                continue;
            if (v->op == OP_where && !k
                && !append_new(found, Py_BuildValue("(OO)", v, Py_None)))
                return 0;
            if (constant_index(r, operand_data(v, in, k)) < 0)
                return 0;
        }
    }
    return 1;
}

static int has_constant(const Recorder *r, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const Slot *slot = first_slot(&r->slots, mix(bits, 0));
    while (slot->index >= 0 && r->constants[slot->index] != number)
        slot = next_slot(&r->slots, slot);
    return slot->index >= 0;
}

/* Whether a constant is this node's number, with any sign, which no operand has brought along. */
static int is_read(const Recorder *r, Value *v)
{
    if ((!has_constant(r, v->data) && !has_constant(r, -v->data)) || !is_long(v->data))
        return 0;
    Py_ssize_t count = 0;
    Operand *in = is_leaf(v) ? NULL : operands_of(v, &count);
    for (Py_ssize_t k = 0; k < count; k++)
        if (same_size(operand_data(v, in, k), v->data))
            return 0;
    return 1;
}

static int append_read(const Recorder *r, const Array *nodes, PyObject *found)
{
    for (size_t i = 0; i < nodes->count; i++) {
        Value *v = nodes->at[i];
        if (is_read(r, v) && !append_new(found, Py_BuildValue("(Od)", v, v->data)))
            return 0;
    }
    return 1;
}

/* readings(root): [(node, its number), ...] that constants are up to their sign, and (node, None)
 * for a choice whose condition is a constant. */
static PyObject *engine_readings(PyObject *module, PyObject *root)
{
    if (!is_value(root))
        return not_a_value(root, "replay");
    if (sweeping)
        return fail_with(PyObject_CallNoArgs(nested_error)), NULL;
    PyObject *found = PyList_New(0);
    Recorder r = {0};
    sweeping = &r.s;
    r.s.all = 1;
    int ok = found && find_edges(&r.s, (Value *)root) && keep(&r.s)
             && find_order(&r, (Value *)root) && spare_slots(&r.slots, 0)
             && note_constants(&r, found);
    sweeping = NULL;
    reset_pending(&r.s, 0);
    restore(&r.s);
    ok = ok && append_read(&r, &r.s.leaves, found) && append_read(&r, &r.order, found);
    close_recorder(&r);
    if (!ok)
        Py_CLEAR(found);
    return found;
}
