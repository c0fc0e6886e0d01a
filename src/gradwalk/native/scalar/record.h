/* From arguments to a recorded node. */

/* A real number as a double: 1, or 0 with the error set. */
static int to_double(PyObject *o, const char *where, double *number)
{
    if (PyFloat_CheckExact(o)) {
        *number = PyFloat_AS_DOUBLE(o);
        return 1;
    }
    PyObject *converted = PyObject_CallFunction(as_float, "Os", o, where);
    if (!converted)
        return 0;
    *number = PyFloat_AS_DOUBLE(converted);
    Py_DECREF(converted);
    return 1;
}

/* The error for something that is no Value; one that has leaked says so itself. */
static void *not_a_value(PyObject *o, const char *where)
{
    PyObject *data = PyObject_TypeCheck(o, ValueType) ? PyObject_GetAttrString(o, "data") : NULL;
    Py_XDECREF(data);
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s: expected a Value, got %R", where, o);
    return NULL;
}

/* Whether `o` is a number that was read out of a program, and so one of the program. */
static inline int is_reading(PyObject *o)
{
    return tracer_base && PyObject_TypeCheck(o, (PyTypeObject *)tracer_base) && !is_tracer(o);
}

/* Small ints are exact; everything else that may be a number is Python's to judge. */
static inline int to_operand(PyObject *o, const char *where, double *x)
{
    if (PyFloat_CheckExact(o)) {
        *x = PyFloat_AS_DOUBLE(o);
        return 1;
    }
    if (PyLong_CheckExact(o)) {
        *x = PyLong_AsDouble(o);
        if (*x != -1.0 || !PyErr_Occurred())
            return 1;
        PyErr_Clear();
    }
    if (is_reading(o)) {
        PyErr_SetString(PyExc_TypeError, "a number of a program");
        return 0;
    }
    return to_double(o, where, x);
}

/* Operand i of v, whose count is set already, becomes o (whose number is x if it is no Value). */
static inline void set_operand(Value *v, int i, PyObject *o, double x)
{
    if (is_value(o)) {
        v->in[i].node = (Value *)Py_NewRef(o);
    } else {
        v->in[i].number = x;
        v->flags |= (uint16_t)(NUMBER_0 << i);
    }
}

static double forward(uint16_t op, const double *x)
{
    switch (op) { FORWARDS }
    Py_UNREACHABLE();
}

static inline int is_tracked(PyObject *o)
{
    return is_value(o) && ((Value *)o)->flags & TRACKED;
}

static int is_any_tracked(PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (is_tracked(args[i]))
            return 1;
    return 0;
}

/* A node with its operands beside it: more than two, or of a primitive that only Python knows. */
static Value *node_wide(uint16_t op, PyObject *primitive, double data, PyObject *const *args,
                        Py_ssize_t count)
{
    Extra *extra = extra_new(count);
    int tracks = op == OP_PYTHON || is_any_tracked(args, count);
    Value *v = !extra ? NULL : tracks ? node_new_tracked(op, data, extra) : node_new(op, data);
    if (!v) {
        free_extra(extra);
        return NULL;
    }
    v->in[0].extra = extra;
    v->flags |= WIDE;
    extra->primitive = op == OP_PYTHON ? Py_NewRef(primitive) : NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (is_value(args[i])) {
            extra->in[i].node = (Value *)Py_NewRef(args[i]);
        } else if (to_operand(args[i], "operand", &extra->in[i].number)) {
            extra->is_number[i] = 1;
        } else {
            goto failed;
        }
        extra->count = i + 1;
    }
    if (tracks)
        PyObject_GC_Track(v);
    return v;
failed:
    Py_DECREF(v);
    return NULL;
}

/* A node of a primitive with a kernel, recorded even inside no_grad: copies keep their graph. */
static Value *node_recorded(uint16_t op, double data, PyObject *const *args, const double *x,
                            Py_ssize_t count)
{
    if (count > 2 || is_any_tracked(args, count))
        return node_wide(op, NULL, data, args, count);
    Value *v = node_new(op, data);
    if (v) {
        v->count = (uint8_t)count;
        for (int i = 0; i < count; i++)
            set_operand(v, i, args[i], x[i]);
    }
    return v;
}

