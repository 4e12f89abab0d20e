// The smallest test tool: a broken expectation says what was expected and ends the program.
#ifndef ACLTWIN_TESTS_CPP_EXPECT_H
#define ACLTWIN_TESTS_CPP_EXPECT_H

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "acl/acl.h"

#define EXPECT(condition) expect_true((condition), #condition, __FILE__, __LINE__)
#define EXPECT_CODE(expected, call) expect_code((expected), (call), #call, __FILE__, __LINE__)
#define EXPECT_OK(call) EXPECT_CODE(0, call)
// The last failure's message holds all of these words.
#define EXPECT_MESSAGE(...) expect_message({__VA_ARGS__}, __FILE__, __LINE__)

inline void give_up(const std::string& text, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, text.c_str());
    std::exit(1);
}

inline void expect_true(bool condition, const char* what, const char* file, int line) {
    if (!condition) give_up(std::string("expected ") + what, file, line);
}

inline void expect_code(int expected, int actual, const char* call, const char* file, int line) {
    if (expected == actual) return;
    const char* message = aclGetRecentErrMsg();
    std::ostringstream text;
    text << call << "\n  expected " << expected << ", got " << actual << ": " << (message ? message : "no message");
    give_up(text.str(), file, line);
}

inline void expect_message(std::initializer_list<const char*> words, const char* file, int line) {
    const char* message = aclGetRecentErrMsg();
    if (message == nullptr) give_up("expected a message, got none", file, line);
    const std::string text = message;
    for (const char* word : words)
        if (text.find(word) == std::string::npos)
            give_up(std::string("expected '") + word + "' in the message, got: " + text, file, line);
}

#endif
