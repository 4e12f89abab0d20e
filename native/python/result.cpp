#include "python/result.h"

#include <cstring>
#include <new>

#include "core/dtypes.h"
#include "core/output_pool.h"
#include "python/array_view_numpy.h"

namespace acltwin {

// Memory of one result and the description DLPack wants; deleted by whichever library holds it last.
struct Output {
    dlpack::Managed managed;
    dlpack::ManagedVersioned versioned;
    Block block;
    int64_t shape[kMaxRank], strides[kMaxRank];

    void describe(dlpack::Tensor& description, const Tensor& tensor) {
        std::memcpy(shape, tensor.dims, sizeof shape);
        std::memcpy(strides, tensor.strides, sizeof strides);
        const DTypeFacts& facts = *facts_of(tensor.dtype);  // a result has a type that we know
        const dlpack::DataType type = {uint8_t(facts.dlpack), uint8_t(8 * facts.bytes), 1};
        description = {block.data, {dlpack::kCpu, 0}, tensor.rank, type, shape, strides, 0};
    }
};

namespace {

void delete_output(Output* output) {
    release_output(output->block);
    delete output;
}

// Null if there is no memory.
Output* new_output(Tensor& tensor) {
    Output* output = new (std::nothrow) Output;
    if (output != nullptr) output->block = acquire_output(bytes_of(tensor));
    if (output == nullptr || output->block.data == nullptr) {
        delete output;
        return nullptr;
    }
    output->managed.owner = output->versioned.owner = output;
    output->managed.deleter = [](dlpack::Managed* self) { delete_output(static_cast<Output*>(self->owner)); };
    output->versioned.deleter = [](dlpack::ManagedVersioned* self) {
        delete_output(static_cast<Output*>(self->owner));
    };
    output->versioned.version = {1, 0};
    output->versioned.flags = 0;
    output->describe(output->managed.tensor, tensor);
    output->versioned.tensor = output->managed.tensor;
    tensor.data = output->block.data;
    return output;
}

// ---- the Python object that stands for an Output in libraries that take memory from Python objects ----

struct OutputObject {
    PyObject_HEAD Output* output;  // null once a DLPack consumer owns it
};

void output_dealloc(PyObject* self) {
    Output* output = reinterpret_cast<OutputObject*>(self)->output;
    if (output != nullptr) delete_output(output);
    PyTypeObject* type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

// The capsule frees the memory if nobody consumes it.
void drop_capsule(PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor")) return;
    auto* managed = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule, "dltensor"));
    managed->deleter(managed);
}

PyObject* output_dlpack(PyObject* self, PyObject*, PyObject*) {
    auto* object = reinterpret_cast<OutputObject*>(self);
    if (object->output == nullptr) {
        PyErr_SetString(PyExc_BufferError, "this memory was handed over already");
        return nullptr;
    }
    PyObject* capsule = PyCapsule_New(&object->output->managed, "dltensor", drop_capsule);
    if (capsule != nullptr) object->output = nullptr;
    return capsule;
}

PyObject* output_dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", int(dlpack::kCpu), 0); }

PyMethodDef output_methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(output_dlpack)),
     METH_VARARGS | METH_KEYWORDS, "Hand the memory over, once."},
    {"__dlpack_device__", output_dlpack_device, METH_NOARGS, "The CPU."},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot output_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(output_dealloc)},
    {Py_tp_methods, output_methods},
    {Py_tp_doc, const_cast<char*>("Memory of one result.")},
    {0, nullptr},
};
PyType_Spec output_spec = {"acltwin._core.Output", sizeof(OutputObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, output_slots};
PyTypeObject* output_type = nullptr;

Object wrap_output(Output* output) {
    OutputObject* object = PyObject_New(OutputObject, output_type);
    if (object == nullptr) {
        delete_output(output);
        return Object();
    }
    object->output = output;
    return Object(reinterpret_cast<PyObject*>(object));
}

// ---- one constructor per library ----

// What we use of NumPy's C interface: places in the table of functions that it hands out, the same in every version.
class NumpyApi {
public:
    static constexpr int kAlignedAndWritable = 0x500;

    // Takes over a reference to `dtype`.
    PyObject* new_array(PyObject* type, PyObject* dtype, int rank, const Py_intptr_t* dims, const Py_intptr_t* strides,
                        void* data) const {
        typedef PyObject* New(PyObject*, PyObject*, int, const Py_intptr_t*, const Py_intptr_t*, void*, int, PyObject*);
        return reinterpret_cast<New*>(table_[94])(type, dtype, rank, dims, strides, data, kAlignedAndWritable, nullptr);
    }
    // Takes over a reference to `base`. Negative with a Python exception set.
    int set_base(PyObject* array, PyObject* base) const {
        typedef int SetBase(PyObject*, PyObject*);
        return reinterpret_cast<SetBase*>(table_[282])(array, base);
    }

    // False with a Python exception set.
    bool load() {
        if (table_ != nullptr) return true;
        Object capsule = import_attribute("numpy._core._multiarray_umath", "_ARRAY_API");
        if (capsule) table_ = static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr));
        return table_ != nullptr;
    }