static PyObject *observer; /* called with every operation, while it is set; see observe */

static int observes_all; /* whether it wants those with a finite result, and comparisons, as well */

/* The result, after the observer has seen it. Gives up the reference to `v`. */
static Value *observed(PyObject *primitive, PyObject *const *args, Py_ssize_t count, Value *v)
{
    int offset;
    PyCodeObject *code = v && line_home ? line_of_user(&offset) : NULL;
    if (code && store_line(v, code, offset))
        v->flags |= LINED;
    if (!v || !observer || !(observes_all || !isfinite(v->data)))
        return v;
    PyObject *tuple = PyTuple_New(count);
    if (!tuple) {
        Py_DECREF(v);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
    PyObject *seen = PyObject_CallFunctionObjArgs(observer, primitive, tuple, (PyObject *)v, NULL);
    Py_DECREF(tuple);
    if (!seen)
        Py_CLEAR(v);
    Py_XDECREF(seen);
    return v;
}

/* The same as node_of, while some thread is in no_grad or an observer is set. */
static Value *node_slowly(uint16_t op, double data, PyObject *const *args, const double *x,
                          Py_ssize_t count)
{
    Value *v = is_paused() ? node_new(OP_LEAF, data) : node_recorded(op, data, args, x, count);
    return observed(ROWS[op], args, count, v);
}

/* The result of a primitive with a kernel, at least one argument being a Value. */
static Value *node_of(uint16_t op, double data, PyObject *const *args, const double *x,
                      Py_ssize_t count)
{
    return pauses ? node_slowly(op, data, args, x, count)
                  : node_recorded(op, data, args, x, count);
}

/* What stands for the number of a Value that is read: while a program is recorded, `reader` says. */
static PyObject *reader;

static PyObject *number_read(Value *v)
{
    PyObject *number = PyFloat_FromDouble(v->data);
    if (!reader || !number)
        return number;
    PyObject *found = PyObject_CallFunctionObjArgs(reader, (PyObject *)v, number, NULL);
    Py_DECREF(number);
    return found;
}

/* read_by(callable): it is called with each Value whose number is read, and the number. */
static PyObject *engine_read_by(PyObject *module, PyObject *callable)
{
    Py_XSETREF(reader, callable == Py_None ? NULL : Py_NewRef(callable));
    Py_RETURN_NONE;
}

/* observe(callable, all, home): call it with (primitive, arguments, result) of every operation, or
 * without `all` of those whose result is not finite; None ends that. It counts as a pause, so that
 * operations without one ask nothing more than before. While `home` is the folder of the package,
 * results record the line of the program outside of it. */
static PyObject *engine_observe(PyObject *module, PyObject *args)
{
    PyObject *callable, *home;
    int all;
    if (!PyArg_ParseTuple(args, "OpO:observe", &callable, &all, &home))
        return NULL;
    pauses -= observer || line_home;
    observes_all = all;
    Py_XSETREF(observer, callable != Py_None ? Py_NewRef(callable) : NULL);
    Py_XSETREF(line_home, PyUnicode_Check(home) ? Py_NewRef(home) : NULL);
    pauses += observer || line_home;
    Py_RETURN_NONE;
}

/* line_of(value): (code, offset) of the line that computed it, None if that was not recorded. */
static PyObject *engine_line_of(PyObject *module, PyObject *value)
{
    if (!is_value(value) || !(((Value *)value)->flags & LINED))
        Py_RETURN_NONE;
    const LineOf *line = find_line(value);
    return Py_BuildValue("(Oi)", line->code, line->offset);
}

/* set_line(value, code, offset) */
static PyObject *engine_set_line(PyObject *module, PyObject *args)
{
    PyObject *value, *code;
    int offset;
    if (!PyArg_ParseTuple(args, "O!O!i:set_line", ValueType, &value, &PyCode_Type, &code, &offset))
        return NULL;
    if (!store_line(value, (PyCodeObject *)Py_NewRef(code), offset))
        return PyErr_NoMemory();
    ((Value *)value)->flags |= LINED;
    Py_RETURN_NONE;
}

static int numbers_of(PyObject *const *args, Py_ssize_t count, const char *where, double *x)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (is_value(args[i]))
            x[i] = ((Value *)args[i])->data;
        else if (!to_operand(args[i], where, &x[i]))
            return 0;
    }
    return 1;
}

