/* Values that a side effect took out of a transform: dependents are poisoned. */

static int depends_on_poison(Value *v)
{
    Py_ssize_t count;
    Operand *in = operands_of(v, &count);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!is_number(v, i) && Py_IS_TYPE((PyObject *)in[i].node, LeakedType))
            return 1;
    return 0;
}

static int push_operands(Array *path, Value *v)
{
    Py_ssize_t count;
    Operand *in = operands_of(v, &count);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!is_number(v, i) && !(in[i].node->flags & ENTERED) && !push(path, in[i].node))
            return 0;
    return 1;
}

/* Poison a node if it depends on poison: its operands first, each node once, without recursion. */
static int poison_if_dependent(void *place, void *state)
{
    Array *path = state;
    if (!push(path, place))
        return 0;
    while (path->count) {
        Value *v = path->at[path->count - 1];
        if (!(v->flags & ENTERED)) {
            v->flags |= ENTERED;
            if (!push_operands(path, v))
                return 0;
            continue;
        }
        path->count--;
        if (!(v->flags & LEFT) && depends_on_poison(v))
            Py_SET_TYPE((PyObject *)v, LeakedType); /* no references to either: see node_new */
        v->flags |= LEFT;
    }
    return 1;
}

static int unmark(void *place, void *state)
{
    ((Value *)place)->flags &= (uint16_t)~(ENTERED | LEFT);
    return 1;
}

/* Call `see` with every node that is alive, until it gives 0; whether it never did. */
static int each_node(int (*see)(void *node, void *state), void *state)
{
    for (Value *v = tracked; v; v = v->in[0].extra->next)
        if (!see(v, state))
            return 0;
    return each_place(see, state);
}

/* poison(leaves): these Values, and all that was computed from them, raise when they are used. */
static PyObject *engine_poison(PyObject *module, PyObject *leaves)
{
    PyObject *tuple = PySequence_Tuple(leaves);
    if (!tuple)
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!PyObject_TypeCheck(PyTuple_GET_ITEM(tuple, i), ValueType)) {
            not_a_value(PyTuple_GET_ITEM(tuple, i), "poison");
            Py_DECREF(tuple);
            return NULL;
        }
    for (Py_ssize_t i = 0; i < count; i++)
        Py_SET_TYPE(PyTuple_GET_ITEM(tuple, i), LeakedType);
    Array path = {0};
    int ok = each_node(poison_if_dependent, &path); /* no Python code runs meanwhile */
    each_node(unmark, NULL);
    PyMem_RawFree(path.at);
    Py_DECREF(tuple);
    return ok ? Py_NewRef(Py_None) : NULL;
}

/* Its behaviour is that of the class Leaked, which comes first of its bases. */
static PyType_Slot leaked_slots[] = {
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_traverse, node_traverse},
    {Py_tp_is_gc, node_is_gc},
    {0, NULL},
};

static PyType_Spec leaked_spec = {
    .name = "gradwalk.LeakedValue",
    .basicsize = sizeof(Value),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = leaked_slots,
};
