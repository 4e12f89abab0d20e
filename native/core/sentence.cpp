#include "core/sentence.h"

#include <charconv>
#include <cstdint>

namespace acltwin {

void append_part(std::string& text, double part) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, part, std::chars_format::general, 6).ptr);
}

void append_part(std::string& text, const void* part) {
    char digits[32];
    const uintptr_t address = reinterpret_cast<uintptr_t>(part);
    if (address != 0) text += "0x";
    text.append(digits, std::to_chars(digits, digits + sizeof digits, address, 16).ptr);
}

}  // namespace acltwin
