// Reserved addresses and memory to map there, as programs use them.
#ifndef ACLTWIN_TESTS_CPP_VIRTUAL_MEMORY_H
#define ACLTWIN_TESTS_CPP_VIRTUAL_MEMORY_H

#include "expect.h"

static const size_t kPiece = size_t(2) << 20;

inline aclrtPhysicalMemProp property(uint32_t device = 0) {
    aclrtPhysicalMemProp prop = aclrtPhysicalMemProp();
    prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.id = device;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    return prop;
}

inline char* reserve(size_t bytes) {
    void* address = nullptr;
    EXPECT_OK(aclrtReserveMemAddress(&address, bytes, 0, nullptr, 1));
    return static_cast<char*>(address);
}

inline aclrtDrvMemHandle physical(size_t bytes = kPiece, uint32_t device = 0) {
    const aclrtPhysicalMemProp prop = property(device);
    aclrtDrvMemHandle handle = nullptr;
    EXPECT_OK(aclrtMallocPhysical(&handle, bytes, &prop, 0));
    return handle;
}

#endif
