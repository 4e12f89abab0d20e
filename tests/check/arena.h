// A framework's allocator: one reservation that grows piece by piece, and tensors anywhere in it.
#ifndef ACLTWIN_TESTS_CHECK_ARENA_H
#define ACLTWIN_TESTS_CHECK_ARENA_H

#include "gallery.h"

static const size_t kPiece = size_t(2) << 20;

struct Arena {
    char* begin;
    std::vector<aclrtDrvMemHandle> pieces;
    size_t used;

    explicit Arena(int count = 1) : begin(nullptr), used(0) {
        void* reserved = nullptr;
        CHECK(aclrtReserveMemAddress(&reserved, size_t(16) << 30, 0, nullptr, 1));
        begin = static_cast<char*>(reserved);
        for (int i = 0; i < count; ++i) grow();
    }
    ~Arena() {
        for (size_t i = 0; i < pieces.size(); ++i) {
            aclrtUnmapMem(begin + i * kPiece);
            aclrtFreePhysical(pieces[i]);
        }
        if (begin != nullptr) aclrtReleaseMemAddress(begin);
    }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void grow() {
        aclrtPhysicalMemProp prop = aclrtPhysicalMemProp();
        prop.memAttr = ACL_HBM_MEM_HUGE;
        prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        aclrtDrvMemHandle piece = nullptr;
        CHECK(aclrtMallocPhysical(&piece, kPiece, &prop, 0));
        CHECK(aclrtMapMem(begin + pieces.size() * kPiece, kPiece, 0, piece, 0));
        pieces.push_back(piece);
    }
    // Nothing gives these bytes back but the arena's end.
    char* take(size_t bytes) {
        char* const taken = begin + used;
        used += (bytes + 511) / 512 * 512;
        return taken;
    }
    char* take_gradients() {
        char* const taken = take(kGradientBytes);
        CHECK(aclrtMemcpy(taken, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
        return taken;
    }
};

// With two devices (ACLTWIN_DEVICES=2): the second is this thread's while it lives.
struct SecondDevice {
    aclrtContext first, own;
    aclrtStream stream;

    SecondDevice() : first(nullptr), own(nullptr), stream(nullptr) {
        CHECK(aclrtGetCurrentContext(&first));
        CHECK(aclrtSetDevice(1));
        CHECK(aclrtGetCurrentContext(&own));
        CHECK(aclrtCreateStream(&stream));
    }
    ~SecondDevice() {
        aclrtDestroyStream(stream);
        aclrtResetDevice(1);
        aclrtSetCurrentContext(first);
    }
    SecondDevice(const SecondDevice&) = delete;
    SecondDevice& operator=(const SecondDevice&) = delete;
};

#endif
