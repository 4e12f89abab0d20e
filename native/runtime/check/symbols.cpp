#include "runtime/check/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "runtime/check/subprocess.h"

namespace acltwin::check {
namespace {

struct Place {
    std::string library;  // a path
    uint64_t offset = 0;  // as the file counts
};

Place place_of(uintptr_t address) {
    struct Search {
        uintptr_t address;
        Place found;
    } search{address, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            auto& search = *static_cast<Search*>(data);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& part = info->dlpi_phdr[i];
                const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
                if (part.p_type != PT_LOAD || search.address < begin || search.address >= begin + part.p_memsz)
                    continue;
                search.found = {info->dlpi_name, search.address - info->dlpi_addr};
                return 1;
            }
            return 0;
        },
        &search);
    if (search.found.library.empty() && search.found.offset != 0) {
        char path[4096];
        const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
        if (length > 0) search.found.library.assign(path, size_t(length));
    }
    return search.found;
}

// The way there does not matter to a reader: "../x/./pool.cpp" as the compiler was told, and "??" means nothing.
void set_position(const std::string& text, Frame* frame) {
    const size_t colon = text.find_last_of(':');
    if (colon == std::string::npos || text.compare(0, 2, "??") == 0) return;
    frame->file = text.substr(0, colon);
    frame->line = std::atoi(text.c_str() + colon + 1);  // "41 (discriminator 2)" is 41
}

// "int make<float>(long)" is make<float>: of the whole signature, the name is what a reader looks for.
std::string name_in(const std::string& signature) {
    const size_t operators = signature.find("operator");
    size_t begin = 0, end = signature.size();
    int depth = 0;
    for (size_t i = 0; i < signature.size() && i < operators; ++i) {
        const char c = signature[i];
        const bool is_part = c == '(' && signature.compare(i, 10, "(anonymous") == 0;
        if (c == '(' && !is_part && depth == 0) {
            end = i;
            break;
        }
        depth += (c == '<' || c == '(' || c == '{') - (c == '>' || c == ')' || c == '}');
        if (c == ' ' && depth == 0) begin = i + 1;
    }
    return signature.substr(begin, end - begin);
}

using Asked = std::vector<std::pair<uintptr_t, Place>>;  // addresses of one library
using Known = std::map<uintptr_t, std::vector<Frame>>;

// The answer to -a -f -i -C: for each address itself, and for each of its frames the function and the position.
void parse_answer(const std::string& answer, const Asked& asked, Known* known) {
    std::istringstream lines(answer);
    size_t count = 0;
    for (std::string function, position; std::getline(lines, function);) {
        if (function.compare(0, 2, "0x") == 0) {
            ++count;
            continue;
        }
        if (!std::getline(lines, position) || count == 0 || count > asked.size()) return;
        const auto& [address, place] = asked[count - 1];
        Frame frame;
        frame.library = place.library;
        frame.offset = place.offset;
        if (function.compare(0, 2, "??") != 0) frame.function = name_in(function);
        set_position(position, &frame);
        if (!frame.function.empty()) (*known)[address].push_back(std::move(frame));
    }
}

void ask_system(const Asked& asked, Known* known) {
    const std::string& library = asked.front().second.library;
    std::vector<std::string> offsets;
    for (const auto& [address, place] : asked) {
        std::ostringstream text;
        text << "0x" << std::hex << place.offset;
        offsets.push_back(text.str());
    }
    const std::vector<const char*> binutils = {"addr2line", "-a", "-f", "-i", "-C", "-e"};
    const std::vector<const char*> llvm = {"llvm-symbolizer", "--output-style=GNU", "-a", "-f", "-i", "-C", "-e"};
    for (std::vector<const char*> command : {binutils, llvm}) {
        command.push_back(library.c_str());
        for (const std::string& offset : offsets) command.push_back(offset.c_str());
        command.push_back(nullptr);
        std::string answer;
        if (output_of(command.data(), &answer)) return parse_answer(answer, asked, known);
    }
}

// What the loader knows, for those that nobody else knows.
Frame plain_frame(uintptr_t call, const Place& place) {
    Frame frame;
    frame.library = place.library;
    frame.offset = place.offset;
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(call), &info) != 0 && info.dli_sname != nullptr) frame.function = info.dli_sname;
    return frame;
}

void look_up(const std::vector<uintptr_t>& return_addresses, Known* known) {
    std::map<std::string, Asked> by_library;
    for (const uintptr_t address : return_addresses) {
        if (known->count(address) > 0) continue;
        const Place place = place_of(address - 1);  // the call itself, not what comes after it
        by_library[place.library].emplace_back(address, place);
    }
    for (const auto& [library, asked] : by_library) {
        if (!library.empty()) ask_system(asked, known);
        for (const auto& [address, place] : asked)
            if (known->count(address) == 0) (*known)[address] = {plain_frame(address - 1, place)};
    }
}

}  // namespace

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::vector<Frame> frames_of(const std::vector<uintptr_t>& return_addresses) {
    static auto* known = new Known;
    look_up(return_addresses, known);
    std::vector<Frame> frames;
    for (const uintptr_t address : return_addresses) {
        for (const Frame& frame : (*known)[address]) {
            frames.push_back(frame);
            if (frame.function == "main") return frames;  // what started the program is the same for all
        }
    }
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
