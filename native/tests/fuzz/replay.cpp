// Runs a fuzz target without a fuzzer: on each line of the corpus, then on as many random inputs as asked for.
//
//     PROGRAM CORPUS RANDOM_INPUTS
//
// A corpus is a text file with one input a line, in hexadecimal digits.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static std::vector<uint8_t> now;  // what a debugger looks at after a crash

static void run(std::vector<uint8_t> input) {
    now = std::move(input);
    LLVMFuzzerTestOneInput(now.data(), now.size());
}

static std::vector<uint8_t> bytes_of(const std::string& digits) {
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(uint8_t(std::stoi(digits.substr(i, 2), nullptr, 16)));
    return bytes;
}

int main(int count, char** words) {
    if (count != 3) return std::fprintf(stderr, "usage: %s CORPUS RANDOM_INPUTS\n", words[0]), 2;
    std::ifstream corpus(words[1]);
    if (!corpus) return std::fprintf(stderr, "cannot read %s\n", words[1]), 2;
    long lines = 0;
    for (std::string line; std::getline(corpus, line); ++lines) run(bytes_of(line));
    std::mt19937 random(1);
    const long random_inputs = std::atol(words[2]);
    for (long i = 0; i < random_inputs; ++i) {
        std::vector<uint8_t> input(random() % 400);
        for (uint8_t& byte : input) byte = uint8_t(random() >> 24);
        run(std::move(input));
    }
    std::printf("%ld inputs of the corpus and %ld random ones\n", lines, random_inputs);
    return 0;
}
