/* Value as Python sees it: construction, attributes, comparisons. */

/* Raise the error for arguments that are not (data, label=""). */
static PyObject *value_misfit(PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    PyObject *all = PyTuple_New(given), *named = PyDict_New(), *done = NULL;
    for (Py_ssize_t i = 0; all && i < given; i++)
        PyTuple_SET_ITEM(all, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; named && names && i < PyTuple_GET_SIZE(names); i++)
        if (PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[given + i]) < 0)
            Py_CLEAR(named);
    if (all && named)
        done = PyObject_CallFunctionObjArgs(explain_new, (PyObject *)ValueType, all, named, NULL);
    Py_XDECREF(all);
    Py_XDECREF(named);
    if (done)
        PyErr_SetString(PyExc_TypeError, "Value(data, label=''): wrong arguments");
    Py_XDECREF(done);
    return NULL;
}

static PyObject *value_vectorcall(PyObject *type, PyObject *const *args, size_t flags,
                                  PyObject *names)
{
    Py_ssize_t given = PyVectorcall_NARGS(flags), named = names ? PyTuple_GET_SIZE(names) : 0;
    PyObject *parts[2] = {given > 0 ? args[0] : NULL, given > 1 ? args[1] : NULL};
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        int which = PyUnicode_CompareWithASCIIString(name, "data") == 0    ? 0
                    : PyUnicode_CompareWithASCIIString(name, "label") == 0 ? 1
                                                                           : 2;
        if (which == 2 || parts[which])
            return value_misfit(args, given, names);
        parts[which] = args[given + i];
    }
    if (!parts[0] || given > 2)
        return value_misfit(args, given, names);
    double data;
    if (!to_double(parts[0], "Value(data)", &data))
        return NULL;
    Value *v = node_new(OP_LEAF, data);
    if (v && parts[1] && PyObject_SetAttrString((PyObject *)v, "label", parts[1]) < 0)
        Py_CLEAR(v);
    return (PyObject *)v;
}

static PyObject *value_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    static char *keywords[] = {"data", "label", NULL};
    PyObject *data, *label = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, named, "O|O:Value", keywords, &data, &label))
        return NULL;
    PyObject *both[2] = {data, label};
    return value_vectorcall((PyObject *)type, both, label ? 2 : 1, NULL);
}

static PyObject *get_data(Value *v, void *closure) { return number_read(v); }
static PyObject *get_grad(Value *v, void *closure) { return PyFloat_FromDouble(v->grad); }

static int set_number(double *number, PyObject *o, const char *where)
{
    if (o)
        return to_double(o, where, number) ? 0 : -1;
    PyErr_Format(PyExc_AttributeError, "%s cannot be deleted; set it to 0.0", where);
    return -1;
}

static int set_data(Value *v, PyObject *o, void *closure)
{
    return set_number(&v->data, o, "Value.data");
}

static int set_grad(Value *v, PyObject *o, void *closure)
{
    return set_number(&v->grad, o, "Value.grad");
}

static PyObject *get_label(Value *v, void *closure)
{
    Extra *extra = extra_of(v);
    return extra && extra->label ? Py_NewRef(extra->label) : PyUnicode_FromStringAndSize("", 0);
}

static int set_label(Value *v, PyObject *o, void *closure)
{
    if (!o) {
        PyErr_SetString(PyExc_AttributeError, "Value.label cannot be deleted; set it to ''");
        return -1;
    }
    if (!PyUnicode_Check(o)) {
        Py_XDECREF(PyObject_CallFunction(expect_text, "Os", o, "Value.label")); /* raises */
        return -1;
    }
    if (!(v->flags & WIDE) && PyUnicode_GET_LENGTH(o) == 0)
        return 0;
    PyObject *label = widen(v) ? PyUnicode_FromObject(o) : NULL; /* a str, of no other class */
    if (label)
        Py_XSETREF(v->in[0].extra->label, label);
    return label ? 0 : -1;
}

static PyObject *get_primitive(Value *v, void *closure)
{
    PyObject *primitive = v->op == OP_PYTHON      ? v->in[0].extra->primitive
                    : v->op != OP_LEAF      ? ROWS[v->op]
                    : v->flags & CONSTANT   ? constant_primitive
                                            : Py_None;
    return Py_NewRef(primitive);
}

