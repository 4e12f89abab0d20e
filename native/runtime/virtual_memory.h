// Virtual memory: addresses are reserved, memory is made, and the two are brought together piece by piece.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "acl/acl_rt.h"
#include "runtime/handles.h"
#include "runtime/memory.h"

namespace acltwin {

struct Reservation;

// A piece of memory: a part of a file without a name, so that mapping it somewhere, and taking it away again, is one
// step of the system, with no moment in between at which the addresses are anybody else's.
struct Physical {
    static constexpr Kind kKind = Kind::physical_memory;

    Physical(int descriptor, off_t offset, size_t size, size_t bytes, size_t granularity, int device)
        : descriptor(descriptor), offset(offset), size(size), bytes(bytes), granularity(granularity), device(device) {}
    ~Physical();
    Physical(const Physical&) = delete;
    Physical& operator=(const Physical&) = delete;

    const int descriptor;
    const off_t offset;
    const size_t size, bytes;  // asked for, and rounded up
    const size_t granularity;
    const int device;
    const pid_t process = getpid();
    bool was_mapped = false;  // this and what follows is guarded by the runtime's lock
    const char* mapped_at = nullptr;
};

Failure find_memory(aclrtDrvMemHandle handle, const Lock& lock, std::shared_ptr<Physical>* physical);

// What both sides of it say.
Failure system_refuses(const char* what);
Failure check_flags(uint64_t flags, uint64_t most);

// What ends with a device's last context.
struct VirtualMemory {
    std::vector<std::shared_ptr<Reservation>> reservations;
    std::vector<std::shared_ptr<Physical>> memory;
    Held mapped;
};

// From now on nobody can reserve, map or find more in it; work that holds it may still use it until it is ended.
VirtualMemory take_virtual_memory_of(int device, const Lock& lock);
void end_virtual_memory(const VirtualMemory& taken, Lock& lock);

// In a forked child: it would share its bytes with the parent, so there is none.
void forget_parents_virtual_memory(const Lock& lock);
void forget_parents_file(const Lock& lock);

}  // namespace acltwin
