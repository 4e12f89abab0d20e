// Texts put together from words and numbers, without the streams of the standard library, which take long to compile.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "core/export.h"

namespace acltwin {

inline void append_part(std::string& text, std::string_view part) { text += part; }
inline void append_part(std::string& text, const char* part) { text += part; }
inline void append_part(std::string& text, char part) { text += part; }
ACLTWIN_API void append_part(std::string& text, double part);       // six digits, whatever the locale
ACLTWIN_API void append_part(std::string& text, const void* part);  // 0x7f00; null is 0

template <class Number, std::enable_if_t<std::is_integral_v<Number> || std::is_enum_v<Number>, int> = 0>
void append_part(std::string& text, Number part) {
    if constexpr (std::is_enum_v<Number>)
        text += std::to_string(std::underlying_type_t<Number>(part));
    else
        text += std::to_string(part);
}

// sentence("size is ", 3, ", expected ", 4)
template <class... Parts>
std::string sentence(const Parts&... parts) {
    std::string text;
    (append_part(text, parts), ...);
    return text;
}

}  // namespace acltwin
