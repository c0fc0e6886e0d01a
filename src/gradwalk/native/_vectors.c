/* Loops over arrays in vectors, as functions of NumPy.
 *
 * The table is printed as functions of one number without branches (vector_kernels.h, vectors.h),
 * which the compiler turns into loops over 4 or 8 numbers at once, whatever the processor has. All
 * of them give the same bits. A processor without fma has NumPy's loops instead.
 *
 * The functions are ufuncs: NumPy broadcasts, converts and allocates. Its C interface is a table of
 * addresses whose order never changes; so it needs no headers of NumPy to build.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_VECTORS 1
#define NARROW __attribute__((target("avx2,fma,f16c")))
#ifdef __clang__
#define WIDE NARROW
#else
#define WIDE \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,prefer-vector-width=512")))
#endif

#include "buffers/vectors.h"
#include "vector_kernels.h"

enum { BLOCK = 512, MOST = 5 }; /* numbers at a time; operands */

typedef void (*Kernel)(double *out, const double *const *x, Py_ssize_t n);

/* The results may lie where the operands do, number for number. */
#define LOOP_FOR(name, expression)                                                                 \
    (double *out, const double *const *x, Py_ssize_t n)                                            \
    {                                                                                              \
        const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3], *x4 = x[4];                   \
        (void)x1, (void)x2, (void)x3, (void)x4;                                                    \
        _Pragma("GCC ivdep") for (Py_ssize_t i = 0; i < n; i++) out[i] = expression;               \
    }
#define LOOPS(name, count, operands, expression)                                                             \
    NARROW static void narrow_##name LOOP_FOR(name, expression)                                    \
    WIDE static void wide_##name LOOP_FOR(name, expression)
VECTOR_KERNELS(LOOPS)
VECTOR_ARITHMETIC(LOOPS)

typedef struct {
    const char *name;
    int count, operands; /* how many, and which of all arguments: a bit for each */
    Kernel narrow, wide;
} Entry;

