// Many copies with one call: all of them are checked before the first one runs.
#include "runtime/context.h"
#include "runtime/copy.h"

namespace acltwin {
namespace {

constexpr size_t kMostCopies = size_t(1) << 24;  // a count above it is garbage, and not followed

struct Batch {
    void** destinations;
    size_t* rooms;
    void** sources;
    size_t* sizes;
    size_t count;
    aclrtMemcpyBatchAttr* attributes;
    size_t* first_copies;  // of each attribute
    size_t attribute_count;
    size_t* failed;

    Failure check() const;
    Failure find(std::vector<FoundCopy>* found) const;

private:
    Failure find_one(size_t i, const aclrtMemcpyBatchAttr& attribute, const Lock& lock, FoundCopy* found) const;
};

Failure missing(const char* name) {
    return refuse(ACL_ERROR_INVALID_PARAM, name, " is null, expected an array; pass one value for each copy");
}

Failure Batch::check() const {
    if (failed == nullptr) return null_output("failIndex");
    *failed = SIZE_MAX;
    if (destinations == nullptr) return missing("dsts");
    if (rooms == nullptr) return missing("destMaxs");
    if (sources == nullptr) return missing("srcs");
    if (sizes == nullptr) return missing("sizes");
    if (attributes == nullptr) return missing("attrs");
    if (first_copies == nullptr) return missing("attrsIndexes");
    if (count == 0 || count > kMostCopies)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "numBatches is ", count, ", expected 1 to ", kMostCopies,
                      "; pass the length of dsts, destMaxs, srcs and sizes");
    if (attribute_count == 0 || attribute_count > count)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "numAttrs is ", attribute_count,
                      ", expected 1 to numBatches = ", count, "; pass the length of attrs and attrsIndexes");
    for (size_t k = 0; k < attribute_count; ++k) {
        const bool begins = k == 0 ? first_copies[0] == 0 : first_copies[k] > first_copies[k - 1];
        if (begins && first_copies[k] < count) continue;
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "attrsIndexes[", k, "] is ", first_copies[k],
                      ", expected 0 first, then more and more, each below numBatches = ", count,
                      "; attrs[k] is about the copies from attrsIndexes[k] on");
    }
    return {};
}

// Where an attribute says that an end lies.
Failure read_location(const char* name, const aclrtMemLocation& location, Side* side, int* device) {
    const int type = int(location.type);
    if (type != ACL_MEM_LOCATION_TYPE_HOST && type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, name, ".type is ", type,
                      ", expected ACL_MEM_LOCATION_TYPE_HOST (0) or ACL_MEM_LOCATION_TYPE_DEVICE (1); use one of them");
    *side = type == ACL_MEM_LOCATION_TYPE_HOST ? Side::host : Side::device;
    *device = int(location.id);
    return {};
}

Failure check_device_of(const char* name, const void* address, Side side, int device, const Lock& lock) {
    const auto block = side == Side::device ? block_holding(address, lock) : nullptr;
    if (block == nullptr || block->device() == device) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID, name, " is ", device, ", but the address ", address, " is on device ",
                  block->device(), "; pass the device that the block is on");
}

Failure Batch::find_one(size_t i, const aclrtMemcpyBatchAttr& attribute, const Lock& lock, FoundCopy* found) const {
    if (Failure failure = check_addresses(destinations[i], sources[i])) return failure;
    if (Failure failure = check_count(sizes[i], rooms[i], "destMaxs")) return failure;
    Sides sides;
    int to = 0, from = 0;
    if (Failure failure = read_location("dstLoc", attribute.dstLoc, &sides.destination, &to)) return failure;
    if (Failure failure = read_location("srcLoc", attribute.srcLoc, &sides.source, &from)) return failure;
    if (sides.destination == sides.source)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "both ends are on the ",
                      sides.source == Side::host ? "host" : "device",
                      ", expected one on the host and one on a device; use aclrtMemcpy for these");
    if (Failure failure = check_device_of("dstLoc.id", destinations[i], sides.destination, to, lock)) return failure;
    if (Failure failure = check_device_of("srcLoc.id", sources[i], sides.source, from, lock)) return failure;
    return find_copy(one_row(destinations[i], sources[i], sizes[i]), sides, lock, found);
}

void note_batch(const std::vector<FoundCopy>& found, const Lock& lock) {
    std::vector<check::Pair> copies;
    for (const FoundCopy& copy : found)
        copies.push_back({{copy.asked.destination, copy.asked.width, copy.asked.width},
                          {copy.asked.source, copy.asked.width, copy.asked.width}});
    check::copies_in_batch(copies, lock);
}

Failure Batch::find(std::vector<FoundCopy>* found) const {
    if (Failure failure = check()) return failure;
    const Lock lock = lock_runtime();
    std::shared_ptr<Context> context;
    if (Failure failure = current_context(lock, &context)) return failure;
    size_t attribute = 0;
    for (size_t i = 0; i < count; ++i) {
        while (attribute + 1 < attribute_count && first_copies[attribute + 1] <= i) ++attribute;
        if (sizes[i] == 0) continue;
        FoundCopy copy;
        Failure failure = find_one(i, attributes[attribute], lock, &copy);
        if (!failure && int(attributes[attribute].srcLoc.type) != int(attributes[0].srcLoc.type))
            failure = refuse(ACL_ERROR_RT_PARAM_INVALID,
                             "it goes the other way than copy 0, expected all of a batch to go from the host to the "
                             "device or all back; use a batch for each direction");
        if (failure) {
            *failed = i;
            failure.text = sentence("copy ", i, ": ", failure.text);
            return failure;
        }
        found->push_back(std::move(copy));
    }
    if (check::on) note_batch(*found, lock);
    return {};
}

}  // namespace
}  // namespace acltwin

using namespace acltwin;

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex) {
    return answer(__func__, [&]() -> Failure {
        const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
        std::vector<FoundCopy> found;
        if (Failure failure = batch.find(&found)) return failure;
        for (const FoundCopy& copy : found)
            if (Failure failure = run_copy(copy)) return failure;
        return {};
    });
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                               aclrtStream stream) {
    return answer(__func__, [&, function = __func__]() -> Failure {
        const Batch batch{dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex};
        std::vector<FoundCopy> found;
        if (Failure failure = batch.find(&found)) return failure;
        for (FoundCopy& copy : found)
            if (Failure failure = queue_copy(function, std::move(copy), stream)) return failure;
        return {};
    });
}
