// Work that is ready to run.
#pragma once

#include <cstddef>
#include <string>

#include "core/failure.h"

namespace acltwin {

// Geometry only, no addresses, so that a plan can run many times on many blocks.
class Plan {
public:
    virtual ~Plan() = default;
    // `data[i]` is the first element of the call's tensor i; `scratch` has scratch_bytes() bytes, 64-byte aligned.
    // Thread-safe. The only possible failure is an index outside its plane (kKernelException, rule "index_range"); its
    // text names arguments as {indices}.
    virtual Failure run(void* const data[], void* scratch) const = 0;
    // The variant this plan chose, such as "blocks, packed": test_variants.cpp pins them, so that a change of the rules
    // shows what it changes.
    virtual std::string variant() const = 0;
    size_t scratch_bytes() const { return scratch_bytes_; }

protected:
    size_t scratch_bytes_ = 0;
};

}  // namespace acltwin
