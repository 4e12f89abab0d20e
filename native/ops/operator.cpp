#include "ops/operator.h"

#include <cctype>
#include <cstring>

namespace acltwin {

std::string argument_name(const char* camel_case, Door door) {
    if (door == Door::aclnn) return camel_case;
    if (std::strcmp(camel_case, "self") == 0) return "input";
    if (std::strcmp(camel_case, "gradInput") == 0 || std::strcmp(camel_case, "outRef") == 0) return "out";
    std::string name;
    for (const char* c = camel_case; *c != '\0'; ++c) {
        if (std::isupper(static_cast<unsigned char>(*c))) name += '_';
        name += char(std::tolower(static_cast<unsigned char>(*c)));
    }
    return name;
}

std::string spelled(const std::string& text, Door door) {
    std::string result;
    size_t position = 0;
    while (true) {
        const size_t open = text.find('{', position);
        if (open == std::string::npos) return result + text.substr(position);
        const size_t close = text.find('}', open);
        result += text.substr(position, open - position);
        result += argument_name(text.substr(open + 1, close - open - 1).c_str(), door);
        position = close + 1;
    }
}

}  // namespace acltwin
