// Calls of ACL functions and where they were made. Remembered when they happen, and shown only in findings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/check/symbols.h"
#include "runtime/lock.h"

namespace acltwin::check {

// A call of one function from one place; the same call in a loop is one. 0: unknown.
using CallId = uint32_t;

// The calling thread is in `function`, which lives as long as the call. Until the next one, `this_call` is this.
void enter_function(const char* function);
const char* this_function();
CallId this_call(const Lock& lock);
CallId exchange_call(CallId call);  // gives the one before

// The next call of this thread comes from an interpreter: its frames, innermost first, one per line:
// function, file and line with tabs between.
void note_interpreter_frames(const char* text);

// The first call of this function with the same innermost frames, those that are shown.
CallId shown_alike(CallId call, const Lock& lock);

std::string function_of(CallId call, const Lock& lock);
std::vector<Frame> site_of(CallId call, const Lock& lock);
// The frames of code addresses, for a place that is no call of ours.
CallId call_at(const char* function, std::vector<uintptr_t> return_addresses, const Lock& lock);

bool is_own_code(uintptr_t address);  // of this library

// "at run (pool.py:41), from <module> (pool.py:60)".
std::string described_site(const std::vector<Frame>& frames, size_t most = 3);

}  // namespace acltwin::check