static PyObject *operand_tuple(Value *v, int leaves)
{
    Py_ssize_t count, left;
    operands_of(v, &count);
    PyObject *tuple = PyTuple_New(count); /* may collect garbage, which may label or free v */
    Operand *in = operands_of(v, &left);
    if (left != count) {
        Py_CLEAR(tuple);
        freed(v);
    }
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *operand;
        if (!is_number(v, i)) {
            operand = Py_NewRef((PyObject *)in[i].node);
        } else if (!leaves) {
            operand = PyFloat_FromDouble(in[i].number);
        } else { /* from now on this number is a leaf, the same one at every look */
            Value *leaf = node_new(OP_LEAF, in[i].number);
            if (leaf) {
                leaf->flags |= CONSTANT;
                in[i].node = leaf;
                if (v->flags & WIDE)
                    v->in[0].extra->is_number[i] = 0;
                else
                    v->flags &= (uint16_t)~(NUMBER_0 << i);
            }
            operand = Py_XNewRef((PyObject *)leaf);
        }
        if (!operand)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, operand);
    }
    return tuple;
}

static PyObject *get_inputs(Value *v, void *closure)
{
    return v->flags & FREED ? Py_NewRef(Py_None) : operand_tuple(v, 0);
}

static PyObject *get_operands(Value *v, void *closure)
{
    if (!(v->flags & FREED))
        return operand_tuple(v, 1);
    freed(v);
    return NULL;
}

/* As the float compares: exactly with ints, which may not fit a double, and with fractions. */
static PyObject *compare_number(double x, PyObject *b, int how)
{
    PyObject *number = PyFloat_FromDouble(x);
    PyObject *result = number ? PyObject_RichCompare(number, b, how) : NULL;
    int truth = result ? PyObject_IsTrue(result) : -1; /* NumPy's numbers give a bool of NumPy */
    Py_XDECREF(number);
    Py_XDECREF(result);
    return truth < 0 ? NULL : PyBool_FromLong(truth);
}

static PyObject *value_compare(PyObject *a, PyObject *b, int how)
{
    if (observes_all) { /* no operation: a branch may depend on it */
        PyObject *seen = PyObject_CallFunction(observer, "O(OO)O", Py_None, a, b, Py_None);
        if (!seen)
            return NULL;
        Py_DECREF(seen);
    }
    if (reader) {
        PyObject *one = number_read((Value *)a), *answer = NULL;
        PyObject *other = is_value(b) ? number_read((Value *)b) : Py_NewRef(b);
        if (one && other)
            answer = PyObject_RichCompare(one, other, how);
        Py_XDECREF(one);
        Py_XDECREF(other);
        return answer;
    }
    double x = ((Value *)a)->data;
    if (is_value(b))
        Py_RETURN_RICHCOMPARE(x, ((Value *)b)->data, how);
    if (PyFloat_CheckExact(b))
        Py_RETURN_RICHCOMPARE(x, PyFloat_AS_DOUBLE(b), how);
    PyObject *answer = PyLong_Check(b) ? Py_NewRef(Py_True) : PyObject_CallOneArg(is_real, b);
    int number = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (number < 0)
        return NULL;
    if (number)
        return compare_number(x, b, how);
    Py_RETURN_NOTIMPLEMENTED;
}

static Py_hash_t value_hash(PyObject *v) { return PyBaseObject_Type.tp_hash(v); }

static int value_bool(PyObject *v)
{
    PyObject *number = reader ? number_read((Value *)v) : NULL;
    const int answer = number ? PyObject_IsTrue(number) : reader ? -1 : ((Value *)v)->data != 0.0;
    Py_XDECREF(number);
    return answer;
}

static PyObject *value_positive(PyObject *v) { return Py_NewRef(v); }

static uint16_t op_of(PyObject *primitive)
{
    PyObject *op = PyDict_GetItem(KERNEL_OF, primitive);
    return op ? (uint16_t)PyLong_AsLong(op) : OP_PYTHON;
}

/* _make(primitive, data, inputs): a node as it stands, for copies and for primitives without a
 * kernel. */
