#include "runtime/check/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <sstream>

namespace acltwin::check {
namespace {

// The loader has no name for the program itself.
std::string program_file() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, size_t(length)) : std::string();
}

Frame frame_at(uintptr_t call) {
    Frame frame;
    Dl_info info{};
    link_map* library = nullptr;
    if (dladdr1(reinterpret_cast<void*>(call), &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0)
        return frame;
    frame.library = *library->l_name != '\0' ? library->l_name : program_file();
    frame.offset = call - library->l_addr;
    if (info.dli_sname != nullptr) frame.function = info.dli_sname;
    return frame;
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

std::vector<Frame> frames_of(const std::vector<uintptr_t>& return_addresses) {
    std::vector<Frame> frames;
    for (const uintptr_t address : return_addresses) frames.push_back(frame_at(address - 1));  // the call is before it
    return frames;
}

std::string described(const Frame& frame) {
    std::ostringstream text;
    if (!frame.file.empty())
        text << (frame.function.empty() ? "?" : frame.function) << " (" << file_name(frame.file) << ":" << frame.line
             << ")";
    else if (!frame.function.empty())
        text << frame.function << " (in " << file_name(frame.library) << "+0x" << std::hex << frame.offset << ")";
    else
        text << file_name(frame.library) << "+0x" << std::hex << frame.offset;
    return text.str();
}

}  // namespace acltwin::check
