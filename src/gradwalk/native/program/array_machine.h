/* A machine for programs on arrays: operations number by number, in blocks that stay in the cache.
 *
 * Its code is a list of chains. The operations of a chain have the same count of numbers; a block
 * of them goes through all operations before the next one. What nothing reads after the chain lies
 * in blocks of the machine alone. Numbers are computed as doubles, and rounded once after each
 * operation if their type is narrower.
 *
 * A chain: count, length of a block, operations that run once before, operations, words; then the
 * operations. An operation: kind, operands, word, then for the result and each operand slot, offset
 * in bytes, type (and FIXED). A slot below 0 is a block.
 */

enum { TYPE_DOUBLE, TYPE_FLOAT, TYPE_BOOL, TYPE_BITS = 3, FIXED = 4, MOST_AXES = 8 };
enum { PLACE = 3, HEAD = 3, CHAIN_HEAD = 5 }; /* words of a place, an operation, a chain */

/* Operations besides the kernels, numbered from KERNELS on. `word` is in brackets. */
enum {
    MOVE = 0,   /* out = x */
    ROWS,       /* out[i] = x[i mod word] */
    COLUMNS,    /* out[i] = x[i / word] */
    GATHER,     /* out[i] = x at the i-th place of the axes at `word` */
    SCATTER,    /* the reverse: out has the axes */
    SUM,        /* out[0] += all of x, with the rounding errors in out[1] */
    SUM_ROWS,   /* out[i mod word] += x[i] */
    SUM_COLUMNS /* out[i / word] += x[i] */
};

