// Nearest upsampling as a program for `acltwin verify --command 'kernel {inputs} {output}'`: replace `upsample`.
//
// .bin files hold the elements in C order; .npy files hold the same bytes behind a header. Dtypes and shapes are in
// case.json, so the last bytes of a file are the tensor in either format, and are all that has to be overwritten.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

using Sizes = std::vector<int64_t>;

struct Tensor {
    std::string file;
    int64_t item_size;
    Sizes shape;
    std::string bytes;
};

// ---- case.json; a larger program would use a JSON library ----

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The text of the next value with this key.
const char* value(const char* json, const std::string& key) {
    const std::string quoted = "\"" + key + "\":";
    const char* at = std::strstr(json, quoted.c_str());
    if (!at) throw std::runtime_error("case.json has no " + key);
    at += quoted.size();
    return at + std::strspn(at, " \n");
}

std::string word(const char* text) {
    if (*text != '"') throw std::runtime_error("case.json has no text where it was expected");
    return {text + 1, std::strchr(text + 1, '"')};
}

Sizes sizes(const char* text) {
    Sizes found;
    for (char* end; *text != ']'; text = end) {
        text += std::strspn(text, "[, \n");
        found.push_back(std::strtoll(text, &end, 10));
        if (end == text) throw std::runtime_error("case.json has no sizes where they were expected");
        end += std::strspn(end, " \n");
    }
    return found;
}

Tensor described(const char* json) {
    const std::map<std::string, int64_t> item_sizes{{"uint8", 1},   {"float16", 2}, {"bfloat16", 2},
                                                    {"float32", 4}, {"int32", 4},   {"float64", 8}};
    Tensor tensor{
        word(value(json, "file")), item_sizes.at(word(value(json, "dtype"))), sizes(value(json, "shape")), {}};
    int64_t bytes = tensor.item_size;
    for (int64_t size : tensor.shape) bytes *= size;
    tensor.bytes.resize(static_cast<size_t>(bytes));
    return tensor;
}

// ---- tensors ----

void load(Tensor& tensor, const std::string& path) {
    const std::string file = read_file(path);
    tensor.bytes = file.substr(file.size() - tensor.bytes.size());
}

void save(const Tensor& tensor, const std::string& path) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-static_cast<std::streamoff>(tensor.bytes.size()), std::ios::end);
    if (!file.write(tensor.bytes.data(), static_cast<std::streamsize>(tensor.bytes.size())))
        throw std::runtime_error("cannot write " + path);
}

// ---- the kernel: every cell of the result copies one cell, whatever its dtype ----

// Which input cell each output cell copies along one axis; a scale of 0 is not given.
Sizes sources(int64_t in, int64_t out, double scale) {
    const float step = scale > 0 ? static_cast<float>(1 / scale) : static_cast<float>(in) / static_cast<float>(out);
    Sizes from(static_cast<size_t>(out));
    for (int64_t o = 0; o < out; ++o)
        from[static_cast<size_t>(o)] = std::min(static_cast<int64_t>(std::floor(static_cast<float>(o) * step)), in - 1);
    return from;
}

void upsample(const Tensor& input, Tensor& out, const std::vector<Sizes>& from) {
    const size_t item = static_cast<size_t>(input.item_size), rank = out.shape.size();
    Sizes index(rank, 0);
    for (size_t at = 0; at < out.bytes.size(); at += item) {
        int64_t cell = 0;
        for (size_t axis = 0; axis < rank; ++axis)
            cell = cell * input.shape[axis] + from[axis][static_cast<size_t>(index[axis])];
        std::memcpy(&out.bytes[at], &input.bytes[static_cast<size_t>(cell) * item], item);
        for (size_t axis = rank; axis-- && ++index[axis] == out.shape[axis];) index[axis] = 0;
    }
}

// One table per axis of the tensors; those that are not resized copy themselves.
std::vector<Sizes> tables(const char* arguments, const Tensor& input, const Tensor& out) {
    const char* format = std::strstr(arguments, "\"data_format\":");
    const size_t axes = sizes(value(arguments, "output_size")).size(), rank = out.shape.size();
    const size_t first = format && word(value(arguments, "data_format")).back() == 'C' ? 1 : rank - axes;
    std::vector<double> scales;
    for (size_t axis = 0; axis < axes; ++axis)
        scales.push_back(std::strtod(value(arguments, std::string("scales_") + "dhw"[3 - axes + axis]), nullptr));
    if (std::count(scales.begin(), scales.end(), 0.0)) scales.assign(axes, 0);  // the device uses all of them or none
    std::vector<Sizes> from;
    for (size_t axis = 0; axis < rank; ++axis) {
        const bool is_resized = axis >= first && axis < first + axes;
        from.push_back(sources(input.shape[axis], out.shape[axis], is_resized ? scales[axis - first] : 0));
    }
    return from;
}

int main(int argc, char** argv) try {
    if (argc != 3) throw std::runtime_error("usage: kernel INPUTS OUTPUT");
    const std::string inputs = argv[1], text = read_file(inputs + "/case.json");
    const char* const json = text.c_str();
    Tensor input = described(value(value(json, "tensors"), "input")), out = described(value(json, "results"));
    load(input, inputs + "/" + input.file);
    upsample(input, out, tables(value(json, "arguments"), input, out));
    save(out, argv[2]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
