// acltwin._core: the operators on arrays, and what the package needs to know about the library below.
#include <dlfcn.h>

#include "core/environment.h"
#include "core/output_pool.h"
#include "kernels/dispatch.h"
#include "kernels/thread_pool.h"
#include "python/call.h"
#include "python/result.h"

namespace acltwin {
namespace {

template <const Operator& op>
PyObject* operator_function(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return call_operator(op, arguments, count);
}

PyObject* get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(num_threads()); }

PyObject* set_threads(PyObject*, PyObject* argument) {
    const long n = PyLong_AsLong(argument);
    if (n == -1 && PyErr_Occurred()) return nullptr;
    if (n < 1 || n > kMaxThreads) {
        PyErr_Format(PyExc_ValueError, "set_num_threads: n is %ld, expected 1 to %d", n, kMaxThreads);
        return nullptr;
    }
    set_num_threads(int(n));
    Py_RETURN_NONE;
}

PyObject* get_pool_limit(PyObject*, PyObject*) { return PyLong_FromSize_t(output_pool_limit()); }
PyObject* get_pool_kept(PyObject*, PyObject*) { return PyLong_FromSize_t(output_pool_kept()); }

PyObject* set_pool_limit(PyObject*, PyObject* argument) {
    const long long bytes = PyLong_AsLongLong(argument);
    if (bytes == -1 && PyErr_Occurred()) return nullptr;
    if (bytes < 0) {
        PyErr_Format(PyExc_ValueError, "set_output_pool_limit: bytes is %lld, expected 0 (keep nothing) or more",
                     bytes);
        return nullptr;
    }
    set_output_pool_limit(size_t(bytes));
    Py_RETURN_NONE;
}

PyObject* instruction_set(PyObject*, PyObject*) { return PyUnicode_FromString(level_name()); }

PyObject* library_path(PyObject*, PyObject*) {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&num_threads), &info) == 0 || info.dli_fname == nullptr) Py_RETURN_NONE;
    return PyUnicode_DecodeFSDefault(info.dli_fname);
}

template <class Function>
PyCFunction method(Function* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

#define ACLTWIN_OPERATOR(name) {#name, method(operator_function<name>), METH_FASTCALL, nullptr}

PyMethodDef methods[] = {
    ACLTWIN_OPERATOR(upsample_nearest_exact3d_backward),
    ACLTWIN_OPERATOR(upsample_nearest3d_backward),
    ACLTWIN_OPERATOR(upsample_nearest_exact2d_backward),
    ACLTWIN_OPERATOR(max_unpool3d_backward),
    ACLTWIN_OPERATOR(max_pool3d_with_argmax_backward),
    {"get_num_threads", get_num_threads, METH_NOARGS, nullptr},
    {"set_num_threads", set_threads, METH_O, nullptr},
    {"output_pool_limit", get_pool_limit, METH_NOARGS, nullptr},
    {"set_output_pool_limit", set_pool_limit, METH_O, nullptr},
    {"output_pool_kept", get_pool_kept, METH_NOARGS, nullptr},
    {"instruction_set", instruction_set, METH_NOARGS, nullptr},
    {"library_path", library_path, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "acltwin._core", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace acltwin

PyMODINIT_FUNC PyInit__core() {
    const std::string problem = acltwin::environment_problem();
    if (!problem.empty()) {
        PyErr_Format(PyExc_ValueError, "acltwin: %s", problem.c_str());
        return nullptr;
    }
    acltwin::Object module(PyModule_Create(&acltwin::module_definition));
    if (!module || !acltwin::add_result_types(module.get())) return nullptr;
    return module.release();
}
