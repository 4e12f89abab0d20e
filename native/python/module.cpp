// acltwin._core: the operators on arrays, and what the package needs to know about the library below.
#include <dlfcn.h>

#include <cstring>
#include <vector>

#include "core/environment.h"
#include "core/output_pool.h"
#include "core/thread_pool.h"
#include "kernels/dispatch.h"
#include "ops/nearest_table.h"
#include "python/call.h"
#include "python/infer.h"
#include "python/result.h"
#include "python/xla_handler.h"

namespace acltwin {
namespace {

constexpr long long kMostTableCells = 1 << 24;

using OperatorCall = PyObject*(const Operator& op, PyObject* const* arguments, Py_ssize_t count);

// `self` is a capsule with the operator.
template <OperatorCall call>
PyObject* operator_function(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    return call(*static_cast<const Operator*>(PyCapsule_GetPointer(self, nullptr)), arguments, count);
}

PyObject* get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(num_threads()); }

PyObject* set_threads(PyObject*, PyObject* argument) {
    const long n = PyLong_AsLong(argument);
    if (n == -1 && PyErr_Occurred()) return nullptr;
    if (n < 1 || n > kMaxThreads) {
        PyErr_Format(PyExc_ValueError, "set_num_threads: n is %ld, expected 1 to %d; pass a number in that range", n,
                     kMaxThreads);
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

PyObject* interval_table_list(PyObject*, PyObject* arguments) {
    long long in, out;
    double scale;
    int exact;
    const char* rule;
    if (!PyArg_ParseTuple(arguments, "LLdps:interval_table", &in, &out, &scale, &exact, &rule)) return nullptr;
    const bool torch = std::strcmp(rule, "torch") == 0;
    if (in < 1 || out < 1 || in > kMostTableCells || (!torch && std::strcmp(rule, "device") != 0)) {
        PyErr_Format(PyExc_ValueError,
                     "interval_table: expected 1 <= in_size <= %lld, out_size >= 1 and rule \"device\" or \"torch\", "
                     "got %lld, %lld and \"%s\"",
                     kMostTableCells, in, out, rule);
        return nullptr;
    }
    const auto table = interval_table(in, out, scale, exact != 0, torch ? MapRule::torch : MapRule::device);
    Object list(PyList_New(Py_ssize_t(table.size())));
    for (size_t i = 0; list && i < table.size(); ++i) {
        PyObject* number = PyLong_FromLongLong(table[i]);
        if (number == nullptr) return nullptr;
        PyList_SetItem(list.get(), Py_ssize_t(i), number);
    }
    return list.release();
}

template <class Function>
PyCFunction method(Function* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"infer", method(infer_results), METH_FASTCALL, nullptr},
    {"run_inferred", method(run_inferred), METH_FASTCALL, nullptr},
    {"xla_handler", xla_handler, METH_NOARGS, nullptr},
    {"get_num_threads", get_num_threads, METH_NOARGS, nullptr},
    {"set_num_threads", set_threads, METH_O, nullptr},
    {"output_pool_limit", get_pool_limit, METH_NOARGS, nullptr},
    {"set_output_pool_limit", set_pool_limit, METH_O, nullptr},
    {"output_pool_kept", get_pool_kept, METH_NOARGS, nullptr},
    {"instruction_set", instruction_set, METH_NOARGS, nullptr},
    {"interval_table", interval_table_list, METH_VARARGS, nullptr},
    {"library_path", library_path, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "acltwin._core", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

// One function per operator, by its name. Python keeps pointers to the definitions.
template <OperatorCall call>
bool add_operators(PyObject* dictionary) {
    static std::vector<PyMethodDef> definitions;
    for (const Operator& op : operators())
        definitions.push_back({op.name, method(operator_function<call>), METH_FASTCALL, nullptr});
    PyMethodDef* definition = definitions.data();
    for (const Operator& op : operators()) {
        if (op.c_only) continue;
        Object self(PyCapsule_New(const_cast<Operator*>(&op), nullptr, nullptr));
        Object function(self ? PyCFunction_NewEx(definition++, self.get(), nullptr) : nullptr);
        if (!function || PyDict_SetItemString(dictionary, op.name, function.get()) < 0) return false;
    }
    return true;
}

template <OperatorCall call>
bool add_dictionary(PyObject* module, const char* name) {
    Object functions(PyDict_New());
    return functions && add_operators<call>(functions.get()) &&
           PyModule_AddObjectRef(module, name, functions.get()) == 0;
}

bool add_doors(PyObject* module) {
    return add_operators<call_operator>(PyModule_GetDict(module)) &&
           add_dictionary<call_below_autograd>(module, "below_autograd") &&
           add_dictionary<call_if_usual>(module, "usual");
}

}  // namespace
}  // namespace acltwin

PyMODINIT_FUNC PyInit__core() {
    if (const char* missing = acltwin::cpu_problem()) {
        PyErr_Format(PyExc_ImportError, "acltwin: %s", missing);
        return nullptr;
    }
    const std::string problem = acltwin::environment_problem();
    if (!problem.empty()) {
        PyErr_Format(PyExc_ValueError, "acltwin: %s", problem.c_str());
        return nullptr;
    }
    const std::string warning = acltwin::take_environment_warning();
    if (!warning.empty() && PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "acltwin: %s", warning.c_str()) < 0)
        return nullptr;
    acltwin::Object module(PyModule_Create(&acltwin::module_definition));
    if (!module || !acltwin::add_result_types(module.get()) || !acltwin::add_doors(module.get())) return nullptr;
    if (PyModule_AddStringConstant(module.get(), "__version__", ACLTWIN_VERSION) < 0) return nullptr;
    return module.release();
}
