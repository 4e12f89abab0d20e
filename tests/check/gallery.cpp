// Runs one program of the gallery: gallery NAME [fixed]. All of them are one file for the compiler, so that building
// them takes seconds.
#include "right/captures.cpp"
#include "right/clients.cpp"
#include "right/copies.cpp"
#include "right/errors.cpp"
#include "right/memory.cpp"
#include "right/streams.cpp"
#include "right/stress.cpp"
#include "right/threads.cpp"
#include "wrong/bounds.cpp"
#include "wrong/captures.cpp"
#include "wrong/clients.cpp"
#include "wrong/copies.cpp"
#include "wrong/host.cpp"
#include "wrong/init.cpp"
#include "wrong/leak.cpp"
#include "wrong/race.cpp"
#include "wrong/use.cpp"

int main(int count, char** words) {
    const auto found = count > 1 ? programs().find(words[1]) : programs().end();
    if (found == programs().end()) {
        for (const auto& program : programs()) std::printf("%s\n", program.first.c_str());
        return 2;
    }
    found->second(count > 2 && std::string(words[2]) == "fixed");
    return 0;
}
