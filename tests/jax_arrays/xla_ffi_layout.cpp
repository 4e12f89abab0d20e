// Compiled by test_engine.py: our declaration of XLA's binary interface beside jaxlib's own header.
#include "core/dtypes.h"
#include "python/xla_ffi.h"
#include "xla/ffi/api/c_api.h"

namespace ours = acltwin::xla_ffi;

#define SAME_FIELD(our, our_field, their, their_field)                                     \
    static_assert(offsetof(ours::our, our_field) == offsetof(their, their_field), #their); \
    static_assert(sizeof(ours::our::our_field) == sizeof(their::their_field), #their)

SAME_FIELD(Extension, struct_size, XLA_FFI_Extension_Base, struct_size);
SAME_FIELD(Extension, type, XLA_FFI_Extension_Base, type);
SAME_FIELD(Extension, next, XLA_FFI_Extension_Base, next);

SAME_FIELD(Version, struct_size, XLA_FFI_Api_Version, struct_size);
SAME_FIELD(Version, extensions, XLA_FFI_Api_Version, extension_start);
SAME_FIELD(Version, major, XLA_FFI_Api_Version, major_version);
SAME_FIELD(Version, minor, XLA_FFI_Api_Version, minor_version);

SAME_FIELD(Metadata, struct_size, XLA_FFI_Metadata, struct_size);
SAME_FIELD(Metadata, version, XLA_FFI_Metadata, api_version);
SAME_FIELD(Metadata, traits, XLA_FFI_Metadata, traits);

SAME_FIELD(MetadataExtension, base, XLA_FFI_Metadata_Extension, extension_base);
SAME_FIELD(MetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata);

SAME_FIELD(ErrorArguments, struct_size, XLA_FFI_Error_Create_Args, struct_size);
SAME_FIELD(ErrorArguments, extensions, XLA_FFI_Error_Create_Args, extension_start);
SAME_FIELD(ErrorArguments, message, XLA_FFI_Error_Create_Args, message);
SAME_FIELD(ErrorArguments, code, XLA_FFI_Error_Create_Args, errc);

SAME_FIELD(Api, struct_size, XLA_FFI_Api, struct_size);
SAME_FIELD(Api, extensions, XLA_FFI_Api, extension_start);
SAME_FIELD(Api, version, XLA_FFI_Api, api_version);
SAME_FIELD(Api, internal, XLA_FFI_Api, internal_api);
SAME_FIELD(Api, create_error, XLA_FFI_Api, XLA_FFI_Error_Create);

SAME_FIELD(Buffer, struct_size, XLA_FFI_Buffer, struct_size);
SAME_FIELD(Buffer, extensions, XLA_FFI_Buffer, extension_start);
SAME_FIELD(Buffer, dtype, XLA_FFI_Buffer, dtype);
SAME_FIELD(Buffer, data, XLA_FFI_Buffer, data);
SAME_FIELD(Buffer, rank, XLA_FFI_Buffer, rank);
SAME_FIELD(Buffer, dims, XLA_FFI_Buffer, dims);

SAME_FIELD(ByteSpan, data, XLA_FFI_ByteSpan, ptr);
SAME_FIELD(ByteSpan, size, XLA_FFI_ByteSpan, len);
SAME_FIELD(Scalar, dtype, XLA_FFI_Scalar, dtype);
SAME_FIELD(Scalar, value, XLA_FFI_Scalar, value);
SAME_FIELD(Array, dtype, XLA_FFI_Array, dtype);
SAME_FIELD(Array, size, XLA_FFI_Array, size);
SAME_FIELD(Array, data, XLA_FFI_Array, data);

SAME_FIELD(Buffers, struct_size, XLA_FFI_Args, struct_size);
SAME_FIELD(Buffers, extensions, XLA_FFI_Args, extension_start);
SAME_FIELD(Buffers, size, XLA_FFI_Args, size);
SAME_FIELD(Buffers, types, XLA_FFI_Args, types);
SAME_FIELD(Buffers, values, XLA_FFI_Args, args);
SAME_FIELD(Buffers, size, XLA_FFI_Rets, size);
SAME_FIELD(Buffers, types, XLA_FFI_Rets, types);
SAME_FIELD(Buffers, values, XLA_FFI_Rets, rets);

SAME_FIELD(Attributes, struct_size, XLA_FFI_Attrs, struct_size);
SAME_FIELD(Attributes, extensions, XLA_FFI_Attrs, extension_start);
SAME_FIELD(Attributes, size, XLA_FFI_Attrs, size);
SAME_FIELD(Attributes, types, XLA_FFI_Attrs, types);
SAME_FIELD(Attributes, names, XLA_FFI_Attrs, names);
SAME_FIELD(Attributes, values, XLA_FFI_Attrs, attrs);

SAME_FIELD(CallFrame, struct_size, XLA_FFI_CallFrame, struct_size);
SAME_FIELD(CallFrame, extensions, XLA_FFI_CallFrame, extension_start);
SAME_FIELD(CallFrame, api, XLA_FFI_CallFrame, api);
SAME_FIELD(CallFrame, context, XLA_FFI_CallFrame, ctx);
SAME_FIELD(CallFrame, stage, XLA_FFI_CallFrame, stage);
SAME_FIELD(CallFrame, arguments, XLA_FFI_CallFrame, args);
SAME_FIELD(CallFrame, results, XLA_FFI_CallFrame, rets);
SAME_FIELD(CallFrame, attributes, XLA_FFI_CallFrame, attrs);

static_assert(ours::kErrorArgumentsSize == XLA_FFI_Error_Create_Args_STRUCT_SIZE, "the size of an error");
static_assert(ours::kMetadataSize <= XLA_FFI_Metadata_STRUCT_SIZE, "the size of the metadata");
static_assert(ours::kVersionSize == XLA_FFI_Api_Version_STRUCT_SIZE, "the size of a version");

static_assert(ours::kMajor == XLA_FFI_API_MAJOR && ours::kMinor <= XLA_FFI_API_MINOR, "the version");
static_assert(ours::kMetadataExtension == XLA_FFI_Extension_Metadata, "an extension");
static_assert(ours::kBufferArgument == XLA_FFI_ArgType_BUFFER, "an argument");
static_assert(ours::kBufferArgument == int(XLA_FFI_RetType_BUFFER), "a result");
static_assert(ours::kArrayAttribute == XLA_FFI_AttrType_ARRAY, "an attribute");
static_assert(ours::kScalarAttribute == XLA_FFI_AttrType_SCALAR, "an attribute");
static_assert(ours::kStringAttribute == XLA_FFI_AttrType_STRING, "an attribute");
static_assert(ours::kExecute == XLA_FFI_ExecutionStage_EXECUTE, "a stage");
static_assert(ours::kInvalidArgument == XLA_FFI_Error_Code_INVALID_ARGUMENT, "a code");
static_assert(ours::kResourceExhausted == XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "a code");
static_assert(ours::kOutOfRange == XLA_FFI_Error_Code_OUT_OF_RANGE, "a code");

static_assert(ours::kPred == XLA_FFI_DataType_PRED, "a type");
static_assert(ours::kS64 == XLA_FFI_DataType_S64, "a type");
static_assert(ours::kF64 == XLA_FFI_DataType_F64, "a type");

constexpr int number_of(acltwin::DType dtype) {
    for (const acltwin::DTypeFacts& facts : acltwin::kDTypes)
        if (facts.dtype == dtype) return facts.xla;
    return -1;
}

#define SAME_TYPE(our, their) static_assert(number_of(acltwin::DType::our) == XLA_FFI_DataType_##their, #our)

SAME_TYPE(float32, F32);
SAME_TYPE(float16, F16);
SAME_TYPE(bfloat16, BF16);
SAME_TYPE(float64, F64);
SAME_TYPE(int8, S8);
SAME_TYPE(uint8, U8);
SAME_TYPE(int16, S16);
SAME_TYPE(uint16, U16);
SAME_TYPE(int32, S32);
SAME_TYPE(uint32, U32);
SAME_TYPE(int64, S64);
SAME_TYPE(uint64, U64);
SAME_TYPE(boolean, PRED);