static const Entry ARITHMETIC[] = {
#define ARITHMETIC_ENTRY(name, count, operands, expression) \
    {#name, count, operands, narrow_##name, wide_##name},
    VECTOR_ARITHMETIC(ARITHMETIC_ENTRY)
};

enum {
    OWN = sizeof ENTRIES / sizeof *ENTRIES,
    KERNELS = OWN + sizeof ARITHMETIC / sizeof *ARITHMETIC
};

typedef struct {
    PyObject_HEAD
    int32_t *code, *end;
    const int64_t *axes;  /* for each list: count, then lengths and steps in bytes */
    double *blocks;
    char **bases;         /* of each slot, during a run */
    Py_ssize_t slots;
    int32_t *cells;       /* of each slot: what the caller has it in; -1: an array of its own */
    Py_ssize_t *sizes;    /* in bytes */
    Py_buffer *own;       /* arrays of its own, code and axes */
    Py_ssize_t own_count;
    PyObject *contiguous; /* makes an array contiguous */
    const Kernel *kernels;
    Py_ssize_t work;      /* numbers that a run computes */
} Machine;

static Kernel narrow_kernels[KERNELS], wide_kernels[KERNELS];

static const Kernel *machine_kernels(void)
{
    for (size_t i = 0; i < KERNELS; i++) {
        const Entry *entry = i < OWN ? &ENTRIES[i] : &ARITHMETIC[i - OWN];
        narrow_kernels[i] = entry->narrow;
        wide_kernels[i] = entry->wide;
    }
    return has_wide_vectors() ? wide_kernels : narrow_kernels;
}

static const Py_ssize_t WIDTHS[] = {sizeof(double), sizeof(float), 1};

/* Where the block of a place begins. */
static inline char *at(const Machine *m, const int32_t *place, Py_ssize_t start)
{
    if (place[0] < 0)
        return (char *)(m->blocks + (Py_ssize_t)(-1 - place[0]) * BLOCK);
    const Py_ssize_t first = place[2] & FIXED ? 0 : start * WIDTHS[place[2] & TYPE_BITS];
    return m->bases[place[0]] + place[1] + first;
}

NARROW static void widen_all(double *restrict to, const char *from, int type, Py_ssize_t n)
{
    if (type == TYPE_FLOAT)
        float_widen(to, from, sizeof(float), n);
    else if (type == TYPE_BOOL)
        for (Py_ssize_t i = 0; i < n; i++)
            to[i] = ((const uint8_t *)from)[i];
    else
        memcpy(to, from, (size_t)n * sizeof(double));
}

NARROW static void narrow_all(char *to, const double *restrict from, int type, Py_ssize_t n)
{
    if (type == TYPE_FLOAT)
        float_narrow(to, from, sizeof(float), n);
    else if (type == TYPE_BOOL)
        for (Py_ssize_t i = 0; i < n; i++)
            to[i] = from[i] != 0.0;
    else
        memcpy(to, from, (size_t)n * sizeof(double));
}

/* The numbers of a place as doubles: where they are, or in `room`. */
static inline const double *read_place(const Machine *m, const int32_t *place, Py_ssize_t start,
                                       Py_ssize_t n, double *room)
{
    const char *from = at(m, place, start);
    if (place[0] < 0 || !(place[2] & TYPE_BITS))
        return (const double *)(const void *)from;
    widen_all(room, from, place[2] & TYPE_BITS, n);
    return room;
}

NARROW static void round_all(double *y, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        y[i] = (float)y[i];
}

/* The numbers were computed in `y`: bring them to their place, unless they are there. */
static inline void write_place(const Machine *m, const int32_t *place, Py_ssize_t start,
                               Py_ssize_t n, double *y)
{
    char *to = at(m, place, start);
    const int type = place[2] & TYPE_BITS;
    if (place[0] < 0 && type == TYPE_FLOAT)
        round_all(y, n);
    if (to != (char *)y)
        narrow_all(to, y, place[0] < 0 ? TYPE_DOUBLE : type, n);
}

/* Where results that go to a place can be computed. */
static inline double *room_of(const Machine *m, const int32_t *place, Py_ssize_t start, double *room)
{
    return place[0] < 0 || !(place[2] & TYPE_BITS) ? (double *)(void *)at(m, place, start) : room;
}

static void repeat_rows(double *out, const double *x, Py_ssize_t period, Py_ssize_t start,
                        Py_ssize_t n)
{
    Py_ssize_t from = start % period;
    for (Py_ssize_t i = 0; i < n;) {
        const Py_ssize_t count = n - i < period - from ? n - i : period - from;
        memcpy(out + i, x + from, (size_t)count * sizeof *out);
        i += count;
        from = 0;
    }
}

NARROW static void repeat_columns(double *out, const double *x, Py_ssize_t times,
                                  Py_ssize_t start, Py_ssize_t n)
{
    Py_ssize_t column = 0, rest = times - start % times;
    for (Py_ssize_t i = 0; i < n; column++, rest = times) {
        const Py_ssize_t end = n - i < rest ? n : i + rest;
        for (const double y = x[column]; i < end; i++)
            out[i] = y;
    }
}

/* x[i mod period] and x[i / times] of the numbers in a place, in their type. */
static void spread(const Machine *m, const int32_t *place, int columns, Py_ssize_t word,
                   Py_ssize_t start, Py_ssize_t n, double *out)
{
    double room[BLOCK];
    if (columns) {
        const Py_ssize_t first = start / word, last = (start + n - 1) / word;
        const double *x = read_place(m, place, first, last - first + 1, room);
        repeat_columns(out, x, word, start, n);
    } else if (!(place[2] & TYPE_BITS) || word <= BLOCK) {
        repeat_rows(out, read_place(m, place, 0, word, room), word, start, n);
    } else {
        for (Py_ssize_t i = 0, count; i < n; i += count) {
            const Py_ssize_t from = (start + i) % word;
            count = n - i < word - from ? n - i : word - from;
            widen_all(out + i, at(m, place, from), place[2] & TYPE_BITS, count);
        }
    }
}

/* --- numbers that lie apart ------------------------------------------------------------------- */

typedef struct {
    Py_ssize_t place[MOST_AXES], count;
    const int64_t *lengths, *steps;
    int64_t offset; /* in bytes */
} Walk;

static Walk walk_to(const int64_t *axes, Py_ssize_t start)
{
    Walk w = {.count = axes[0], .lengths = axes + 1, .steps = axes + 1 + axes[0]};
    for (Py_ssize_t k = w.count; k--;) {
        w.place[k] = start % w.lengths[k];
        start /= w.lengths[k];
        w.offset += w.place[k] * w.steps[k];
    }
    return w;
}

/* Go on by some numbers of the last axis, of which there are as many. */
static void walk_on(Walk *w, Py_ssize_t numbers)
{
    Py_ssize_t k = w->count - 1;
    w->place[k] += numbers;
    w->offset += numbers * w->steps[k];
    for (; k > 0 && w->place[k] == w->lengths[k]; k--) {
        w->offset += w->steps[k - 1] - w->lengths[k] * w->steps[k];
        w->place[k] = 0;
        w->place[k - 1]++;
    }
}

static void gather(const Machine *m, const int32_t *place, const int64_t *axes, Py_ssize_t start,
                   Py_ssize_t n, double *out)
{
    const char *base = m->bases[place[0]] + place[1];
    const int type = place[2] & TYPE_BITS;
    Walk w = walk_to(axes, start);
    for (Py_ssize_t i = 0, count; i < n; i += count) {
        const Py_ssize_t k = w.count - 1, left = w.lengths[k] - w.place[k], step = w.steps[k];
        const char *from = base + w.offset;
        count = n - i < left ? n - i : left;
        for (Py_ssize_t j = 0; j < count; j++, from += step)
            out[i + j] = type == TYPE_DOUBLE  ? *(const double *)(const void *)from
                         : type == TYPE_FLOAT ? *(const float *)(const void *)from
                                              : *(const uint8_t *)from;
        walk_on(&w, count);
    }
}

static void scatter(const Machine *m, const int32_t *place, const int64_t *axes, Py_ssize_t start,
                    Py_ssize_t n, const double *x)
{
    char *base = m->bases[place[0]] + place[1];
    const int type = place[2] & TYPE_BITS;
    Walk w = walk_to(axes, start);
    for (Py_ssize_t i = 0, count; i < n; i += count) {
        const Py_ssize_t k = w.count - 1, left = w.lengths[k] - w.place[k], step = w.steps[k];
        char *to = base + w.offset;
        count = n - i < left ? n - i : left;
        for (Py_ssize_t j = 0; j < count; j++, to += step)
            if (type == TYPE_DOUBLE)
                *(double *)(void *)to = x[i + j];
            else if (type == TYPE_FLOAT)
                *(float *)(void *)to = (float)x[i + j];
            else
                *(uint8_t *)to = x[i + j] != 0.0;
        walk_on(&w, count);
    }
}

/* --- sums, whose results are doubles ---------------------------------------------------------- */

enum { LANES = 8 };

NARROW static double sum_of(const double *x, Py_ssize_t n)
{
    double lanes[LANES] = {0.0}, sum = 0.0;
    Py_ssize_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] += x[i + k];
    for (int k = 0; k < LANES / 2; k++)
        lanes[k] += lanes[k + LANES / 2];
    sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    for (; i < n; i++)
        sum += x[i];
    return sum;
}

