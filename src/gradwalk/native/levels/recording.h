/* What a compiled function computes with numbers, as it is written down; gradwalk/program/recording/recorder.py
 * is the specification. Operations on numbers that are there in every run are recorded here. */

static PyObject *name_builder;

/* recorder_type(Recorder) */
static PyObject *engine_recorder_type(PyObject *module, PyObject *level)
{
    RecorderType = (PyTypeObject *)Py_NewRef(level);
    name_builder = PyUnicode_InternFromString("builder");
    return name_builder ? Py_NewRef(Py_None) : NULL;
}

/* --- operations ------------------------------------------------------------------------------ */

/* The atom of a number of this run; 0 if Python has to say what it is, or with the error set. */
static int written_atom(Number x, const Scope *level, Columns *c, int32_t *atom, double *number)
{
    if (!x.object) {
        PyObject *constant = PyFloat_FromDouble(x.number);
        *number = x.number;
        *atom = constant ? number_atom(c, constant) : 0;
        Py_XDECREF(constant);
        return *atom != 0;
    }
    const Tracer *t = (Tracer *)x.object;
    if (!is_own(x, level) || t->primal.object || !t->payload.object
        || !PyLong_CheckExact(t->payload.object))
        return 0;
    *number = t->primal.number;
    *atom = (int32_t)PyLong_AsLong(t->payload.object);
    return !atom_is_masked(c, *atom);
}

static int apply_in_recorder(Tracer *top, uint16_t op, const Number *x, int count, Number *y)
{
    Scope *level = top->level;
    PyObject *builder = PyObject_GetAttr((PyObject *)level, name_builder);
    if (!builder || !PyObject_TypeCheck(builder, ColumnsType)) {
        Py_XDECREF(builder);
        return builder ? apply_otherwise(top, op, x, count, y) : 0;
    }
    Columns *c = (Columns *)builder;
    int32_t atoms[3], atom = -1;
    double numbers[3];
    int found = 0;
    while (found < count && written_atom(x[found], level, c, &atoms[found], &numbers[found]))
        found++;
    if (found == count)
        atom = write_equation(c, ROWS[op], atoms, count, 0);
    Py_DECREF(builder);
    if (atom < 0)
        return PyErr_Occurred() ? 0 : apply_otherwise(top, op, x, count, y);
    PyObject *payload = PyLong_FromLong(atom);
    Tracer *t = payload ? tracer_new(level, (Number){NULL, forward(op, numbers)}) : NULL;
    if (!t) {
        Py_XDECREF(payload);
        return 0;
    }
    t->payload.object = payload;
    t->flags = SIMPLE;
    *y = (Number){(PyObject *)t, 0.0};
    return 1;
}
