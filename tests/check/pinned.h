// Memory of the host that copies reach without help.
#ifndef ACLTWIN_TESTS_CHECK_PINNED_H
#define ACLTWIN_TESTS_CHECK_PINNED_H

#include "gallery.h"

struct Pinned {
    float* values;
    size_t count;

    explicit Pinned(size_t count) : values(nullptr), count(count) {
        void* address = nullptr;
        CHECK(aclrtMallocHost(&address, bytes()));
        values = static_cast<float*>(address);
    }
    ~Pinned() { aclrtFreeHost(values); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    size_t bytes() const { return count * sizeof(float); }
    void fill(float value) const {
        for (size_t i = 0; i < count; ++i) values[i] = value;
    }
    void upload(const Block& to, aclrtStream stream) const {
        CHECK(aclrtMemcpyAsync(to.address, to.bytes, values, bytes(), ACL_MEMCPY_HOST_TO_DEVICE, stream));
    }
    void download(const Block& from, aclrtStream stream) const {
        CHECK(aclrtMemcpyAsync(values, bytes(), from.address, bytes(), ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
};

// One batch of copies from the host.
struct Batch {
    std::vector<void*> to, from;
    std::vector<size_t> sizes;

    void add(void* destination, const void* source, size_t bytes) {
        to.push_back(destination);
        from.push_back(const_cast<void*>(source));
        sizes.push_back(bytes);
    }
    aclError queue(aclrtMemLocationType destination, aclrtMemLocationType source, aclrtStream stream) {
        aclrtMemcpyBatchAttr way = aclrtMemcpyBatchAttr();
        way.dstLoc.type = destination;
        way.srcLoc.type = source;
        size_t first = 0, failed = 0;
        return aclrtMemcpyBatchAsync(to.data(), sizes.data(), from.data(), sizes.data(), to.size(), &way, &first, 1,
                                     &failed, stream);
    }
    aclError upload(aclrtStream stream) {
        return queue(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST, stream);
    }
    aclError download(aclrtStream stream) {
        return queue(ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_DEVICE, stream);
    }
};

#endif
