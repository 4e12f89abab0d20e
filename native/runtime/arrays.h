// Arrays, scalars and lists: values copied from the caller, behind handles.
#pragma once

#include <vector>

#include "aclnn/acl_meta.h"
#include "runtime/handles.h"

namespace acltwin {

template <class Value, Kind kind>
struct ArrayOf {
    static constexpr Kind kKind = kind;
    std::vector<Value> values;
};

using DescribedIntArray = ArrayOf<int64_t, Kind::int_array>;
using DescribedFloatArray = ArrayOf<float, Kind::float_array>;
using DescribedBoolArray = ArrayOf<char, Kind::bool_array>;
using DescribedTensorList = ArrayOf<const aclTensor*, Kind::tensor_list>;
using DescribedScalarList = ArrayOf<const aclScalar*, Kind::scalar_list>;

struct DescribedScalar {
    static constexpr Kind kKind = Kind::scalar;
    int dtype;       // an aclDataType
    char value[16];  // as many bytes as the type has; the largest is ACL_COMPLEX128
};

}  // namespace acltwin
