#include "python/array_function.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>

#include "python/call.h"
#include "python/call_arguments.h"

namespace acltwin {
namespace {

constexpr int kMost = kMaxTensors + kMaxArrays + kMaxScales + 5;  // flag, index_dtype, data_format, rule, out
static_assert(kMost <= 32, "sets of arguments are kept as bits");

// Python 3.11 has them, too, but counts them as stable from 3.12 on.
constexpr unsigned long kHasVectorcall = 1UL << 11;
constexpr size_t kCountBits = ~size_t(0) >> 1;  // the highest bit is a note about the memory of the arguments
typedef PyObject* Vectorcall(PyObject* self, PyObject* const* arguments, size_t count, PyObject* keywords);

struct ArrayFunction {
    PyObject_HEAD Vectorcall* vectorcall;
    PyObject *attributes, *weak_references, *function;
    const Operator* op;
    int positional, count;      // parameters that may come by position; arguments of the core
    int place[kMost];           // of the former among the latter
    PyObject* name[kMost];      // of each of the core's arguments; null: not a parameter
    PyObject* standard[kMost];  // what it is if it is not given; null: it must be given
    Bits required;
};

ArrayFunction& function_of(PyObject* self) { return *reinterpret_cast<ArrayFunction*>(self); }

// ---- calling ----

PyObject* call_python(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return PyObject_Call(function_of(self).function, arguments, keywords);
}

PyObject* call_python(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
    Object tuple(PyTuple_New(count)), named(keywords != nullptr ? PyDict_New() : nullptr);
    if (!tuple || (keywords != nullptr && !named)) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_INCREF(arguments[i]);
        PyTuple_SetItem(tuple.get(), i, arguments[i]);
    }
    const Py_ssize_t names = keywords != nullptr ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < names; ++i)
        if (PyDict_SetItem(named.get(), PyTuple_GetItem(keywords, i), arguments[count + i]) < 0) return nullptr;
    return call_python(self, tuple.get(), named.get());
}

// False if that is not sure to be as Python would do it.
bool sort(const ArrayFunction& function, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords,
          PyObject** sorted) {
    if (count > function.positional) return false;
    std::copy_n(function.standard, function.count, sorted);
    Bits given = 0;
    const auto take = [&](int place, PyObject* argument) {
        if ((given & bit(place)) != 0) return false;
        given |= bit(place);
        sorted[place] = argument;
        return true;
    };
    for (Py_ssize_t i = 0; i < count; ++i) take(function.place[i], arguments[i]);
    const Py_ssize_t names = keywords != nullptr ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < names; ++i) {
        // Names in a program's source are single objects.
        PyObject* const* end = function.name + function.count;
        PyObject* const* found = std::find(function.name, end, PyTuple_GetItem(keywords, i));
        if (found == end || !take(int(found - function.name), arguments[count + i])) return false;
    }
    return (function.required & ~given) == 0;
}

PyObject* call(PyObject* self, PyObject* const* arguments, size_t flagged_count, PyObject* keywords) {
    const ArrayFunction& function = function_of(self);
    const Py_ssize_t count = Py_ssize_t(flagged_count & kCountBits);
    PyObject* sorted[kMost];
    if (!sort(function, arguments, count, keywords, sorted)) return call_python(self, arguments, count, keywords);
    return call_operator(*function.op, sorted, function.count);
}

// ---- making one ----

// What a Python function says about its parameters.
struct Parameters {
    Object names, by_position, by_name;  // all names; the defaults
    Py_ssize_t positional = 0, count = 0;

    // False with a Python exception set.
    bool read(PyObject* function) {
        Object code(PyObject_GetAttrString(function, "__code__"));
        if (!code) return false;
        names = Object(PyObject_GetAttrString(code.get(), "co_varnames"));
        by_position = Object(PyObject_GetAttrString(function, "__defaults__"));
        by_name = Object(PyObject_GetAttrString(function, "__kwdefaults__"));
        Object all(PyObject_GetAttrString(code.get(), "co_argcount"));
        Object named(PyObject_GetAttrString(code.get(), "co_kwonlyargcount"));
        if (!names || !by_position || !by_name || !all || !named) return false;
        positional = PyLong_AsSsize_t(all.get());
        count = positional + PyLong_AsSsize_t(named.get());
        return true;
    }
    // -1 if there is none.
    int find(const char* name) const {
        for (Py_ssize_t i = 0; i < count; ++i)
            if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names.get(), i), name) == 0) return int(i);
        return -1;
    }
    // Borrowed; null if there is none.
    PyObject* default_of(int parameter) const {
        if (parameter >= positional) return PyDict_GetItem(by_name.get(), PyTuple_GetItem(names.get(), parameter));
        const Py_ssize_t count_of_defaults = by_position.get() != Py_None ? PyTuple_Size(by_position.get()) : 0;
        const Py_ssize_t i = parameter - (positional - count_of_defaults);
        return i >= 0 ? PyTuple_GetItem(by_position.get(), i) : nullptr;
    }
};

