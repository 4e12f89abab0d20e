#include "runtime/handles.h"

namespace acltwin {

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::context: return "a context";
        case Kind::stream: return "a stream";
        case Kind::event: return "an event";
        case Kind::tensor: return "an aclTensor";
        case Kind::scalar: return "an aclScalar";
        case Kind::int_array: return "an aclIntArray";
        case Kind::float_array: return "an aclFloatArray";
        case Kind::bool_array: return "an aclBoolArray";
        case Kind::tensor_list: return "an aclTensorList";
        case Kind::scalar_list: return "an aclScalarList";
        case Kind::executor: return "an aclOpExecutor";
        case Kind::physical_memory: return "an aclrtDrvMemHandle";
        case Kind::capture: return "an aclmdlRI";
    }
    return nullptr;
}

HandleParts HandleParts::of(const void* handle) {
    const uint64_t bits = reinterpret_cast<uint64_t>(handle);
    return {uint8_t(bits >> (kSlotBits + kGenerationBits)), uint32_t(bits >> kSlotBits) & kGenerationMask,
            uint32_t(bits) & kSlotMask};
}

void* HandleParts::pack() const {
    const uint64_t bits =
        uint64_t(kind) << (kSlotBits + kGenerationBits) | uint64_t(generation) << kSlotBits | uint64_t(slot);
    return reinterpret_cast<void*>(bits);
}

Failure bad_handle(int code, Kind expected, const void* handle) {
    const char* actual = name_of(Kind(HandleParts::of(handle).kind));
    if (handle == nullptr)
        return refuse_by("handle", code, "got null, expected ", name_of(expected),
                         "; pass what its create function gave");
    if (actual == nullptr)
        return refuse_by("handle", code, handle, " is not a handle of this library, expected ", name_of(expected),
                         "; pass the value that the create function gave");
    if (Kind(HandleParts::of(handle).kind) != expected)
        return refuse_by("handle", code, handle, " is ", actual, ", expected ", name_of(expected),
                         "; check the order of the arguments");
    if (check::on) check::will_refuse(check::Id::use_stale_handle, handle);
    return refuse_by("handle", code, handle, " is ", name_of(expected),
                     " that has been destroyed, expected a live one; destroy it after its last use");
}

}  // namespace acltwin
