// The binary layout of DLPack 1.x, the exchange format of array libraries: facts of its ABI, declared for our use.
#pragma once

#include <cstdint>

namespace acltwin::dlpack {

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1;

struct Device {
    int32_t type, id;
};
struct DataType {
    uint8_t code, bits;
    uint16_t lanes;
};
struct Version {
    uint32_t major, minor;
};
struct Tensor {
    void* data;
    Device device;
    int32_t rank;
    DataType dtype;
    int64_t* shape;
    int64_t* strides;  // in elements; null means contiguous
    uint64_t byte_offset;
};
struct Managed {  // capsule "dltensor"
    Tensor tensor;
    void* owner;
    void (*deleter)(Managed*);
};
struct ManagedVersioned {  // capsule "dltensor_versioned"
    Version version;
    void* owner;
    void (*deleter)(ManagedVersioned*);
    uint64_t flags;
    Tensor tensor;
};

// Function table that a library publishes as the attribute __dlpack_c_exchange_api__ of its tensor type.
struct ExchangeApi {
    Version version;
    const ExchangeApi* previous;
    int (*allocate)(Tensor* prototype, ManagedVersioned** out, void* error,
                    void (*set_error)(void* error, const char* kind, const char* message));
    int (*managed_from_object)(void* object, ManagedVersioned** out);
    int (*object_from_managed)(ManagedVersioned* tensor, void** object);
    int (*tensor_from_object)(void* object, Tensor* out);  // may be null; borrows from the object
    int (*current_stream)(int32_t device_type, int32_t device_id, void** stream);
};

}  // namespace acltwin::dlpack
