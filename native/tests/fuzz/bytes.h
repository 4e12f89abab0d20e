// The fuzzer's bytes, read as choices. When they run out every choice is the first one, the ordinary one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace acltwin {

class Bytes {
public:
    Bytes(const uint8_t* data, size_t size) : next_(data), end_(data + size) {}

    bool empty() const { return next_ == end_; }
    unsigned byte() { return empty() ? 0 : *next_++; }
    int64_t below(int64_t end) { return byte() % end; }
    bool rarely(int one_in) { return below(one_in) == one_in - 1; }
    template <class T>
    T pick(std::initializer_list<T> choices) {
        return choices.begin()[below(int64_t(choices.size()))];
    }
    template <class T>
    T any() {
        uint64_t bits = 0;
        for (size_t i = 0; i < sizeof(T); ++i) bits = bits << 8 | byte();
        return T(bits);
    }

private:
    const uint8_t *next_, *end_;
};

}  // namespace acltwin