static const Entry ENTRIES[] = {
#define ENTRY(name, count, operands, expression) \
    {#name, count, operands, narrow_##name, wide_##name},
    VECTOR_KERNELS(ENTRY)
};

/* What a ufunc's loop is told. */
typedef struct {
    Kernel kernel;
    int count, reports; /* reports: whether overflows and the like are to be seen by NumPy */
    double (*beyond)(double);
} Work;

/* Whether any result is not finite. */
NARROW static int any_unusual(const double *y, Py_ssize_t n)
{
    int64_t any = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        any |= !(v_fabs(y[i]) < INFINITY);
    return any != 0;
}

NARROW static int any_beyond(const double *x, Py_ssize_t n)
{
    int64_t any = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        any |= !(v_fabs(x[i]) <= CIRCLE);
    return any != 0;
}

/* What NumPy is told of results that are not finite. */
static int errors_of(const double *x, const double *y, Py_ssize_t n)
{
    int errors = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (y[i] != y[i] && x[i] == x[i])
            errors |= FE_INVALID;
        else if (fabs(y[i]) == INFINITY && fabs(x[i]) < INFINITY)
            errors |= y[i] < 0.0 ? FE_DIVBYZERO : FE_OVERFLOW;
    return errors;
}

/* One block; the errors that NumPy is told of. */
static int run_block(const Work *work, double *out, const double *const *x, Py_ssize_t n)
{
    work->kernel(out, x, n);
    if (work->beyond && any_beyond(x[0], n))
        for (Py_ssize_t i = 0; i < n; i++)
            if (!(fabs(x[0][i]) <= CIRCLE))
                out[i] = work->beyond(x[0][i]);
    return work->reports && any_unusual(out, n) ? errors_of(x[0], out, n) : 0;
}

/* --- numbers of other types are brought into a block first, and back ------------------------- */

#define CONVERSIONS(type, widened, narrowed)                                                       \
    NARROW static void type##_widen(double *to, const char *from, Py_ssize_t step, Py_ssize_t n)   \
    {                                                                                              \
        if (step == (Py_ssize_t)sizeof(type))                                                      \
            for (Py_ssize_t i = 0; i < n; i++)                                                     \
                to[i] = widened(((const type *)(const void *)from)[i]);                            \
        else                                                                                       \
            for (Py_ssize_t i = 0; i < n; i++, from += step)                                       \
                to[i] = widened(*(const type *)(const void *)from);                                \
    }                                                                                              \
    NARROW static void type##_narrow(char *to, const double *from, Py_ssize_t step, Py_ssize_t n)  \
    {                                                                                              \
        if (step == (Py_ssize_t)sizeof(type))                                                      \
            for (Py_ssize_t i = 0; i < n; i++)                                                     \
                ((type *)(void *)to)[i] = narrowed(from[i]);                                       \
        else                                                                                       \
            for (Py_ssize_t i = 0; i < n; i++, to += step)                                         \
                *(type *)(void *)to = narrowed(from[i]);                                           \
    }

typedef uint16_t half; /* the bits of one */
#define FROM_HALF(x) (double)_cvtsh_ss(x)
#define TO_HALF(x) _cvtss_sh((float)(x), 0)
CONVERSIONS(half, FROM_HALF, TO_HALF)
CONVERSIONS(float, (double), (float))
CONVERSIONS(double, , )

typedef struct {
    void (*widen)(double *to, const char *from, Py_ssize_t step, Py_ssize_t n);
    void (*narrow)(char *to, const double *from, Py_ssize_t step, Py_ssize_t n);
    Py_ssize_t in_place; /* the step of numbers that need no conversion; 0: there is none */
} Type;

/* The operands of a block: where they are, unless the results go there, or in `room`. One number
 * for all (a step of 0) is spread once. */
static void read_block(const Type *type, const Work *work, char *const *args,
                       const Py_ssize_t *steps, Py_ssize_t start, Py_ssize_t length,
                       double room[][BLOCK], const double **x)
{
    const char *out = args[work->count] + start * steps[work->count];
    for (int k = 0; k < MOST; k++) {
        x[k] = room[k];
        if (k >= work->count)
            continue;
        const char *from = args[k] + start * steps[k];
        if (type->in_place && steps[k] == type->in_place && from != out)
            x[k] = (const double *)(const void *)from;
        else if (steps[k] || start == 0)
            type->widen(room[k], from, steps[k], length);
    }
}

static void run(const Type *type, char *const *args, Py_ssize_t n, const Py_ssize_t *steps,
                const Work *work)
{
    double room[MOST + 1][BLOCK];
    const Py_ssize_t step = steps[work->count];
    int errors = 0;
    for (Py_ssize_t start = 0; start < n; start += BLOCK) {
        const Py_ssize_t length = n - start < BLOCK ? n - start : BLOCK;
        const double *x[MOST];
        char *to = args[work->count] + start * step;
        double *out = type->in_place && step == type->in_place ? (double *)(void *)to : room[MOST];
        read_block(type, work, args, steps, start, length, room, x);
        errors |= run_block(work, out, x, length);
        if (out == room[MOST])
            type->narrow(to, out, step, length);
    }
    feclearexcept(FE_ALL_EXCEPT); /* lanes compute the branches that are not taken, too */
    if (errors)
        feraiseexcept(errors);
}

/* What NumPy calls, for each type. */
#define UFUNC_LOOP(type, in_place)                                                                 \
    static void type##_loop(char **args, const Py_ssize_t *dimensions, const Py_ssize_t *steps,    \
                            void *work)                                                            \
    {                                                                                              \
        static const Type here = {type##_widen, type##_narrow, in_place};                          \
        run(&here, args, dimensions[0], steps, work);                                              \
    }

UFUNC_LOOP(half, 0)
UFUNC_LOOP(float, 0)
UFUNC_LOOP(double, sizeof(double))

/* --- ufuncs ---------------------------------------------------------------------------------- */

typedef void (*UfuncLoop)(char **, const Py_ssize_t *, const Py_ssize_t *, void *);
typedef PyObject *(*FromFuncAndData)(UfuncLoop *, void *const *, const char *, int, int, int, int,
                                     const char *, const char *, int);

enum { HALF = 23, FLOAT = 11, DOUBLE = 12, TYPES = 3, NO_IDENTITY = -1, FROM_FUNC_AND_DATA = 1 };

/* PyUFunc_FromFuncAndData of a capsule with NumPy's table; NULL with the error set. */
static FromFuncAndData from_numpy(PyObject *capsule)
{
    FromFuncAndData found = NULL;
    void **table = PyCapsule_GetPointer(capsule, NULL);
    if (table)
        memcpy(&found, &table[FROM_FUNC_AND_DATA], sizeof found);
    return found;
}

/* What a ufunc looks at for as long as it lives. */
typedef struct {
    Work work;
    UfuncLoop loops[TYPES];
    void *data[TYPES];
    char types[TYPES * (MOST + 1)];
} Kept;

static int has_wide_vectors(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

/* The function of one number that takes over where a kernel ends. */
static double (*libm_beyond(const char *name))(double)
{
    return !strcmp(name, "sin") ? sin : !strcmp(name, "cos") ? cos : NULL;
}

static PyObject *new_ufunc(PyObject *capsule, const Entry *entry, int reports)
{
    FromFuncAndData make = from_numpy(capsule);
    Kept *kept = make ? PyMem_Calloc(1, sizeof *kept) : NULL;
    if (!kept)
        return make ? PyErr_NoMemory() : NULL;
    const UfuncLoop loops[TYPES] = {half_loop, float_loop, double_loop};
    const char types[TYPES] = {HALF, FLOAT, DOUBLE};
    kept->work = (Work){has_wide_vectors() ? entry->wide : entry->narrow, entry->count,
                        reports, libm_beyond(entry->name)};
    for (int i = 0; i < TYPES; i++) {
        kept->loops[i] = loops[i];
        kept->data[i] = &kept->work;
        memset(kept->types + i * (entry->count + 1), types[i], (size_t)entry->count + 1);
    }
    return make(kept->loops, kept->data, kept->types, TYPES, entry->count, 1, NO_IDENTITY,
                entry->name, "", 0);
}

/* ufunc(capsule, name, reports): the function of NumPy's kind that computes a primitive, or a rule
 * ("tanh_0"), and which arguments it takes, in bits; None if there is none for it, or not on this
 * processor. The capsule has NumPy's table of ufuncs; `reports` says whether NumPy gets to know of
 * overflows and poles. */
static PyObject *vectors_ufunc(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    const char *name;
    int reports;
    if (!PyArg_ParseTuple(args, "Osp:ufunc", &capsule, &name, &reports))
        return NULL;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        Py_RETURN_NONE;
    for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; i++)
        if (!strcmp(ENTRIES[i].name, name))
            return Py_BuildValue("Ni", new_ufunc(capsule, &ENTRIES[i], reports), ENTRIES[i].operands);
    Py_RETURN_NONE;
}

#include "program/array_machine.h"

#else /* another processor or compiler: NumPy's loops */

#define VECTOR_FINGERPRINT ""

static PyObject *vectors_ufunc(PyObject *module, PyObject *args)
{
    Py_RETURN_NONE;
}

static PyObject *vectors_kernels(PyObject *module, PyObject *unused)
{
    return PyList_New(0);
}

#endif

static PyMethodDef vectors_methods[] = {
    {"ufunc", vectors_ufunc, METH_VARARGS, "ufunc(capsule, name, reports)"},
    {"kernels", vectors_kernels, METH_NOARGS, "kernels()"},
#ifdef HAS_VECTORS
    {"machine", vectors_machine, METH_VARARGS,
     "machine(code, axes, blocks, slots, contiguous, work)"},
#endif
    {NULL},
};

static struct PyModuleDef vectors_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gradwalk.native._vectors",
    .m_doc = "Loops over arrays in vectors; NumPy's loops are the stand-in.",
    .m_size = 0,
    .m_methods = vectors_methods,
};

PyMODINIT_FUNC PyInit__vectors(void)
{
    PyObject *module = PyModule_Create(&vectors_module);
    if (module && PyModule_AddStringConstant(module, "FINGERPRINT", VECTOR_FINGERPRINT) < 0)
        Py_CLEAR(module);
#ifdef HAS_VECTORS
    if (module && !(MachineType = (PyTypeObject *)PyType_FromSpec(&machine_spec)))
        Py_CLEAR(module);
#endif
    return module;
}
