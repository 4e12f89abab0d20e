// The one shape of an error inside the core: a status code, the rule that was broken, a sentence for people.
#pragma once

#include <string>

namespace acltwin {

constexpr int kNullPointer = 161001;
constexpr int kInvalidParameter = 161002;
constexpr int kKernelException = 507015;

// What the array functions raise.
enum class Raises : unsigned char { value_error, type_error, index_error };

struct Failure {
    int code = 0;           // 0: no failure
    const char* rule = "";  // id of the rule in the operator's specification, e.g. "grad_out_dtype"
    std::string text;       // what is wrong, expected and got, how to fix it; without the operator's name
    Raises raises = Raises::value_error;

    explicit operator bool() const { return code != 0; }
};

}  // namespace acltwin