/* Add a number to sum[0], and what the rounding has cut off to sum[1]. */
static void add_exactly(double *sum, double x)
{
    const double y = sum[0] + x;
    if (y - y == 0.0) /* infinities and NaN have no rounding errors */
        sum[1] += fabs(sum[0]) >= fabs(x) ? (sum[0] - y) + x : (x - y) + sum[0];
    sum[0] = y;
}

NARROW static void sum_rows(double *restrict out, const double *restrict x, Py_ssize_t period,
                            Py_ssize_t start, Py_ssize_t n)
{
    Py_ssize_t from = start % period;
    for (Py_ssize_t i = 0; i < n; from = 0) {
        const Py_ssize_t count = n - i < period - from ? n - i : period - from;
        for (Py_ssize_t j = 0; j < count; j++)
            out[from + j] += x[i + j];
        i += count;
    }
}

static void sum_columns(double *out, const double *x, Py_ssize_t times, Py_ssize_t start,
                        Py_ssize_t n)
{
    Py_ssize_t column = start / times, rest = times - start % times;
    for (Py_ssize_t i = 0; i < n; column++, rest = times) {
        const Py_ssize_t count = n - i < rest ? n - i : rest;
        out[column] += sum_of(x + i, count);
        i += count;
    }
}

/* --- running ---------------------------------------------------------------------------------- */

