"""The prototypes of the C functions. Those of the operators come from their declarations."""

from __future__ import annotations

from ctypes import (
    POINTER,
    c_bool,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int8,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
)
from ctypes import c_uint16 as float16
from ctypes import c_void_p as handle
from itertools import product
from typing import Any

from acltwin.ops import INTERFACES

handles = POINTER(handle)
ints = POINTER(c_int64)
size = c_size_t
values = c_char_p  # arrays that go in, packed into bytes
status = c_int

# name: (result, parameters...)
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "aclInit": (status, c_char_p),
    "aclFinalize": (status,),
    "aclFinalizeReference": (status, POINTER(c_uint64)),
    "aclGetRecentErrMsg": (c_char_p,),
    "aclDataTypeSize": (size, c_int),
    "aclFloat16ToFloat": (c_float, float16),
    "aclFloatToFloat16": (float16, c_float),
    "aclrtGetSocName": (c_char_p,),
    "aclGetDataTypeSize": (size, c_int),
    "aclGetDeviceCapability": (status, c_uint32, c_int, ints),
    "aclrtGetDeviceInfo": (status, c_uint32, c_int, ints),
    "aclrtDeviceCanAccessPeer": (status, POINTER(c_int32), c_int32, c_int32),
    "aclrtDeviceEnablePeerAccess": (status, c_int32, c_uint32),
    "aclrtDeviceDisablePeerAccess": (status, c_int32),
    # devices and contexts
    "aclrtSetDevice": (status, c_int32),
    "aclrtResetDevice": (status, c_int32),
    "aclrtGetDevice": (status, POINTER(c_int32)),
    "aclrtGetDeviceCount": (status, POINTER(c_uint32)),
    "aclrtGetRunMode": (status, POINTER(c_int)),
    "aclrtSynchronizeDevice": (status,),
    "aclrtSynchronizeDeviceWithTimeout": (status, c_int32),
    "aclrtCreateContext": (status, handles, c_int32),
    "aclrtDestroyContext": (status, handle),
    "aclrtSetCurrentContext": (status, handle),
    "aclrtGetCurrentContext": (status, handles),
    "aclrtCtxSetSysParamOpt": (status, c_int, c_int64),
    "aclrtCtxGetSysParamOpt": (status, c_int, ints),
    "aclrtSetSysParamOpt": (status, c_int, c_int64),
    "aclrtGetSysParamOpt": (status, c_int, ints),
    # captures
    "aclmdlRICaptureBegin": (status, handle, c_int),
    "aclmdlRICaptureGetInfo": (status, handle, POINTER(c_int), handles),
    "aclmdlRICaptureEnd": (status, handle, handles),
    "aclmdlRICaptureThreadExchangeMode": (status, POINTER(c_int)),
    "aclmdlRIExecute": (status, handle, c_int32),
    "aclmdlRIExecuteAsync": (status, handle, handle),
    "aclmdlRIDestroy": (status, handle),
    # streams and events
    "aclrtCreateStream": (status, handles),
    "aclrtCreateStreamWithConfig": (status, handles, c_uint32, c_uint32),
    "aclrtDestroyStream": (status, handle),
    "aclrtDestroyStreamForce": (status, handle),
    "aclrtSynchronizeStream": (status, handle),
    "aclrtSynchronizeStreamWithTimeout": (status, handle, c_int32),
    "aclrtStreamQuery": (status, handle, POINTER(c_int)),
    "aclrtStreamWaitEvent": (status, handle, handle),
    "aclrtStreamGetId": (status, handle, POINTER(c_int32)),
    "aclrtLaunchHostFunc": (status, handle, handle, handle),
    "aclrtLaunchCallback": (status, handle, handle, c_int, handle),
    "aclrtSubscribeReport": (status, c_uint64, handle),
    "aclrtUnSubscribeReport": (status, c_uint64, handle),
    "aclrtProcessReport": (status, c_int32),
    "aclrtCreateEvent": (status, handles),
    "aclrtCreateEventExWithFlag": (status, handles, c_uint32),
    "aclrtCreateEventWithFlag": (status, handles, c_uint32),
    "aclrtDestroyEvent": (status, handle),
    "aclrtRecordEvent": (status, handle, handle),
    "aclrtResetEvent": (status, handle, handle),
    "aclrtQueryEventStatus": (status, handle, POINTER(c_int)),
    "aclrtSynchronizeEvent": (status, handle),
    "aclrtSynchronizeEventWithTimeout": (status, handle, c_int32),
    "aclrtEventElapsedTime": (status, POINTER(c_float), handle, handle),
    "aclrtEventGetTimestamp": (status, handle, POINTER(c_uint64)),
    # memory
    "aclrtMalloc": (status, handles, size, c_int),
    "aclrtMallocAlign32": (status, handles, size, c_int),
    "aclrtMallocCached": (status, handles, size, c_int),
    "aclrtFree": (status, handle),
    "aclrtMallocHost": (status, handles, size),
    "aclrtFreeHost": (status, handle),
    "aclrtGetMemInfo": (status, c_int, POINTER(size), POINTER(size)),
    "aclrtMemcpy": (status, handle, size, handle, size, c_int),
    "aclrtMemcpyAsync": (status, handle, size, handle, size, c_int, handle),
    "aclrtMemcpy2d": (status, handle, size, handle, size, size, size, c_int),
    "aclrtMemcpy2dAsync": (status, handle, size, handle, size, size, size, c_int, handle),
    "aclrtMemset": (status, handle, size, c_int32, size),
    "aclrtMemsetAsync": (status, handle, size, c_int32, size, handle),
    "aclrtMemcpyBatch": (status, *(values,) * 4, size, handle, values, size, POINTER(size)),
    "aclrtMemcpyBatchAsync": (status, *(values,) * 4, size, handle, values, size, POINTER(size), handle),
    "aclrtPointerGetAttributes": (status, handle, handle),
    "aclrtHostRegister": (status, handle, c_uint64, c_int, handles),
    "aclrtHostUnregister": (status, handle),
    "aclrtReserveMemAddress": (status, handles, size, size, handle, c_uint64),
    "aclrtReleaseMemAddress": (status, handle),
    "aclrtMallocPhysical": (status, handles, size, handle, c_uint64),
    "aclrtFreePhysical": (status, handle),
    "aclrtMapMem": (status, handle, size, size, handle, c_uint64),
    "aclrtUnmapMem": (status, handle),
    "aclrtMemGetAllocationGranularity": (status, handle, c_int, POINTER(size)),
    # tensors, arrays, executors
    "aclCreateTensor": (handle, values, c_uint64, c_int, values, c_int64, c_int, values, c_uint64, handle),
    "aclInitTensor": (status, handle, values, c_uint64, c_int, values, c_int64, c_int, values, c_uint64, handle),
    "aclCreateScalar": (handle, handle, c_int),
    "aclCreateIntArray": (handle, values, c_uint64),
    "aclCreateFloatArray": (handle, values, c_uint64),
    "aclCreateBoolArray": (handle, values, c_uint64),
    "aclCreateTensorList": (handle, values, c_uint64),
    "aclCreateScalarList": (handle, values, c_uint64),
    "aclGetViewShape": (status, handle, POINTER(ints), POINTER(c_uint64)),
    "aclGetStorageShape": (status, handle, POINTER(ints), POINTER(c_uint64)),
    "aclGetViewStrides": (status, handle, POINTER(ints), POINTER(c_uint64)),
    "aclGetViewOffset": (status, handle, ints),
    "aclGetFormat": (status, handle, POINTER(c_int)),
    "aclGetDataType": (status, handle, POINTER(c_int)),
    "aclSetRawTensorAddr": (status, handle, handle),
    "aclGetRawTensorAddr": (status, handle, handles),
    "aclnnInit": (status, c_char_p),
    "aclnnFinalize": (status,),
    "aclSetAclOpExecutorRepeatable": (status, handle),
    "aclDestroyAclOpExecutor": (status, handle),
}
for _spelling, _which in product(("acl", "Acl"), ("Input", "Output", "")):
    _FUNCTIONS[f"{_spelling}Set{_which}TensorAddr"] = (status, handle, size, handle, handle)
    _FUNCTIONS[f"{_spelling}SetDynamic{_which}TensorAddr"] = (status, handle, size, size, handle, handle)
for _kind in ("Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList"):
    _FUNCTIONS[f"aclDestroy{_kind}"] = (status, handle)
for _kind in ("IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList"):
    _FUNCTIONS[f"aclGet{_kind}Size"] = (status, handle, POINTER(c_uint64))

_ARGUMENTS = {
    "tensor": handle,
    "int_array": handle,
    "float_array": handle,
    "string": c_char_p,
    "double": c_double,
    "float": c_float,
    "bool": c_bool,
    "int64": c_int64,
    "int8": c_int8,
}
for _spec in INTERFACES.values():
    _documented = tuple(_ARGUMENTS[argument.kind] for argument in _spec.arguments)
    _FUNCTIONS[_spec.phase1_name] = (status, *_documented, POINTER(c_uint64), handles)
    _FUNCTIONS[_spec.c_name] = (status, handle, c_uint64, handle, handle)

NAMES = tuple(_FUNCTIONS)


def prototype(name: str) -> tuple[Any, tuple[Any, ...]]:
    """Result type and parameter types of a C function."""
    result, *parameters = _FUNCTIONS[name]
    return result, tuple(parameters)
