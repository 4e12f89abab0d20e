#include "python/array_view.h"

#include <cstring>
#include <string>

namespace acltwin {
namespace {

// What numpy hands out as __array_struct__ (its documented C layout).
struct ArrayStruct {
    int two;
    int rank;
    char kind;
    int item_size;
    int flags;
    Py_intptr_t* shape;
    Py_intptr_t* strides;  // in bytes
    void* data;
    PyObject* description;
};
constexpr int kAligned = 0x100, kNativeOrder = 0x200, kWritable = 0x400;

bool refuse(PyObject* type, const Argument& argument, const std::string& text) {
    PyErr_Format(type, "%s: %s %s", argument.operator_name, argument.name().c_str(), text.c_str());
    return false;
}

std::string type_name(PyObject* object) {
    Object name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__"));
    const char* text = name ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
    if (text == nullptr) PyErr_Clear();
    return text != nullptr ? text : "an object";
}

std::string type_module(PyObject* object) {
    Object name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__module__"));
    const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
    if (text == nullptr) PyErr_Clear();
    return text != nullptr ? text : "";
}

DType dtype_of_kind(char kind, int size) {
    switch (kind) {
        case 'f':
            return size == 4   ? DType::float32
                   : size == 2 ? DType::float16
                   : size == 8 ? DType::float64
                               : DType::undefined;
        case 'i':
            return size == 1   ? DType::int8
                   : size == 2 ? DType::int16
                   : size == 4 ? DType::int32
                   : size == 8 ? DType::int64
                               : DType::undefined;
        case 'u':
            return size == 1   ? DType::uint8
                   : size == 2 ? DType::uint16
                   : size == 4 ? DType::uint32
                   : size == 8 ? DType::uint64
                               : DType::undefined;
        case 'b': return size == 1 ? DType::boolean : DType::undefined;
        default: return DType::undefined;
    }
}

DType dtype_of(dlpack::DataType type) {
    if (type.lanes != 1) return DType::undefined;
    const int size = type.bits / 8;
    switch (type.code) {
        case dlpack::kFloat: return dtype_of_kind('f', size);
        case dlpack::kInt: return dtype_of_kind('i', size);
        case dlpack::kUInt: return dtype_of_kind('u', size);
        case dlpack::kBool: return dtype_of_kind('b', size);
        case dlpack::kBfloat: return size == 2 ? DType::bfloat16 : DType::undefined;
        default: return DType::undefined;
    }
}

// ml_dtypes' bfloat16 is a two-byte void type to numpy's C interface; only its dtype tells.
DType dtype_of_void(PyObject* array) {
    Object dtype(PyObject_GetAttrString(array, "dtype"));
    PyObject* bfloat16 = dtype ? numpy_dtype(DType::bfloat16) : nullptr;
    const int equal = bfloat16 != nullptr ? PyObject_RichCompareBool(dtype.get(), bfloat16, Py_EQ) : -1;
    if (equal < 0) PyErr_Clear();
    return equal == 1 ? DType::bfloat16 : DType::undefined;
}

// ---- numpy ----

enum class Layout { usable, needs_copy, failed };

Layout read_numpy(PyObject* object, const Argument& argument, ArrayView& view) {
    static PyObject* attribute = PyUnicode_InternFromString("__array_struct__");
    Object capsule(PyObject_GetAttr(object, attribute));
    if (!capsule) return Layout::failed;
    const auto* array = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
    if (array == nullptr) return Layout::failed;
    Tensor& tensor = view.tensor;
    tensor.data = array->data;
    tensor.dtype = dtype_of_kind(array->kind, array->item_size);
    if (array->kind == 'V' && array->item_size == 2) tensor.dtype = dtype_of_void(object);
    tensor.rank = array->rank;
    view.writable = (array->flags & kWritable) != 0;
    if ((array->flags & kNativeOrder) == 0 && array->item_size > 1) {
        refuse(PyExc_TypeError, argument,
               "is not in this machine's byte order; convert it with .astype(array.dtype.newbyteorder('='))");
        return Layout::failed;
    }
    bool usable = (array->flags & kAligned) != 0;
    for (int i = 0; i < array->rank && i < kMaxRank; ++i) {
        tensor.dims[i] = array->shape[i];
        if (array->item_size > 0) {
            usable = usable && (array->strides[i] % array->item_size == 0 || array->shape[i] <= 1);
            tensor.strides[i] = array->strides[i] / array->item_size;
        }
    }
    return usable ? Layout::usable : Layout::needs_copy;
}

bool view_numpy(PyObject* object, const Argument& argument, bool for_writing, ArrayView& view) {
    view.library = Library::numpy;
    const Layout layout = read_numpy(object, argument, view);
    if (layout != Layout::needs_copy) return layout == Layout::usable;
    if (for_writing)
        return refuse(PyExc_ValueError, argument,
                      "is not aligned to its elements, so it cannot be written in place; pass an ordinary array");
    view.keep = Object(PyObject_CallMethod(object, "copy", nullptr));
    return view.keep && read_numpy(view.keep.get(), argument, view) == Layout::usable;
}

// ---- DLPack ----

bool refuse_device(const Argument& argument, int type) {
    return refuse(PyExc_TypeError, argument,
                  "is not in the CPU's memory (DLPack device type " + std::to_string(type) +
                      "); move it there first, with .cpu() in PyTorch");
}

bool read_dlpack(const dlpack::Tensor& source, const Argument& argument, ArrayView& view) {
    if (source.device.type != dlpack::kCpu) return refuse_device(argument, source.device.type);
    Tensor& tensor = view.tensor;
    tensor.data = source.data != nullptr ? static_cast<char*>(source.data) + source.byte_offset : nullptr;
    tensor.dtype = dtype_of(source.dtype);
    tensor.rank = source.rank;
    for (int i = 0; i < source.rank && i < kMaxRank; ++i) tensor.dims[i] = source.shape[i];
    if (source.strides == nullptr) {
        if (tensor.rank <= kMaxRank) tensor.set_contiguous_strides();
    } else {
        for (int i = 0; i < source.rank && i < kMaxRank; ++i) tensor.strides[i] = source.strides[i];
    }
    if (tensor.data == nullptr && !tensor.empty())
        return refuse(
            PyExc_TypeError, argument,
            "has no memory, as the tensors that tracers use; call this function with values, outside of tracing");
    return true;
}

// The function table of a tensor type, looked up once per type; null if it has none.
const dlpack::ExchangeApi* exchange_api(PyTypeObject* type) {
    struct Entry {
        PyTypeObject* type;
        const dlpack::ExchangeApi* api;
    };
    static Entry known[16];
    static int count = 0;
    for (int i = 0; i < count; ++i)
        if (known[i].type == type) return known[i].api;
    const dlpack::ExchangeApi* api = nullptr;
    Object capsule(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__"));
    if (capsule && PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api"))
        api = static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    PyErr_Clear();
    while (api != nullptr && api->version.major > 1) api = api->previous;
    if (api != nullptr && api->tensor_from_object == nullptr) api = nullptr;
    if (count < 16) {
        Py_INCREF(reinterpret_cast<PyObject*>(type));  // its address must not come to mean another type
        known[count++] = {type, api};
    }
    return api;
}

// A tensor that records gradients would lose them silently here.
bool records_gradients(PyObject* object) {
    static PyObject* attribute = PyUnicode_InternFromString("requires_grad");
    Object value(PyObject_GetAttr(object, attribute));
    if (!value) {
        PyErr_Clear();
        return false;
    }
    return value.get() == Py_True;
}

// PyTorch keeps the sign of some views as a note on the tensor, which DLPack does not hand over.
bool negation_pending(PyObject* object) {
    static PyObject* method = PyUnicode_InternFromString("is_neg");
    Object value(PyObject_CallMethodObjArgs(object, method, nullptr));
    if (!value) PyErr_Clear();
    return value.get() == Py_True;
}

bool view_exchange(PyObject* object, const Argument& argument, ArrayView& view) {
    view.library = Library::exchange;
    view.writable = true;
    if (records_gradients(object))
        return refuse(PyExc_TypeError, argument,
                      "records gradients (requires_grad), which this function would not see; pass " + argument.name() +
                          ".detach()");
    if (negation_pending(object))
        return refuse(PyExc_TypeError, argument,
                      "is a view whose values are still to be negated; pass " + argument.name() + ".resolve_neg()");
    dlpack::Tensor tensor;
    return view.api->tensor_from_object(object, &tensor) == 0 && read_dlpack(tensor, argument, view);
}

bool on_cpu(PyObject* object, const Argument& argument) {
    Object device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
    if (!device) return false;
    int type = 0, number = 0;
    if (!PyArg_ParseTuple(device.get(), "ii", &type, &number)) return false;
    return type == dlpack::kCpu || refuse_device(argument, type);
}

// The version we can read must be named, or a read-only array is not handed out; old libraries do not know the keyword.
Object ask_for_capsule(PyObject* object) {
    Object method(PyObject_GetAttrString(object, "__dlpack__")), none(PyTuple_New(0));
    Object version(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
    if (!method || !none || !version) return Object();
    Object capsule(PyObject_Call(method.get(), none.get(), version.get()));
    if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
    PyErr_Clear();
    return Object(PyObject_Call(method.get(), none.get(), nullptr));
}

bool view_capsule(PyObject* object, const Argument& argument, bool for_writing, ArrayView& view) {
    view.library = type_module(object).compare(0, 3, "jax") == 0 ? Library::jax : Library::other;
    if (for_writing && view.library == Library::jax)
        return refuse(PyExc_TypeError, argument, "is a JAX array, which cannot be written; leave out `out`");
    if (!on_cpu(object, argument)) return false;
    Object capsule = ask_for_capsule(object);
    if (!capsule) return false;
    view.writable = true;
    if (PyCapsule_IsValid(capsule.get(), "dltensor")) {
        view.managed = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
        PyCapsule_SetName(capsule.get(), "used_dltensor");
        return read_dlpack(view.managed->tensor, argument, view);
    }
    if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
        view.versioned =
            static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
        PyCapsule_SetName(capsule.get(), "used_dltensor_versioned");
        if (view.versioned->version.major != 1)
            return refuse(PyExc_TypeError, argument,
                          "gives a DLPack tensor of version " + std::to_string(view.versioned->version.major) +
                              ", expected version 1; convert it with numpy.asarray(...)");
        view.writable = (view.versioned->flags & dlpack::kReadOnly) == 0;
        return read_dlpack(view.versioned->tensor, argument, view);
    }
    return refuse(PyExc_TypeError, argument,
                  "gives no DLPack tensor from __dlpack__(); convert it with numpy.asarray(...)");
}

bool view_any(PyObject* object, const Argument& argument, bool for_writing, ArrayView& view) {
    view.source = object;
    if ((view.api = exchange_api(Py_TYPE(object))) != nullptr) return view_exchange(object, argument, view);
    PyObject* ndarray = numpy_ndarray_type();
    if (ndarray == nullptr) return false;
    const bool exact = reinterpret_cast<PyObject*>(Py_TYPE(object)) == ndarray;
    const int is_numpy = exact ? 1 : PyObject_IsInstance(object, ndarray);
    if (is_numpy < 0) return false;
    if (is_numpy == 1) return view_numpy(object, argument, for_writing, view);
    // Not __dlpack__: JAX's traced arrays have that one, and nothing behind it.
    if (PyObject_HasAttrString(object, "__dlpack_device__")) return view_capsule(object, argument, for_writing, view);
    return refuse(PyExc_TypeError, argument,
                  "is a " + type_name(object) +
                      ", expected a NumPy array, a PyTorch tensor, a JAX array or anything else with __dlpack__; "
                      "convert it with numpy.asarray(...)");
}

}  // namespace

ArrayView::~ArrayView() {
    if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
    if (versioned != nullptr && versioned->deleter != nullptr) versioned->deleter(versioned);
}

bool view_array(PyObject* object, const Argument& argument, bool for_writing, ArrayView& view) {
    if (!view_any(object, argument, for_writing, view)) return false;
    if (for_writing && !view.writable)
        return refuse(PyExc_ValueError, argument, "is read-only; pass an array that may be written");
    return true;
}

PyObject* numpy_ndarray_type() {
    static PyObject* type = nullptr;
    if (type == nullptr) type = import_attribute("numpy", "ndarray").release();
    return type;
}

PyObject* numpy_dtype(DType dtype) {
    static PyObject* known[28];
    const int number = int(dtype);
    if (number < 0 || number >= 28) {
        PyErr_SetString(PyExc_TypeError, "no numpy dtype for this element type");
        return nullptr;
    }
    if (known[number] == nullptr) {
        Object make = import_attribute("numpy", "dtype");
        Object name = dtype == DType::bfloat16 ? import_attribute("ml_dtypes", "bfloat16")
                                               : Object(PyUnicode_FromString(name_of(dtype)));
        if (!make || !name) return nullptr;
        known[number] = PyObject_CallFunctionObjArgs(make.get(), name.get(), nullptr);
    }
    return known[number];
}

}  // namespace acltwin