static PyObject *value_make(PyObject *type, PyObject *args)
{
    PyObject *primitive, *inputs;
    double data;
    if (!PyArg_ParseTuple(args, "OdO!:_make", &primitive, &data, &PyTuple_Type, &inputs))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(inputs);
    PyObject *const *items = ((PyTupleObject *)inputs)->ob_item;
    if (primitive == Py_None || primitive == constant_primitive) {
        Value *leaf = node_new(OP_LEAF, data);
        if (leaf && primitive == constant_primitive)
            leaf->flags |= CONSTANT;
        return (PyObject *)leaf;
    }
    uint16_t op = op_of(primitive);
    double x[3];
    if (op == OP_PYTHON || count != KERNELS[op - OP_FIRST].arity)
        return (PyObject *)node_wide(OP_PYTHON, primitive, data, items, count);
    if (!numbers_of(items, count, "_make", x))
        return NULL;
    return (PyObject *)node_recorded(op, data, items, x, count);
}

/* _apply(primitive, args): any primitive on arguments of which at least one is a Value. */
static PyObject *value_apply(PyObject *type, PyObject *args)
{
    PyObject *primitive, *tuple;
    if (!PyArg_ParseTuple(args, "OO!:_apply", &primitive, &PyTuple_Type, &tuple))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    PyObject *const *items = ((PyTupleObject *)tuple)->ob_item;
    uint16_t op = op_of(primitive);
    if (op == OP_PYTHON)
        return apply_in_python(primitive, items, count);
    double x[3];
    if (count != KERNELS[op - OP_FIRST].arity)
        return PyErr_Format(PyExc_TypeError, "%R: got %zd arguments", primitive, count);
    if (!numbers_of(items, count, KERNELS[op - OP_FIRST].name, x))
        return NULL;
    return (PyObject *)node_of(op, forward(op, x), items, x, count);
}

static PyObject *value_leaves(PyObject *v, PyObject *unused) { return engine_leaves(NULL, v); }

static PyGetSetDef value_getset[] = {
    {"data", (getter)get_data, (setter)set_data, "The number (float, writable).", NULL},
    {"grad", (getter)get_grad, (setter)set_grad, "The gradient (float, writable).", NULL},
    {"label", (getter)get_label, (setter)set_label, "The name in pictures (str).", NULL},
    {"operands", (getter)get_operands, NULL,
     "What this node was computed from, in order; numbers of the program as leaves.", NULL},
    {"_inputs", (getter)get_inputs, NULL, "The operands, numbers of the program as floats.", NULL},
    {"_primitive", (getter)get_primitive, NULL, "The primitive of the table; None for a leaf.",
     NULL},
    {NULL},
};

static PyMethodDef value_methods[] = {
    {"_make", value_make, METH_VARARGS | METH_CLASS, NULL},
    {"_apply", value_apply, METH_VARARGS | METH_CLASS, NULL},
    {"_run_backward", (PyCFunction)(void (*)(void))value_backward, METH_FASTCALL, NULL},
    {"_leaves", value_leaves, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef value_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Value, weakrefs), READONLY, NULL},
    {NULL},
};

static PyType_Slot value_slots[] = {
    {Py_tp_doc, "Value(data, label='')\n--\n\nA scalar that records how it was computed."},
    {Py_tp_new, value_new},
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_traverse, node_traverse},
    {Py_tp_is_gc, node_is_gc},
    {Py_tp_richcompare, value_compare},
    {Py_tp_hash, value_hash},
    {Py_tp_getset, value_getset},
    {Py_tp_methods, value_methods},
    {Py_tp_members, value_members},
    {Py_nb_add, value_add},
    {Py_nb_subtract, value_sub},
    {Py_nb_multiply, value_mul},
    {Py_nb_true_divide, value_div},
    {Py_nb_floor_divide, value_floordiv},
    {Py_nb_remainder, value_mod},
    {Py_nb_power, value_pow},
    {Py_nb_negative, value_neg},
    {Py_nb_positive, value_positive},
    {Py_nb_absolute, value_abs},
    {Py_nb_bool, value_bool},
    {0, NULL},
};

static PyType_Spec value_spec = {
    .name = "gradwalk.Value",
    .basicsize = sizeof(Value),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC
             | Py_TPFLAGS_BASETYPE, /* for LeakedValue alone: see make_types */
    .slots = value_slots,
};
