/* The native engine: gradwalk/engine/pure.py at the speed of C.
 *
 * The order to read in is the order of the includes. What an operation computes and what its
 * derivative is stands in kernels.h, which is printed from the table at build time; everything
 * here is bookkeeping. The Python engine is the specification: same graphs, same bits.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <structmember.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __GNUC__ /* setup.py forbids builtins because of libm; eight bytes are no call */
#undef memcpy
#define memcpy __builtin_memcpy
#endif

#ifdef _MSC_VER
#define _Thread_local __declspec(thread)
#define __attribute__(x)
#endif

#include "context.h"
#include "ieee.h"
#include "kernels.h"
#include "scalar/memory.h"
#include "scalar/lines.h"
#include "scalar/node.h"
#include "scalar/scopes.h"
#include "levels/number.h"
#include "program/slots.h"
#include "program/columns.h"
#include "scalar/record.h"
#include "scalar/python_primitive.h"
#include "scalar/reverse.h"
#include "scalar/gradients.h"
#include "scalar/value.h"
#include "scalar/leaks.h"
#include "levels/recording.h"
#include "levels/rules.h"
#include "levels/tracer.h"
#include "program/tape_passes.h"
#include "scalar/function.h"
#include "scalar/door.h"
#include "scalar/loops.h"
#include "buffers/map.h"
#include "buffers/masks.h"
#include "buffers/steps.h"
#include "program/machine.h"
#include "program/tape.h"
#include "program/roll.h"
#include "program/sums.h"
#include "program/order.h"
#include "program/cells.h"
#include "program/sources.h"
#include "program/pairs.h"
#include "program/layout.h"
#include "program/program.h"
#include "program/readings.h"
#include "program/graph.h"
#include "program/tape_tangents.h"
#include "program/compiled.h"
#include "program/outside.h"

static PyObject *engine_connect(PyObject *module, PyObject *args);

static PyMethodDef engine_methods[] = {
    {"connect", engine_connect, METH_VARARGS,
     "connect(Node, Leaked, TABLE, CONSTANT, as_float, expect_text, is_number, freed, manual, "
     "gradients, leaves, nested)"},
    {"gradients", engine_gradients, METH_VARARGS, "gradients(root, seed, wrt)"},
    {"emptied", engine_select, METH_VARARGS, "emptied(shut, t, out)"},
    {"columns_type", engine_columns_type, METH_VARARGS, "columns_type(read, identities)"},
    {"forward_type", engine_forward_type, METH_O, "forward_type(JVPLevel)"},
    {"forget_pass", engine_forget_pass, METH_NOARGS, "forget_pass()"},
    {"door", engine_door, METH_VARARGS, "door(function, explain)"},
    {"function", engine_function, METH_O, "function(primitive)"},
    {"has_kernel", engine_has_kernel, METH_O, "has_kernel(primitive)"},
    {"leaves", engine_leaves, METH_O, "leaves(root)"},
    {"map_mask", engine_map_mask, METH_VARARGS, "map_mask(primitive, rule, out, shut, operands)"},
    {"map_primitive", engine_map_primitive, METH_VARARGS,
     "map_primitive(primitive, rule, out, shut, operands)"},
    {"line_of", engine_line_of, METH_O, "line_of(value)"},
    {"observe", engine_observe, METH_VARARGS, "observe(callable, all, home)"},
    {"poison", engine_poison, METH_O, "poison(leaves)"},
    {"compiled", engine_compiled, METH_VARARGS,
     "compiled(inputs, constants, names, op, first, atoms, absent, outputs, answers)"},
    {"find", engine_find, METH_VARARGS, 
     "find(steps, roots, places, read, matches, absent, names)"},
    {"read_by", engine_read_by, METH_O, "read_by(callable)"},
    {"readings", engine_readings, METH_O, "readings(root)"},
    {"recorder_type", engine_recorder_type, METH_O, "recorder_type(Recorder)"},
    {"replay", engine_replay, METH_VARARGS, "replay(seed, (root, ...))"},
    {"set_line", engine_set_line, METH_VARARGS, "set_line(value, code, offset)"},
    {"select", engine_select, METH_VARARGS, "select(mask, a, b, out)"},
    {"step_type", engine_step_type, METH_VARARGS, "step_type(base, VJPLevel, constant)"},
    {"tape_gradients", engine_tape_gradients, METH_VARARGS,
     "tape_gradients(level, outputs, cotangents, release)"},
    {"tape_tangents", engine_tape_tangents, METH_VARARGS, "tape_tangents(level, outputs, given)"},
    {"tensor_methods", engine_tensor_methods, METH_O, "tensor_methods(Tensor)"},
    {"clear_gradients", engine_clear_gradients, METH_O, "clear_gradients(params)"},
    {"tracer_type", engine_tracer_type, METH_O, "tracer_type(base)"},
    {"update", engine_update, METH_VARARGS, "update(name, params, state, hyper)"},
    {"update_arrays", engine_update_arrays, METH_VARARGS,
     "update_arrays(name, p, gradients, state, hyper)"},
    {"write_graph", engine_write_graph, METH_VARARGS, "write_graph(columns, roots)"},
    {"weighted_sum", (PyCFunction)(void (*)(void))engine_weighted_sum, METH_FASTCALL,
     "weighted_sum(weights, inputs, start)"},
    {NULL},
};

