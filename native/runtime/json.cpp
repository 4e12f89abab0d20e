#include "runtime/json.h"

#include <cctype>
#include <cstring>

namespace acltwin {
namespace {

constexpr int kMaxDepth = 256;  // a file of a million brackets must not use up the stack

class Reader {
public:
    explicit Reader(const std::string& text) : at_(text.c_str()), end_(at_ + text.size()) {}

    bool whole_text() { return value(0) && (skip_space(), at_ == end_); }

private:
    bool value(int depth) {
        skip_space();
        if (at_ == end_ || depth > kMaxDepth) return false;
        switch (*at_) {
            case '{': return sequence('}', depth, true);
            case '[': return sequence(']', depth, false);
            case '"': return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
    }

    bool sequence(char closing, int depth, bool keyed) {
        ++at_;
        skip_space();
        if (take(closing)) return true;
        do {
            skip_space();
            if (keyed && !(string() && (skip_space(), take(':')))) return false;
            if (!value(depth + 1)) return false;
            skip_space();
        } while (take(','));
        return take(closing);
    }

    bool string() {
        if (!take('"')) return false;
        while (at_ != end_ && *at_ != '"') {
            if (static_cast<unsigned char>(*at_) < 0x20) return false;
            if (take('\\')) {
                if (at_ == end_ || std::strchr("\"\\/bfnrtu", *at_) == nullptr) return false;
                if (*at_ == 'u' && !hexadecimal_after(4)) return false;
            }
            ++at_;
        }
        return take('"');
    }

    bool hexadecimal_after(int digits) {
        for (; digits > 0; --digits) {
            ++at_;
            if (at_ == end_ || !std::isxdigit(static_cast<unsigned char>(*at_))) return false;
        }
        return true;
    }

    bool number() {
        take('-');
        if (!take('0') && !digits()) return false;
        if (take('.') && !digits()) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            return digits();
        }
        return true;
    }

    bool digits() {
        const char* first = at_;
        while (at_ != end_ && std::isdigit(static_cast<unsigned char>(*at_))) ++at_;
        return at_ != first;
    }

    bool word(const char* expected) {
        const size_t length = std::strlen(expected);
        if (size_t(end_ - at_) < length || std::memcmp(at_, expected, length) != 0) return false;
        at_ += length;
        return true;
    }

    bool take(char expected) {
        if (at_ == end_ || *at_ != expected) return false;
        ++at_;
        return true;
    }

    void skip_space() {
        while (at_ != end_ && std::strchr(" \t\r\n", *at_) != nullptr && *at_ != '\0') ++at_;
    }

    const char* at_;
    const char* end_;
};

}  // namespace

bool is_json(const std::string& text) { return Reader(text).whole_text(); }

}  // namespace acltwin
