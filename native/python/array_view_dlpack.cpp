#include "python/array_view_dlpack.h"

#include <string>

#include "core/dtypes.h"
#include "python/array_view_elements.h"
#include "python/array_view_refusals.h"
#include "python/torch_team.h"

namespace acltwin {
namespace {

DType dtype_of(dlpack::DataType type) {
    if (type.lanes != 1) return DType::undefined;
    return find_dtype(
        [&](const DTypeFacts& facts) { return facts.dlpack == type.code && 8 * facts.bytes == type.bits; });
}

bool refuse_description(const Argument& argument, const std::string& problem) {
    return refuse(PyExc_ValueError, argument,
                  "comes as a DLPack tensor " + problem + "; convert it with numpy.asarray(...)");
}

// False with a Python exception set.
bool read_strides(const dlpack::Tensor& source, const Argument& argument, Tensor& tensor, int64_t* byte_strides) {
    if (source.strides == nullptr) tensor.set_contiguous_strides();
    const int64_t size = int64_t(size_of(tensor.dtype));
    for (int i = 0; i < tensor.rank; ++i) {
        const int64_t stride = source.strides != nullptr ? source.strides[i] : tensor.strides[i];
        if (__builtin_mul_overflow(stride, size, &byte_strides[i]))
            return refuse_description(argument, "with the stride " + std::to_string(stride));
    }
    return true;
}

// The description may be anything: it is believed only where it must be, in the memory it points to.
bool read_description(const dlpack::Tensor& source, const Argument& argument, ArrayView& view) {
    if (source.device.type != dlpack::kCpu) return refuse_device(argument, source.device.type);
    Tensor& tensor = view.tensor;
    tensor.dtype = dtype_of(source.dtype);
    tensor.rank = source.rank;
    if (source.rank < 0) return refuse_description(argument, "of " + std::to_string(source.rank) + " dimensions");
    if (source.rank > 0 && source.shape == nullptr) return refuse_description(argument, "without a shape");
    uintptr_t address = reinterpret_cast<uintptr_t>(source.data);
    if (address != 0 && __builtin_add_overflow(address, source.byte_offset, &address))
        return refuse_description(argument, "that begins " + std::to_string(source.byte_offset) +
                                                " bytes behind its memory, out of the address space");
    tensor.data = reinterpret_cast<void*>(address);
    int64_t byte_strides[kMaxRank];
    if (tensor.rank <= kMaxRank) {  // a longer shape may not be there
        for (int i = 0; i < tensor.rank; ++i) tensor.dims[i] = source.shape[i];
        if (!read_strides(source, argument, tensor, byte_strides)) return false;
    }
    return place_elements(argument, byte_strides, view);
}

bool on_cpu(PyObject* object, const Argument& argument) {
    Object device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
    if (!device) return false;
    int type = 0, number = 0;
    if (!PyTuple_Check(device.get()) || !PyArg_ParseTuple(device.get(), "ii", &type, &number)) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "%s: %s gives %R as its __dlpack_device__(), expected two numbers (type, id); convert it with "
                     "numpy.asarray(...)",
                     argument.operator_name, argument.name().c_str(), device.get());
        return false;
    }
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

// Becomes the owner of what the capsule holds. False if that is no DLPack tensor.
bool take_over(PyObject* capsule, ArrayView& view) {
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        view.managed = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule, "dltensor"));
        return PyCapsule_SetName(capsule, "used_dltensor") == 0;
    }
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        view.versioned = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
        return PyCapsule_SetName(capsule, "used_dltensor_versioned") == 0;
    }
    return false;
}

// Null if the type is not of PyTorch, which is loaded if it has tensors. The reference is kept for ever.
PyObject* write_counter(PyTypeObject* type) {
    const Object name(PyUnicode_FromString("torch")), torch(name ? PyImport_GetModule(name.get()) : nullptr);
    const Object tensor(torch ? PyObject_GetAttrString(torch.get(), "Tensor") : nullptr);
    PyObject* counter = nullptr;
    if (tensor && PyType_Check(tensor.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(tensor.get())))
        counter = import_attribute("torch.autograd.graph", "increment_version").release();
    PyErr_Clear();
    return counter;
}