static struct PyModuleDef engine_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gradwalk.native._engine",
    .m_doc = "The compiled engine of gradwalk; gradwalk.engine.pure is its specification.",
    .m_size = 0, /* asks PyInit__engine again for every copy of the module */
    .m_methods = engine_methods,
};

/* Find the primitive of the table that each kernel was printed from. */
static int connect_rows(PyObject *table)
{
    KERNEL_OF = PyDict_New();
    for (int op = OP_FIRST; KERNEL_OF && op < OP_COUNT; op++) {
        PyObject *number = PyLong_FromLong(op);
        ROWS[op] = PyMapping_GetItemString(table, KERNELS[op - OP_FIRST].name);
        if (!number || !ROWS[op] || PyDict_SetItem(KERNEL_OF, ROWS[op], number) < 0)
            return 0;
        Py_DECREF(number);
    }
    return KERNEL_OF != NULL;
}

static PyTypeObject *node_type(PyType_Spec *spec, PyObject *bases)
{
    PyTypeObject *type = (PyTypeObject *)(bases ? PyType_FromSpecWithBases(spec, bases) : NULL);
    Py_XDECREF(bases);
    return type;
}

static int make_types(PyObject *module, PyObject *node, PyObject *leaked)
{
    ValueType = node_type(&value_spec, PyTuple_Pack(1, node));
    if (ValueType)
        LeakedType = node_type(&leaked_spec, PyTuple_Pack(2, leaked, ValueType));
    FunctionType = (PyTypeObject *)PyType_FromSpec(&function_spec);
    ProgramType = (PyTypeObject *)PyType_FromSpec(&program_spec);
    CompiledType = (PyTypeObject *)PyType_FromSpec(&compiled_spec);
    if (!LeakedType || !FunctionType || !ProgramType || !CompiledType)
        return 0;
    ValueType->tp_flags &= ~Py_TPFLAGS_BASETYPE; /* subclasses would not be recognised as Values */
    ValueType->tp_vectorcall = value_vectorcall;
    return PyModule_AddObjectRef(module, "Value", (PyObject *)ValueType) == 0
           && PyModule_AddObjectRef(module, "LeakedValue", (PyObject *)LeakedType) == 0;
}

/* connect(...): what the engine needs of the Python part, which calls this once. */
static PyObject *engine_connect(PyObject *module, PyObject *args)
{
    PyObject *node, *leaked, *table;
    if (ValueType)
        return PyErr_Format(PyExc_RuntimeError, "connect: the native engine is connected already");
    if (!PyArg_ParseTuple(args, "O!O!OOOOOOOOOOO:connect", &PyType_Type, &node, &PyType_Type, &leaked,
                          &table, &constant_primitive, &as_float, &expect_text, &is_real, &freed_error, &explain_new, &manual,
                          &python_gradients, &python_leaves, &nested_error))
        return NULL;
    Py_INCREF(constant_primitive); /* for as long as the process runs */
    Py_INCREF(as_float);
    Py_INCREF(expect_text);
    Py_INCREF(is_real);
    Py_INCREF(freed_error);
    Py_INCREF(explain_new);
    Py_INCREF(manual);
    Py_INCREF(python_gradients);
    Py_INCREF(python_leaves);
    Py_INCREF(nested_error);
    if (!connect_rows(table) || !make_types(module, node, leaked))
        return NULL;
    Py_RETURN_NONE;
}

PyMODINIT_FUNC PyInit__engine(void)
{
    static int initialised;
    if (initialised) /* its types and states are variables of C */
        return PyErr_Format(PyExc_ImportError,
                            "another copy of gradwalk in this process uses the native engine");
    PyObject *module = PyModule_Create(&engine_module);
    if (!module)
        return NULL;
    if (!add_scopes(module) || PyModule_AddStringConstant(module, "FINGERPRINT", FINGERPRINT) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    initialised = 1;
    return module;
}
