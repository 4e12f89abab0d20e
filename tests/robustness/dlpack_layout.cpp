// Compiled by test_dlpack_descriptions.py: our declaration of DLPack beside the standard's own header.
#include <ATen/dlpack.h>

#include <cstddef>

#include "core/dtypes.h"
#include "python/dlpack.h"

namespace ours = acltwin::dlpack;

#define SAME_SIZE(our, their) static_assert(sizeof(ours::our) == sizeof(their), #their)
#define SAME_FIELD(our, our_field, their, their_field)                                     \
    static_assert(offsetof(ours::our, our_field) == offsetof(their, their_field), #their); \
    static_assert(sizeof(ours::our::our_field) == sizeof(their::their_field), #their)

SAME_SIZE(Device, DLDevice);
SAME_FIELD(Device, type, DLDevice, device_type);
SAME_FIELD(Device, id, DLDevice, device_id);

SAME_SIZE(DataType, DLDataType);
SAME_FIELD(DataType, code, DLDataType, code);
SAME_FIELD(DataType, bits, DLDataType, bits);
SAME_FIELD(DataType, lanes, DLDataType, lanes);

SAME_SIZE(Version, DLPackVersion);
SAME_FIELD(Version, major, DLPackVersion, major);
SAME_FIELD(Version, minor, DLPackVersion, minor);

SAME_SIZE(Tensor, DLTensor);
SAME_FIELD(Tensor, data, DLTensor, data);
SAME_FIELD(Tensor, device, DLTensor, device);
SAME_FIELD(Tensor, rank, DLTensor, ndim);
SAME_FIELD(Tensor, dtype, DLTensor, dtype);
SAME_FIELD(Tensor, shape, DLTensor, shape);
SAME_FIELD(Tensor, strides, DLTensor, strides);
SAME_FIELD(Tensor, byte_offset, DLTensor, byte_offset);

SAME_SIZE(Managed, DLManagedTensor);
SAME_FIELD(Managed, tensor, DLManagedTensor, dl_tensor);
SAME_FIELD(Managed, owner, DLManagedTensor, manager_ctx);
SAME_FIELD(Managed, deleter, DLManagedTensor, deleter);

SAME_SIZE(ManagedVersioned, DLManagedTensorVersioned);
SAME_FIELD(ManagedVersioned, version, DLManagedTensorVersioned, version);
SAME_FIELD(ManagedVersioned, owner, DLManagedTensorVersioned, manager_ctx);
SAME_FIELD(ManagedVersioned, deleter, DLManagedTensorVersioned, deleter);
SAME_FIELD(ManagedVersioned, flags, DLManagedTensorVersioned, flags);
SAME_FIELD(ManagedVersioned, tensor, DLManagedTensorVersioned, dl_tensor);

SAME_SIZE(ExchangeApi, DLPackExchangeAPI);
SAME_FIELD(ExchangeApi, version, DLPackExchangeAPIHeader, version);
SAME_FIELD(ExchangeApi, previous, DLPackExchangeAPIHeader, prev_api);
SAME_FIELD(ExchangeApi, allocate, DLPackExchangeAPI, managed_tensor_allocator);
SAME_FIELD(ExchangeApi, managed_from_object, DLPackExchangeAPI, managed_tensor_from_py_object_no_sync);
SAME_FIELD(ExchangeApi, object_from_managed, DLPackExchangeAPI, managed_tensor_to_py_object_no_sync);
SAME_FIELD(ExchangeApi, tensor_from_object, DLPackExchangeAPI, dltensor_from_py_object_no_sync);
SAME_FIELD(ExchangeApi, current_stream, DLPackExchangeAPI, current_work_stream);

static_assert(ours::kCpu == kDLCPU, "");

#define SAME_CODE(dtype, their) static_assert(acltwin::facts_of(acltwin::DType::dtype)->dlpack == their, #their)
SAME_CODE(int8, kDLInt);
SAME_CODE(int16, kDLInt);
SAME_CODE(int32, kDLInt);
SAME_CODE(int64, kDLInt);
SAME_CODE(uint8, kDLUInt);
SAME_CODE(uint16, kDLUInt);
SAME_CODE(uint32, kDLUInt);
SAME_CODE(uint64, kDLUInt);
SAME_CODE(float16, kDLFloat);
SAME_CODE(float32, kDLFloat);
SAME_CODE(float64, kDLFloat);
SAME_CODE(bfloat16, kDLBfloat);
SAME_CODE(boolean, kDLBool);

static_assert(ours::kReadOnly == DLPACK_FLAG_BITMASK_READ_ONLY, "");