/* x op y where one of them is no number. Tables of pandas leave it to us; others may know it. */
static PyObject *foreign_operand(uint16_t op, PyObject *a, PyObject *b)
{
    PyObject *type = (PyObject *)Py_TYPE(is_value(a) ? b : a);
    if (!PyObject_HasAttrString(type, "__pandas_priority__"))
        Py_RETURN_NOTIMPLEMENTED;
    return PyObject_CallFunctionObjArgs(ROWS[op], a, b, NULL);
}

/* The hot path: x op y with at least one Value. `f` is inlined. */
static inline __attribute__((always_inline)) PyObject *
binary(uint16_t op, double (*f)(double, double), PyObject *a, PyObject *b)
{
    double x, y;
    int flags = 0;
    if (is_value(a)) {
        x = ((Value *)a)->data;
    } else if (to_operand(a, "operator", &x)) {
        flags = NUMBER_0;
    } else {
        goto foreign;
    }
    if (is_value(b)) {
        y = ((Value *)b)->data;
    } else if (is_tracer(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    } else if (to_operand(b, "operator", &y)) {
        flags |= NUMBER_1;
    } else {
        goto foreign;
    }
    if (pauses)
        return (PyObject *)node_slowly(op, f(x, y), (PyObject *[]){a, b}, (double[]){x, y}, 2);
    if (is_tracked(a) || is_tracked(b))
        return (PyObject *)node_wide(op, NULL, f(x, y), (PyObject *[]){a, b}, 2);
    Value *v = node_new(op, f(x, y));
    if (!v)
        return NULL;
    v->count = 2;
    v->flags = (uint16_t)flags;
    if (flags & NUMBER_0)
        v->in[0].number = x;
    else
        v->in[0].node = (Value *)Py_NewRef(a);
    if (flags & NUMBER_1)
        v->in[1].number = y;
    else
        v->in[1].node = (Value *)Py_NewRef(b);
    return (PyObject *)v;

foreign: /* not a number: perhaps the other operand knows what to do */
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return NULL;
    PyErr_Clear();
    return foreign_operand(op, a, b);
}

static inline __attribute__((always_inline)) PyObject *
unary(uint16_t op, double (*f)(double), PyObject *a)
{
    double data = f(((Value *)a)->data);
    if (pauses)
        return (PyObject *)node_slowly(op, data, &a, &data, 1);
    if (((Value *)a)->flags & TRACKED)
        return (PyObject *)node_wide(op, NULL, data, &a, 1);
    Value *v = node_new(op, data);
    if (v) {
        v->count = 1;
        v->in[0].node = (Value *)Py_NewRef(a);
    }
    return (PyObject *)v;
}

#define BINARY(slot, name) \
    static PyObject *slot(PyObject *a, PyObject *b) { return binary(OP_##name, f_##name, a, b); }
#define UNARY(slot, name) \
    static PyObject *slot(PyObject *a) { return unary(OP_##name, f_##name, a); }

BINARY(value_add, add)
BINARY(value_sub, sub)
BINARY(value_mul, mul)
BINARY(value_div, div)
BINARY(value_floordiv, floordiv)
BINARY(value_mod, mod)
UNARY(value_neg, neg)
UNARY(value_abs, abs)

static PyObject *value_pow(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return binary(OP_pow, f_pow, a, b);
}
