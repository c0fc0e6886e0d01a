/* Context variables. Before Python 3.12 a collection may begin while the table of a context is
 * copied. A finaliser that sets a variable then frees the table that is being read, and CPython
 * crashes: so there is no collection meanwhile. */

static inline int stop_collecting(void)
{
#if PY_VERSION_HEX < 0x030C0000
    return PyGC_Disable();
#else
    return 0;
#endif
}

static inline void go_on_collecting(int was)
{
    if (was)
        PyGC_Enable();
}

/* A token, or NULL with the error set. */
static inline PyObject *set_variable(PyObject *variable, PyObject *value)
{
    const int was = stop_collecting();
    PyObject *token = PyContextVar_Set(variable, value);
    go_on_collecting(was);
    return token;
}

static inline int reset_variable(PyObject *variable, PyObject *token)
{
    const int was = stop_collecting();
    const int done = PyContextVar_Reset(variable, token);
    go_on_collecting(was);
    return done;
}