Look done_if(bool good) { return good ? Look::done : Look::failed; }

}  // namespace

ExchangeType exchange_type(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    struct Entry {
        PyTypeObject* type;
        ExchangeType offers;
    };
    static Entry known[16];
    static int count = 0;
    for (int i = 0; i < count; ++i)
        if (known[i].type == type) return known[i].offers;
    const dlpack::ExchangeApi* api = nullptr;
    Object capsule(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__"));
    if (capsule && PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api"))
        api = static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    PyErr_Clear();
    while (api != nullptr && api->version.major > 1) api = api->previous;
    if (api != nullptr && (api->tensor_from_object == nullptr || api->object_from_managed == nullptr)) api = nullptr;
    ExchangeType offers;
    if (api != nullptr)
        offers = {api, torch_team(*api), Question::attribute(object, "requires_grad"),
                  Question::method(object, "is_neg"), nullptr};
    offers.count_write = write_counter(type);
    if (count < 16) {
        Py_INCREF(reinterpret_cast<PyObject*>(type));  // its address must not come to mean another type
        known[count++] = {type, offers};
    }
    return offers;
}

// A tensor that records gradients would lose them silently here; integers, which indices must be, record none. And
// PyTorch keeps the sign of some views as a note on the tensor, which DLPack does not hand over; where values are not
// read, it does not matter.
bool prepare_exchange(const Argument& argument, const ExchangeType& type, ArrayView& view) {
    view.library = Library::exchange;
    view.writable = true;
    if (view.below_autograd) return true;
    const int recording = view.holds != Holds::indices ? type.records_gradients.answer(view.source) : 0;
    if (recording != 0) return recording > 0 && refuse_recording(argument, view.for_writing);
    const int negated = view.holds != Holds::shape ? type.negation_pending.answer(view.source) : 0;
    if (negated <= 0) return negated == 0;
    return refuse(PyExc_TypeError, argument,
                  "is a view whose values are still to be negated; pass " + argument.name() + ".resolve_neg()");
}

Look look_at_exchange(const Argument& argument, ArrayView& view) {
    dlpack::Tensor tensor;
    if (view.api->tensor_from_object(view.source, &tensor) != 0) return done_if(refuse_exchange(argument, view.source));
    return done_if(read_description(tensor, argument, view));
}

bool prepare_capsule(const Argument& argument, ArrayView& view) {
    view.library = is_of_jax(package_of(view.source)) ? Library::jax : Library::other;
    if (view.for_writing && view.library == Library::jax)
        return refuse(PyExc_TypeError, argument,
                      "is a JAX array, expected an array that can be written; call the function without out=");
    if (!on_cpu(view.source, argument)) return false;
    Object capsule = ask_for_capsule(view.source);
    if (!capsule) return false;
    if (!take_over(capsule.get(), view))
        return refuse(PyExc_TypeError, argument,
                      "gives no DLPack tensor from __dlpack__(); convert it with numpy.asarray(...)");
    view.writable = view.versioned == nullptr || (view.versioned->flags & dlpack::kReadOnly) == 0;
    if (view.versioned == nullptr || view.versioned->version.major == 1) return true;
    return refuse(PyExc_TypeError, argument,
                  "gives a DLPack tensor of version " + std::to_string(view.versioned->version.major) +
                      ", expected version 1; convert it with numpy.asarray(...)");
}

Look look_at_capsule(const Argument& argument, ArrayView& view) {
    const dlpack::Tensor& tensor = view.managed != nullptr ? view.managed->tensor : view.versioned->tensor;
    return done_if(read_description(tensor, argument, view));
}

}  // namespace acltwin
