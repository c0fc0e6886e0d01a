/* The lines of the user's program that computed Values, while an observer wants them.
 *
 * A hash table by the addresses of the nodes, whose flag LINED says that they are in it; a node
 * that is freed leaves it. One entry of 24 bytes a node, instead of a weak reference, a key and a
 * tuple: a line costs 60 ns, not 3,500.
 */

typedef struct {
    const void *node; /* NULL: an empty place */
    PyCodeObject *code;
    int offset;
} LineOf;

static struct {
    LineOf *at;
    size_t size, used; /* `size` is a power of two, or 0 */
} line_table;

static PyObject *line_home; /* the folder of the package, while lines are wanted */

static size_t line_place(const void *node)
{
    return (size_t)(((uintptr_t)node >> 6) * (uintptr_t)0x9E3779B97F4A7C15u) & (line_table.size - 1);
}

static LineOf *find_line(const void *node)
{
    size_t i = line_place(node);
    while (line_table.at[i].node && line_table.at[i].node != node)
        i = (i + 1) & (line_table.size - 1);
    return &line_table.at[i];
}

/* Room for one more; 0 without memory. */
static int grow_lines(void)
{
    if (2 * (line_table.used + 1) <= line_table.size)
        return 1;
    const size_t size = line_table.size;
    LineOf *old = line_table.at, *new = PyMem_RawCalloc(size ? 2 * size : 1024, sizeof *new);
    if (!new)
        return 0;
    line_table.at = new;
    line_table.size = size ? 2 * size : 1024;
    for (size_t i = 0; i < size; i++)
        if (old[i].node)
            *find_line(old[i].node) = old[i];
    PyMem_RawFree(old);
    return 1;
}

/* Those behind the free place move up, so that none is cut off from where its search begins. */
static void forget_line(const void *node)
{
    LineOf *gone = find_line(node);
    if (!gone->node)
        return;
    PyCodeObject *code = gone->code;
    const size_t mask = line_table.size - 1;
    size_t hole = (size_t)(gone - line_table.at), i = hole;
    for (;;) {
        i = (i + 1) & mask;
        if (!line_table.at[i].node)
            break;
        if (((i - line_place(line_table.at[i].node)) & mask) >= ((i - hole) & mask)) {
            line_table.at[hole] = line_table.at[i];
            hole = i;
        }
    }
    line_table.at[hole].node = NULL;
    line_table.used--;
    Py_DECREF(code);
}

/* Whether a function lies in the package itself; the last answer is kept: 25 ns less a line. */
static int is_ours(PyCodeObject *code)
{
    static PyCodeObject *last;
    static int answer;
    if (code != last) {
        answer = PyUnicode_Tailmatch(code->co_filename, line_home, 0, PY_SSIZE_T_MAX, -1) > 0;
        Py_XSETREF(last, (PyCodeObject *)Py_NewRef((PyObject *)code));
    }
    return answer;
}

/* The nearest caller outside of the package: a new reference, NULL if there is none. */
static PyCodeObject *line_of_user(int *offset)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        PyFrameObject *back = is_ours(code) ? PyFrame_GetBack(frame) : NULL;
        if (!back) {
            *offset = PyFrame_GetLasti(frame);
            Py_DECREF(frame);
            return code;
        }
        Py_DECREF(code);
        Py_SETREF(frame, back);
    }
    PyErr_Clear(); /* a missing line is no error */
    return NULL;
}

/* Store a line; takes over the reference to `code`. Returns 0 if there is no room. */
static int store_line(const void *node, PyCodeObject *code, int offset)
{
    if (!grow_lines()) {
        Py_DECREF(code);
        return 0;
    }
    LineOf *place = find_line(node);
    if (place->node)
        Py_DECREF(place->code);
    else
        line_table.used++;
    *place = (LineOf){node, code, offset};
    return 1;
}
