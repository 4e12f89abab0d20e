#include "python/array_view_numpy.h"

#include "python/array_view_elements.h"
#include "python/array_view_refusals.h"

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
constexpr int kNativeOrder = 0x200, kWritable = 0x400;

PyObject* known_dtypes[28];

// An attribute as numpy itself defines it: a subclass may have another one, which would run Python code.
class NumpyAttribute {
public:
    bool find(const char* name) {
        if (get_ != nullptr) return true;
        PyObject* type = numpy_ndarray_type();
        descriptor_ = type != nullptr ? PyObject_GetAttrString(type, name) : nullptr;
        if (descriptor_ == nullptr) return false;
        get_ = reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(descriptor_), Py_tp_descr_get));
        if (get_ == nullptr) PyErr_Format(PyExc_TypeError, "numpy.ndarray.%s is no attribute of its arrays", name);
        return get_ != nullptr;
    }
    Object of(PyObject* array) const {
        return Object(get_(descriptor_, array, reinterpret_cast<PyObject*>(Py_TYPE(array))));
    }

private:
    PyObject* descriptor_ = nullptr;
    descrgetfunc get_ = nullptr;
};
NumpyAttribute array_struct, array_dtype;

// ml_dtypes' bfloat16 is a two-byte void type to numpy's C interface; only its dtype tells.
Look look_at_void(PyObject* array, Tensor& tensor) {
    PyObject* bfloat16 = known_dtypes[int(DType::bfloat16)];
    if (bfloat16 == nullptr) return numpy_dtype(DType::bfloat16) != nullptr ? Look::again : Look::failed;
    Object dtype = array_dtype.of(array);
    if (!dtype) return Look::failed;
    if (Py_TYPE(dtype.get()) == Py_TYPE(bfloat16)) tensor.dtype = DType::bfloat16;
    return Look::done;
}

}  // namespace

PyObject* numpy_ndarray_type() {
    static PyObject* type = nullptr;
    if (type == nullptr) type = import_attribute("numpy", "ndarray").release();
    return type;
}

PyObject* numpy_dtype(DType dtype) {
    const int number = int(dtype);
    if (number < 0 || number >= 28) {
        PyErr_SetString(PyExc_TypeError, "no numpy dtype for this element type");
        return nullptr;
    }
    if (known_dtypes[number] == nullptr) {
        Object make = import_attribute("numpy", "dtype");
        Object name = dtype == DType::bfloat16 ? import_attribute("ml_dtypes", "bfloat16")
                                               : Object(PyUnicode_FromString(name_of(dtype)));
        if (!make || !name) return nullptr;
        known_dtypes[number] = PyObject_CallFunctionObjArgs(make.get(), name.get(), nullptr);
    }
    return known_dtypes[number];
}

bool is_numpy_array(PyObject* object) {
    PyTypeObject* ndarray = reinterpret_cast<PyTypeObject*>(numpy_ndarray_type());
    return Py_TYPE(object) == ndarray || PyType_IsSubtype(Py_TYPE(object), ndarray) != 0;
}

bool prepare_numpy() {
    return numpy_ndarray_type() != nullptr && array_struct.find("__array_struct__") && array_dtype.find("dtype");
}

Look look_at_numpy(const Argument& argument, ArrayView& view) {
    Object capsule = array_struct.of(view.source);
    if (!capsule) return Look::failed;
    const auto* array = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
    if (array == nullptr) return Look::failed;
    Tensor& tensor = view.tensor;
    tensor.data = array->data;
    tensor.dtype = dtype_of_kind(array->kind, array->item_size);
    tensor.rank = array->rank;
    view.writable = (array->flags & kWritable) != 0;
    if (array->kind == 'V' && array->item_size == 2) {
        const Look look = look_at_void(view.source, tensor);
        if (look != Look::done) return look;
    }
    if (tensor.dtype != DType::undefined && (array->flags & kNativeOrder) == 0 && array->item_size > 1) {
        refuse(PyExc_TypeError, argument,
               "is in another byte order, expected this machine's; convert it with "
               ".astype(array.dtype.newbyteorder('='))");
        return Look::failed;
    }
    int64_t strides[kMaxRank];
    for (int i = 0; i < array->rank && i < kMaxRank; ++i) {
        tensor.dims[i] = array->shape[i];
        strides[i] = array->strides[i];
    }
    return place_elements(argument, strides, view) ? Look::done : Look::failed;
}

}  // namespace acltwin