// Takes a reference, kept as long as the function.
PyObject* kept(PyObject* object) {
    Py_XINCREF(object);
    return object;
}

// `fixed` is what the core gets where the Python function has no such parameter; null: it must have it. False with a
// Python exception set.
bool add_argument(const Parameters& parameters, const char* name, const char* fixed, ArrayFunction& function) {
    const int place = function.count++, parameter = parameters.find(name);
    if (parameter < 0) {
        if (fixed == nullptr)
            PyErr_Format(PyExc_TypeError, "array_function: %s has no parameter %s", function.op->name, name);
        else
            function.standard[place] = PyUnicode_InternFromString(fixed);
        return function.standard[place] != nullptr;
    }
    function.name[place] = kept(PyTuple_GetItem(parameters.names.get(), parameter));
    function.standard[place] = kept(parameters.default_of(parameter));
    if (function.standard[place] == nullptr) function.required |= bit(place);
    if (parameter < parameters.positional) function.place[parameter] = place;
    return true;
}

// In the order of the core (call.h).
bool add_arguments(const Operator& op, const Parameters& parameters, ArrayFunction& function) {
    const auto add = [&](const char* name, const char* fixed = nullptr) {
        return add_argument(parameters, name, fixed, function);
    };
    for (int i = 0; i < op.inputs(); ++i)
        if (!add(op.tensor[i].python_name)) return false;
    for (int i = 0; i < op.arrays; ++i)
        if (!add(op.array[i].python_name)) return false;
    for (int i = 0; i < op.scales; ++i)
        if (!add(op.scale[i].python_name)) return false;
    return (op.flag.name == nullptr || add(op.flag.python_name)) && (!op.makes_indices() || add("index_dtype")) &&
           add("data_format", op.axes == 2 ? "NCHW" : "NCDHW") && add("rule", "device") && add("out");
}

// ---- the type ----

PyTypeObject* function_type = nullptr;

void dealloc(PyObject* self) {
    ArrayFunction& function = function_of(self);
    if (function.weak_references != nullptr) PyObject_ClearWeakRefs(self);
    for (int i = 0; i < function.count; ++i) {
        Py_XDECREF(function.name[i]);
        Py_XDECREF(function.standard[i]);
    }
    Py_XDECREF(function.attributes);
    Py_XDECREF(function.function);
    PyTypeObject* type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

// In a class it is a method, as the Python function would be.
PyObject* bind(PyObject* self, PyObject* object, PyObject* type) {
    PyObject* function = function_of(self).function;
    if (object == nullptr || object == Py_None) return kept(self);
    return reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(function), Py_tp_descr_get))(function, object, type);
}

PyObject* represent(PyObject* self) { return PyObject_Repr(function_of(self).function); }

// Pickled by its name, as functions are.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyMethodDef function_methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef function_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ArrayFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(ArrayFunction, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayFunction, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
ternaryfunc call_with_tuple = call_python;
PyType_Slot function_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_call, reinterpret_cast<void*>(call_with_tuple)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_methods, function_methods},
    {Py_tp_getset, function_attributes},
    {Py_tp_members, function_members},
    {0, nullptr},
};
PyType_Spec function_spec = {"acltwin._core.ArrayFunction", sizeof(ArrayFunction), 0,
                             unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | kHasVectorcall),
                             function_slots};

}  // namespace

PyObject* array_function(PyObject*, PyObject* python_function) {
    Parameters parameters;
    Object name(PyObject_GetAttrString(python_function, "__name__"));
    PyObject* const first = name.get();
    const Operator* op = name ? read_operator("array_function", &first, 1) : nullptr;
    if (op == nullptr || !parameters.read(python_function)) return nullptr;
    Object made(PyType_GenericAlloc(function_type, 0));  // all zeros
    if (!made) return nullptr;
    ArrayFunction& function = function_of(made.get());
    function.vectorcall = call;
    function.function = kept(python_function);
    function.op = op;
    function.positional = int(parameters.positional);
    if (!add_arguments(*op, parameters, function)) return nullptr;
    const auto fixed = std::count(function.name, function.name + function.count, nullptr);
    if (parameters.count != function.count - fixed)
        return PyErr_Format(PyExc_TypeError, "array_function: %s has a parameter that its operator has not", op->name);
    Object update = import_attribute("functools", "update_wrapper");
    return update ? PyObject_CallFunctionObjArgs(update.get(), made.get(), python_function, nullptr) : nullptr;
}

bool add_function_type(PyObject* module) {
    PyObject* type = PyType_FromSpec(&function_spec);
    function_type = reinterpret_cast<PyTypeObject*>(type);
    return type != nullptr && PyModule_AddObjectRef(module, "ArrayFunction", type) == 0;
}

}  // namespace acltwin
