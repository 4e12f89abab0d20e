// The binary layout of XLA's foreign function interface, version 0: facts of its ABI, declared for our use. A test
// compares them with the header that comes with jaxlib. Enumerations of XLA are ints in memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace acltwin::xla_ffi {

constexpr int kMajor = 0;
// The oldest minor version with this layout: a handler that asks for no more runs on all newer ones.
constexpr int kMinor = 1;

constexpr int kMetadataExtension = 1;
constexpr int kBufferArgument = 1;
constexpr int kArrayAttribute = 1, kScalarAttribute = 3, kStringAttribute = 4;
constexpr int kExecute = 3;  // of the stages
constexpr int kInvalidArgument = 3, kResourceExhausted = 8, kOutOfRange = 11;

constexpr int kPred = 1, kS64 = 5, kF64 = 12;  // of attributes; core/dtypes.h has those of tensors

struct Error;  // opaque

struct Extension {
    size_t struct_size;
    int type;
    Extension* next;
};
struct Version {
    size_t struct_size;
    Extension* extensions;
    int major, minor;
};
struct Metadata {
    size_t struct_size;
    Version version;
    uint32_t traits;  // newer versions have more fields behind it, zero unless a handler has state
};
struct MetadataExtension {
    Extension base;
    Metadata* metadata;
};

struct ErrorArguments {
    size_t struct_size;
    Extension* extensions;
    const char* message;
    int code;
};
struct Api {
    size_t struct_size;
    Extension* extensions;
    Version version;
    const void* internal;
    Error* (*create_error)(ErrorArguments* arguments);
    // ... more functions, which we do not call
};

struct Buffer {
    size_t struct_size;
    Extension* extensions;
    int dtype;
    void* data;
    int64_t rank;
    int64_t* dims;
};
struct ByteSpan {
    const char* data;
    size_t size;
};
struct Scalar {
    int dtype;
    void* value;
};
struct Array {
    int dtype;
    size_t size;
    void* data;
};

struct Buffers {  // of the arguments and of the results
    size_t struct_size;
    Extension* extensions;
    int64_t size;
    int* types;
    void** values;
};
struct Attributes {
    size_t struct_size;
    Extension* extensions;
    int64_t size;
    int* types;
    ByteSpan** names;
    void** values;
};
struct CallFrame {
    size_t struct_size;
    Extension* extensions;
    const Api* api;
    void* context;
    int stage;
    Buffers arguments, results;
    Attributes attributes;
    // ... newer versions have more fields, for handlers that finish later
};

// XLA measures a struct up to its last field, without the padding behind it.
#define ACLTWIN_XLA_SIZE(type, last) (offsetof(type, last) + sizeof(type::last))
constexpr size_t kErrorArgumentsSize = ACLTWIN_XLA_SIZE(ErrorArguments, code);
constexpr size_t kMetadataSize = ACLTWIN_XLA_SIZE(Metadata, traits);
constexpr size_t kVersionSize = ACLTWIN_XLA_SIZE(Version, minor);
#undef ACLTWIN_XLA_SIZE

}  // namespace acltwin::xla_ffi