private:
    void** table_ = nullptr;
};

Object numpy_array(Output* output, const Tensor& tensor) {
    static NumpyApi numpy;
    Object memory = wrap_output(output);
    if (!memory || !numpy.load()) return Object();
    PyObject* dtype = numpy_dtype(tensor.dtype);
    PyObject* type = numpy_ndarray_type();
    if (dtype == nullptr || type == nullptr) return Object();
    Py_intptr_t dims[kMaxRank], strides[kMaxRank];
    for (int i = 0; i < tensor.rank; ++i) {
        dims[i] = tensor.dims[i];
        strides[i] = tensor.strides[i] * Py_intptr_t(size_of(tensor.dtype));
    }
    Py_INCREF(dtype);
    Object array(numpy.new_array(type, dtype, tensor.rank, dims, strides, tensor.data));
    if (!array || numpy.set_base(array.get(), memory.release()) < 0) return Object();
    return array;
}

Object exchange_tensor(Output* output, const dlpack::ExchangeApi* api) {
    void* object = nullptr;
    // Takes over the output, whether it succeeds or not.
    if (api->object_from_managed(&output->versioned, &object) != 0) return Object();
    return Object(static_cast<PyObject*>(object));
}

// from_dlpack of the library that `source` belongs to; numpy's constructor for those that have none.
Object dlpack_array(Output* output, const Tensor& tensor, const ArrayView& like) {
    Object from_dlpack;
    if (like.library == Library::jax) {
        from_dlpack = import_attribute("jax.dlpack", "from_dlpack");
        if (!from_dlpack) {
            delete_output(output);
            return Object();
        }
    } else {
        Object space(PyObject_CallMethod(like.source, "__array_namespace__", nullptr));
        if (space) from_dlpack = Object(PyObject_GetAttrString(space.get(), "from_dlpack"));
        PyErr_Clear();
    }
    if (!from_dlpack) return numpy_array(output, tensor);
    Object memory = wrap_output(output);
    if (!memory) return Object();
    return Object(PyObject_CallFunctionObjArgs(from_dlpack.get(), memory.get(), nullptr));
}

}  // namespace

bool add_result_types(PyObject* module) {
    PyObject* type = PyType_FromSpec(&output_spec);
    if (type == nullptr || PyModule_AddObjectRef(module, "Output", type) < 0) return false;
    output_type = reinterpret_cast<PyTypeObject*>(type);
    return true;
}

Result::~Result() {
    if (output_ != nullptr) delete_output(output_);
}

bool Result::allocate(Tensor& tensor) {
    output_ = new_output(tensor);
    return output_ != nullptr;
}

Object Result::finish(const Tensor& tensor, const ArrayView& like) {
    Output* output = std::exchange(output_, nullptr);
    switch (like.library) {
        case Library::numpy: return numpy_array(output, tensor);
        case Library::exchange: return exchange_tensor(output, like.api);
        case Library::jax:
        case Library::other: break;
    }
    return dlpack_array(output, tensor, like);
}

}  // namespace acltwin