static void run_other(const Machine *m, const int32_t *c, Py_ssize_t start, Py_ssize_t n)
{
    double given[BLOCK], made[BLOCK];
    const int32_t *to = c + HEAD, *from = to + PLACE;
    const Py_ssize_t word = c[2];
    double *out = c[0] < KERNELS + SCATTER ? room_of(m, to, start, made) : NULL;
    double *sums = (double *)(void *)(to[0] < 0 ? NULL : m->bases[to[0]] + to[1]);
    switch (c[0] - KERNELS) {
    case MOVE: {
        const double *x = read_place(m, from, start, n, given);
        if (out != x)
            memmove(out, x, (size_t)n * sizeof *out);
        break;
    }
    case ROWS: spread(m, from, 0, word, start, n, out); break;
    case COLUMNS: spread(m, from, 1, word, start, n, out); break;
    case GATHER: gather(m, from, m->axes + word, start, n, out); break;
    case SCATTER:
        scatter(m, to, m->axes + word, start, n, read_place(m, from, start, n, given));
        return;
    case SUM: add_exactly(sums, sum_of(read_place(m, from, start, n, given), n)); return;
    case SUM_ROWS:
        sum_rows(sums, read_place(m, from, start, n, given), word, start, n);
        return;
    default: sum_columns(sums, read_place(m, from, start, n, given), word, start, n); return;
    }
    write_place(m, to, start, n, out);
}

static inline const int32_t *run_operation(const Machine *m, const int32_t *c, Py_ssize_t start,
                                           Py_ssize_t n)
{
    const int count = c[1];
    const int32_t *next = c + HEAD + PLACE * (count + 1);
    if (c[0] >= KERNELS) {
        run_other(m, c, start, n);
        return next;
    }
    double rooms[MOST + 1][BLOCK];
    const double *x[MOST] = {rooms[0], rooms[0], rooms[0], rooms[0], rooms[0]};
    const int32_t *to = c + HEAD, *place = to + PLACE;
    for (int k = 0; k < count; k++, place += PLACE)
        x[k] = read_place(m, place, start, n, rooms[k]);
    double *out = room_of(m, to, start, rooms[MOST]);
    m->kernels[c[0]](out, x, n);
    if (to[2] & TYPE_BITS)
        write_place(m, to, start, n, out);
    return next;
}

static void run_machine(const Machine *m)
{
    for (const int32_t *c = m->code; c < m->end;) {
        const Py_ssize_t count = c[0], length = c[1];
        const int32_t before = c[2], inside = c[3], *next = c + CHAIN_HEAD + c[4];
        c += CHAIN_HEAD;
        for (int32_t k = 0; k < before; k++)
            c = run_operation(m, c, 0, count < length ? count : length);
        const int32_t *first = c;
        for (Py_ssize_t start = 0; start < count; start += length) {
            const Py_ssize_t n = count - start < length ? count - start : length;
            c = first;
            for (int32_t k = 0; k < inside; k++)
                c = run_operation(m, c, start, n);
        }
        c = next;
    }
}

/* --- the object ------------------------------------------------------------------------------- */

static PyTypeObject *MachineType;

static void machine_dealloc(Machine *self)
{
    PyTypeObject *type = Py_TYPE(self);
    while (self->own_count--)
        PyBuffer_Release(&self->own[self->own_count]);
    PyMem_Free(self->own);
    PyMem_Free(self->blocks);
    PyMem_Free(self->bases);
    PyMem_Free(self->cells);
    PyMem_Free(self->sizes);
    Py_XDECREF(self->contiguous);
    type->tp_free(self);
    Py_DECREF(type);
}

