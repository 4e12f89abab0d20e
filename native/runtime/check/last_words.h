// What is said of a process that dies by a signal: the device address that it followed, the refused calls whose
// message it can ask for no more. The handlers hand over to a thread that waits for it, so that they need neither
// memory nor a lock.
#pragma once

#include <cstdint>

namespace acltwin::check {

// Starts the thread, and handles the signals that end a process, SIGSEGV aside, where the program does not. Again
// after a fork, whose child has not inherited the thread.
void listen_for_signals();
bool is_listening();
bool is_dying();  // a device address was followed

// Both return when it is said. `context`: the handler's third argument.
void report_device_address(uintptr_t address, const void* context);
void report_last_words();

}  // namespace acltwin::check
