// The binary layout of DLPack 1.x on machines with 64-bit pointers, in numbers: what other libraries hand to us lies so
// in memory, whatever our declarations say.
#include <cstddef>

#include "core/dtypes.h"
#include "python/dlpack.h"

using namespace acltwin::dlpack;
using acltwin::DType, acltwin::facts_of;

static_assert(sizeof(void*) == 8, "the numbers below are those of 64-bit pointers");

static_assert(sizeof(Device) == 8 && offsetof(Device, type) == 0 && offsetof(Device, id) == 4, "");
static_assert(sizeof(DataType) == 4 && offsetof(DataType, code) == 0, "");
static_assert(offsetof(DataType, bits) == 1 && offsetof(DataType, lanes) == 2, "");
static_assert(sizeof(Version) == 8 && offsetof(Version, major) == 0 && offsetof(Version, minor) == 4, "");

static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, data) == 0 && offsetof(Tensor, device) == 8, "");
static_assert(offsetof(Tensor, rank) == 16 && offsetof(Tensor, dtype) == 20, "");
static_assert(offsetof(Tensor, shape) == 24 && offsetof(Tensor, strides) == 32, "");
static_assert(offsetof(Tensor, byte_offset) == 40, "");

static_assert(sizeof(Managed) == 64 && offsetof(Managed, tensor) == 0, "");
static_assert(offsetof(Managed, owner) == 48 && offsetof(Managed, deleter) == 56, "");

static_assert(sizeof(ManagedVersioned) == 80 && offsetof(ManagedVersioned, version) == 0, "");
static_assert(offsetof(ManagedVersioned, owner) == 8 && offsetof(ManagedVersioned, deleter) == 16, "");
static_assert(offsetof(ManagedVersioned, flags) == 24 && offsetof(ManagedVersioned, tensor) == 32, "");

static_assert(sizeof(ExchangeApi) == 56 && offsetof(ExchangeApi, version) == 0, "");
static_assert(offsetof(ExchangeApi, previous) == 8 && offsetof(ExchangeApi, allocate) == 16, "");
static_assert(offsetof(ExchangeApi, managed_from_object) == 24 && offsetof(ExchangeApi, object_from_managed) == 32, "");
static_assert(offsetof(ExchangeApi, tensor_from_object) == 40 && offsetof(ExchangeApi, current_stream) == 48, "");

static_assert(kCpu == 1 && kReadOnly == 1, "");

constexpr bool has_code(DType dtype, int code) { return facts_of(dtype)->dlpack == code; }
static_assert(has_code(DType::int32, 0) && has_code(DType::uint8, 1) && has_code(DType::float32, 2), "");
static_assert(has_code(DType::bfloat16, 4) && has_code(DType::boolean, 6), "");

int main() { return 0; }  // the compiler has done the test
