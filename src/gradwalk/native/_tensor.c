/* The hot path of Tensors: recording an operation, and the reverse pass.
 *
 * Both do exactly what tensor/graph/tensor.py and tensor/graph/backward.py say in Python, which are
 * the specification and the stand-in without a compiler. Nothing here knows an operation or a rule:
 * the arithmetic is NumPy's, and the rules are those of the table, called as Python functions.
 * Everything unusual is handed back to Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <structmember.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "context.h"
#include "tensor/node.h"
#include "tensor/finite.h"
#include "tensor/operator.h"
#include "tensor/graph.h"
#include "tensor/reverse.h"
#include "tensor/property.h"

static PyMethodDef tensor_methods[] = {
    {"connect", tensor_connect, METH_VARARGS,
     "connect(Tensor, Node, CONSTANT_NODE, ndarray, StructuralZero, asarray, recording, "
     "contributions, rules_of, "
     "fitted, stays_structural, freed, home, dtypes, scalars, interceptors, error_state, "
     "relocated, watchers, watched, silent)"},
    {"operator", tensor_operator, METH_VARARGS,
     "operator(in_python, f, primitive, keeps, differentiable)"},
    {"kinds", tensor_kinds, METH_O, "kinds(arrays)"},
    {"leaves", tensor_leaves, METH_O, "leaves(root)"},
    {"properties", tensor_properties, METH_O, "properties(Gradient)"},
    {"sweep", tensor_sweep, METH_VARARGS, "sweep(root, seed, release, finish=None)"},
    {NULL},
};

static struct PyModuleDef tensor_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gradwalk.native._tensor",
    .m_doc = "The compiled hot path of Tensors; gradwalk.tensor is its specification.",
    .m_size = 0,
    .m_methods = tensor_methods,
};

PyMODINIT_FUNC PyInit__tensor(void)
{
    if (OperatorType)
        return PyErr_Format(PyExc_ImportError, "the native engine is in use already");
    OperatorType = (PyTypeObject *)PyType_FromSpec(&operator_spec);
    return OperatorType ? PyModule_Create(&tensor_module) : NULL;
}
