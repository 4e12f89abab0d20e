// Words and numbers as texts show them.
#include <clocale>
#include <cmath>

#include "core/sentence.h"
#include "expect.h"

using namespace acltwin;

namespace {

enum Colour { red = 3 };

void same(const std::string& made, const std::string& expected) {
    expect(made == expected, "expected '" + expected + "', got '" + made + "'");
}

}  // namespace

int main() {
    const char* const name = "size";
    same(sentence(name, " is ", int64_t(-3), ", expected ", uint64_t(18446744073709551615u), '.', std::string(" No")),
         "size is -3, expected 18446744073709551615. No");
    same(sentence(true, red, size_t(0)), "130");
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // where there is one, it writes 2,5
    same(sentence(2.5, " ", 0.0, " ", -0.0, " ", 1e-5, " ", 1.0 / 3, " ", 1e6, " ", 123456.0, " ", 50.0f),
         "2.5 0 -0 1e-05 0.333333 1e+06 123456 50");
    same(sentence(std::nan(""), " ", -INFINITY), "nan -inf");
    same(sentence(reinterpret_cast<const void*>(0x7f00), " ", static_cast<void*>(nullptr)), "0x7f00 0");
    same(sentence(), "");
    std::printf("sentence: ok\n");
}