static char *keep_buffer(Machine *self, PyObject *array)
{
    Py_buffer *b = &self->own[self->own_count];
    if (PyObject_GetBuffer(array, b, PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    self->own_count++;
    return b->buf;
}

static int read_slot(Machine *self, Py_ssize_t i, PyObject *slot)
{
    PyObject *array;
    int cell;
    if (!PyArg_ParseTuple(slot, "inO:machine", &cell, &self->sizes[i], &array))
        return 0;
    self->cells[i] = cell;
    return cell >= 0 || (self->bases[i] = keep_buffer(self, array)) != NULL;
}

/* machine(code, axes, blocks, slots, contiguous): slots are (cell, bytes, None), or (-1, bytes, an
 * array). None where this processor has no kernels. */
static PyObject *vectors_machine(PyObject *module, PyObject *args)
{
    PyObject *code, *axes, *slots, *contiguous;
    Py_ssize_t blocks, work;
    if (!PyArg_ParseTuple(args, "OOnO!On:machine", &code, &axes, &blocks, &PyList_Type, &slots,
                          &contiguous, &work))
        return NULL;
    Machine *self = (Machine *)MachineType->tp_alloc(MachineType, 0);
    if (!self)
        return NULL;
    const Py_ssize_t count = PyList_GET_SIZE(slots);
    self->slots = count;
    self->work = work;
    self->contiguous = Py_NewRef(contiguous);
    self->own = PyMem_Calloc((size_t)count + 2, sizeof *self->own);
    self->bases = PyMem_Calloc((size_t)count + 1, sizeof *self->bases);
    self->cells = PyMem_Calloc((size_t)count + 1, sizeof *self->cells);
    self->sizes = PyMem_Calloc((size_t)count + 1, sizeof *self->sizes);
    self->blocks = PyMem_Calloc((size_t)blocks * BLOCK + 1, sizeof *self->blocks);
    int ok = self->own && self->bases && self->cells && self->sizes && self->blocks;
    if (!ok)
        PyErr_NoMemory();
    ok = ok && (self->code = (int32_t *)(void *)keep_buffer(self, code))
         && (self->axes = (const int64_t *)(void *)keep_buffer(self, axes));
    for (Py_ssize_t i = 0; ok && i < count; i++)
        ok = read_slot(self, i, PyList_GET_ITEM(slots, i));
    if (!ok) {
        Py_DECREF(self);
        return NULL;
    }
    self->end = (int32_t *)(void *)((char *)self->own[0].buf + self->own[0].len);
    self->kernels = machine_kernels();
    return (PyObject *)self;
}

/* The memory of a cell, which is made contiguous. */
static int open_cell(Machine *m, PyObject *cells, Py_ssize_t i, Py_buffer *b)
{
    PyObject *array = PyList_GetItem(cells, m->cells[i]);
    if (!array)
        return 0;
    if (PyObject_GetBuffer(array, b, PyBUF_C_CONTIGUOUS) < 0) {
        PyErr_Clear();
        PyObject *copy = PyObject_CallOneArg(m->contiguous, array);
        const int opened = copy && PyObject_GetBuffer(copy, b, PyBUF_C_CONTIGUOUS) == 0;
        Py_XDECREF(copy);
        if (!opened)
            return 0;
    }
    if (b->len == m->sizes[i])
        return 1;
    PyErr_Format(PyExc_ValueError, "a program on arrays: %zd bytes where %zd were recorded",
                 b->len, m->sizes[i]);
    PyBuffer_Release(b);
    return 0;
}

enum { LONG_WORK = 100000, FEW_SLOTS = 32 };

/* machine(cells): run the code on the arrays in a list. Only one thread at a time. */
static PyObject *machine_call(Machine *m, PyObject *args, PyObject *named)
{
    PyObject *cells = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (!cells || !PyList_Check(cells))
        return PyErr_Format(PyExc_TypeError, "machine(cells): expected a list");
    Py_buffer few[FEW_SLOTS], *open = few;
    Py_ssize_t held = 0;
    if (m->slots > FEW_SLOTS && !(open = PyMem_Malloc((size_t)m->slots * sizeof *open)))
        return PyErr_NoMemory();
    int ok = 1;
    for (Py_ssize_t i = 0; ok && i < m->slots; i++)
        if (m->cells[i] >= 0 && (ok = open_cell(m, cells, i, &open[held])))
            m->bases[i] = open[held++].buf;
    if (ok && m->work > LONG_WORK) {
        Py_BEGIN_ALLOW_THREADS
        run_machine(m);
        Py_END_ALLOW_THREADS
    } else if (ok) {
        run_machine(m);
    }
    while (held--)
        PyBuffer_Release(&open[held]);
    if (open != few)
        PyMem_Free(open);
    return ok ? Py_NewRef(Py_None) : NULL;
}

/* kernels(): the names of all kernels, in their order. */
static PyObject *vectors_kernels(PyObject *module, PyObject *unused)
{
    PyObject *names = PyList_New(0);
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return names;
    for (size_t i = 0; names && i < KERNELS; i++) {
        PyObject *name = PyUnicode_FromString(i < OWN ? ENTRIES[i].name : ARITHMETIC[i - OWN].name);
        if (!name || PyList_Append(names, name) < 0)
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyType_Slot machine_slots[] = {
    {Py_tp_dealloc, machine_dealloc},
    {Py_tp_call, machine_call},
    {0, NULL},
};

static PyType_Spec machine_spec = {
    .name = "gradwalk.native._vectors.Machine",
    .basicsize = sizeof(Machine),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = machine_slots,
};
