// The operators' checks where data alone cannot describe the case: profiles, SoCs, overflow, formats, what a call
// without a result infers. That each rule refuses its own example is tested from the specifications, in Python.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "ops/operator.h"
#include "tests/expect.h"

using namespace acltwin;

static Tensor tensor(DType dtype, std::initializer_list<int64_t> dims, Format format = Format::nd) {
    Tensor result;
    result.dtype = dtype;
    result.format = format;
    for (int64_t dim : dims) result.dims[result.rank++] = dim;
    result.set_contiguous_strides();
    return result;
}

// A call that owns its arguments; fields may be changed between checks.
struct Example {
    const Operator* op;
    std::vector<Tensor> tensors;
    std::vector<std::vector<int64_t>> arrays;
    double scales[3] = {};
    bool ceil_mode = false;
    Mode mode = {Door::aclnn, Profile::documented, Soc::ascend910b, MapRule::device};

    // Calls `use` with the call; with_results = false leaves the results to `infer`, as the array door does.
    template <typename Use>
    auto with_call(Use use, bool with_results = true) const {
        Call call;
        call.op = op;
        std::vector<IntArray> views;
        for (const auto& array : arrays) views.push_back({array.data(), int64_t(array.size())});
        for (size_t i = 0; i < tensors.size(); ++i) call.tensors[i] = &tensors[i];
        for (size_t i = 0; i < views.size(); ++i) call.arrays[i] = &views[i];
        if (!with_results) std::fill(call.tensors + op->inputs(), call.tensors + op->tensors, nullptr);
        for (int i = 0; i < op->scales; ++i) call.scalars[op->first_scale + i] = scales[i];
        if (op->scales == 0) call.scalars[0] = ceil_mode;
        call.mode = mode;
        return use(call);
    }
    Failure check(bool with_results = true) const {
        return with_call([&](const Call& call) { return op->check(call); }, with_results);
    }
    Tensor infer(int result = 0) const {
        return with_call([&](const Call& call) { return op->infer(call, result); }, false);
    }
};

static void accepts(const Example& example, const char* what) {
    const Failure failure = example.check();
    expect(!failure, std::string(what) + " is accepted, not refused by " + failure.rule + ": " + failure.text);
}

static void refuses(const Example& example, const char* rule, const char* what) {
    const Failure failure = example.check();
    expect(failure.code == kInvalidParameter && std::strcmp(failure.rule, rule) == 0,
           std::string(what) + " breaks " + rule + ", got '" + failure.rule + "'");
}

static Example upsample3d(const char* name) {
    return {find_operator(name),
            {tensor(DType::float32, {1, 2, 4, 4, 4}, Format::ncdhw),
             tensor(DType::float32, {1, 2, 2, 2, 2}, Format::ncdhw)},
            {{4, 4, 4}, {1, 2, 2, 2, 2}}};
}

static Example upsample2d() {
    return {find_operator("upsample_nearest_exact2d_backward"),
            {tensor(DType::float32, {1, 1, 4, 2}, Format::nchw), tensor(DType::float32, {1, 1, 8, 4}, Format::nchw)},
            {{4, 2}, {1, 1, 8, 4}}};
}

static Example unpool() {
    return {find_operator("max_unpool3d_backward"),
            {tensor(DType::float32, {1, 4, 4, 4}), tensor(DType::float32, {1, 2, 2, 2}),
             tensor(DType::int64, {1, 2, 2, 2}), tensor(DType::float32, {1, 2, 2, 2})},
            {{4, 4, 4}, {2, 2, 2}, {0, 0, 0}}};
}

static Example pool() {
    return {find_operator("max_pool3d_with_argmax_backward"),
            {tensor(DType::float32, {1, 2, 2, 2, 2}), tensor(DType::float32, {1, 2, 4, 4, 4}),
             tensor(DType::int32, {1, 2, 2, 2, 2}), tensor(DType::float32, {1, 2, 4, 4, 4})},
            {{2}, {}, {0}, {1}}};
}

static void every_soc_answers_as_documented() {
    const Soc socs[] = {Soc::ascend910, Soc::ascend910b, Soc::ascend910_93, Soc::ascend950};
    const struct {
        Example example;
        const char *documented, *device;  // '1' where the SoC has the operator, in the order above
    } table[] = {
        {upsample3d("upsample_nearest_exact3d_backward"), "0110", "0111"},
        {upsample3d("upsample_nearest3d_backward"), "1110", "1111"},
        {upsample2d(), "0110", "0111"},
        {unpool(), "1111", "1111"},
        {pool(), "0111", "0111"},
    };
    for (auto row : table)
        for (Profile profile : {Profile::documented, Profile::device})
            for (int i = 0; i < 4; ++i) {
                row.example.mode.profile = profile;
                row.example.mode.soc = socs[i];
                const bool has = (profile == Profile::documented ? row.documented : row.device)[i] == '1';
                if (has)
                    accepts(row.example, row.example.op->name);
                else
                    refuses(row.example, "soc", row.example.op->name);
            }
}

static void the_array_door_knows_no_hardware() {
    for (Example example : {upsample3d("upsample_nearest_exact3d_backward"), upsample2d(), pool()}) {
        example.mode = {Door::array, Profile::documented, Soc::ascend910, MapRule::device};
        accepts(example, "an array call, whatever the SoC");
        expect(!example.check(/*with_result=*/false), "an array call without a result");
    }
    Example exact = upsample3d("upsample_nearest_exact3d_backward");
    exact.mode = {};
    exact.scales[0] = 51;
    accepts(exact, "a factor above 50 on arrays");
    exact.tensors = {tensor(DType::float32, {1, 1, 1, 1, (1 << 20) + 1}), tensor(DType::float32, {1, 1, 1, 1, 1})};
    exact.arrays = {{1, 1, (1 << 20) + 1}, {1, 1, 1, 1, 1}};
    accepts(exact, "a dimension above 2^20 on arrays");
}

static void arrays_may_have_more_types() {
    Example gather = unpool();
    for (int i : {0, 1, 3}) gather.tensors[size_t(i)].dtype = DType::bfloat16;
    refuses(gather, "grad_output_dtype", "bfloat16 through aclnn");
    gather.mode = {};
    accepts(gather, "bfloat16 from arrays");
    gather.tensors[2].dtype = DType::int32;
    accepts(gather, "int32 indices from arrays");
    gather.mode.door = Door::aclnn;
    for (int i : {0, 1, 3}) gather.tensors[size_t(i)].dtype = DType::int8;
    refuses(gather, "indices_dtype", "int32 indices through aclnn");

    Example scatter = pool();
    scatter.tensors[2].dtype = DType::int64;
    refuses(scatter, "indices_soc_dtype", "int64 indices on Ascend910B");
    scatter.mode.soc = Soc::ascend950;
    accepts(scatter, "int64 indices on Ascend950");
    scatter.mode = {};
    accepts(scatter, "int64 indices from arrays");
}

static void profiles_differ_where_the_documents_are_stricter() {
    Example dilated = pool();
    dilated.arrays[3] = {3};
    dilated.arrays[1] = {1};
    dilated.tensors[0] = tensor(DType::float32, {1, 2, 1, 1, 1});
    dilated.tensors[2] = tensor(DType::int32, {1, 2, 1, 1, 1});
    refuses(dilated, "dilation_one", "dilation 3, documented");
    dilated.mode.profile = Profile::device;
    accepts(dilated, "dilation 3 on the device");

    Example no_size = upsample2d();
    no_size.arrays[0] = {0, -1};
    refuses(no_size, "output_size_positive", "outputSize 0, documented");
    no_size.mode.profile = Profile::device;
    accepts(no_size, "outputSize 0 on the device, which never looks at it");
}

static void factors_are_judged_axis_by_axis() {
    Example exact = upsample3d("upsample_nearest_exact3d_backward");
    exact.mode.profile = Profile::device;
    exact.scales[1] = 50;
    accepts(exact, "exactly 50");
    exact.scales[1] = std::nextafter(50.0, 51.0);
    refuses(exact, "scale_factor", "just above 50, though the other scales are 0");
    exact.scales[1] = std::numeric_limits<double>::infinity();
    refuses(exact, "scale_factor", "an infinite scale");
    exact.scales[1] = std::nan("");
    accepts(exact, "NaN counts as not given");
    exact.scales[1] = -1;
    accepts(exact, "a negative scale of a 3-D operator counts as not given");

    Example nearest = upsample3d("upsample_nearest3d_backward");
    nearest.mode.profile = Profile::device;
    nearest.scales[1] = 1e9;
    accepts(nearest, "any factor for nearest");

    Example flat = upsample2d();
    flat.scales[0] = 50;
    accepts(flat, "exactly 50 in 2-D");
    flat.scales[0] = -1;
    refuses(flat, "scales_negative", "a negative scale in 2-D");
}

static void an_empty_2d_tensor_ends_the_checks() {
    Example empty = upsample2d();
    empty.tensors[0] = tensor(DType::int32, {0, 3}, Format::nhwc);
    empty.arrays = {{}, {}};
    accepts(empty, "an empty gradOutput, however wrong the rest is");
    expect(empty.with_call([&](const Call& call) { return empty.op->plan(call); }) == nullptr,
           "nothing to do for an empty tensor");
    empty.tensors[0].dims[0] = -1;
    refuses(empty, "tensor_shape", "a negative dimension");
}

static void ndhwc_takes_both_orders_of_input_size() {
    for (const char* name : {"upsample_nearest_exact3d_backward", "upsample_nearest3d_backward"}) {
        Example example = upsample3d(name);
        example.tensors = {tensor(DType::float32, {1, 4, 6, 8, 3}, Format::ndhwc),
                           tensor(DType::float32, {1, 2, 3, 4, 3}, Format::ndhwc)};
        example.arrays = {{4, 6, 8}, {1, 3, 2, 3, 4}};
        accepts(example, "the device's order");
        example.arrays[1] = {1, 2, 3, 4, 3};
        accepts(example, "the document's order");
        example.mode.profile = Profile::device;
        refuses(example, "grad_out_shape", "the document's order on the device");
        example.mode = {};
        const Tensor result = example.infer();
        const int64_t expected[] = {1, 2, 3, 4, 3};
        expect(std::equal(expected, expected + 5, result.dims), "the result's dims in the document's order");
        expect(result.contiguous() && result.format == Format::ndhwc, "an NDHWC result is contiguous");
        // Where both orders fit gradOut, the device's counts.
        example.tensors[0] = tensor(DType::float32, {1, 4, 6, 8, 3}, Format::ndhwc);
        example.arrays[1] = {1, 3, 2, 4, 3};
        const int64_t device_order[] = {1, 2, 4, 3, 3};
        expect(std::equal(device_order, device_order + 5, example.infer().dims), "the device's order comes first");
    }
}

static void channels_last_stays_channels_last() {
    const auto channels_last = [](Tensor tensor, int channel) {
        int64_t stride = tensor.dims[channel];
        tensor.strides[channel] = 1;
        for (int i = tensor.rank - 1; i >= 0; --i) {
            if (i == channel) continue;
            tensor.strides[i] = stride;
            stride *= tensor.dims[i];
        }
        return tensor;
    };
    Example volume = upsample3d("upsample_nearest3d_backward");
    volume.mode = {};
    volume.tensors[0] = channels_last(volume.tensors[0], 1);
    expect(volume.infer().strides[1] == 1 && volume.infer().strides[4] == 2, "3-D keeps channels last");
    Example image = upsample2d();
    image.mode = {};
    image.tensors[0] = channels_last(tensor(DType::float32, {1, 3, 4, 2}), 1);
    image.arrays[1] = {1, 3, 8, 4};
    expect(image.infer().strides[1] == 1 && image.infer().strides[3] == 3, "2-D keeps channels last");
    Example pooled = pool();
    pooled.mode = {};
    pooled.tensors[0] = channels_last(pooled.tensors[0], 1);
    expect(pooled.infer().strides[1] == 1, "pooling keeps channels last");
    for (Tensor& each : pooled.tensors) {
        for (int i = 0; i < 4; ++i) each.dims[i] = each.dims[i + 1];
        each.rank = 4;
        each = channels_last(each, 0);
    }
    expect(pooled.infer().strides[0] == 1, "4-D pooling keeps channels last");
    image.tensors[0].strides[0] *= 2;  // N = 1: that stride is never used
    expect(image.infer().strides[1] == 1, "strides of size-1 axes do not matter");
    image.tensors[0].strides[2] *= 2;
    expect(image.infer().contiguous(), "a view with gaps gets a contiguous result");
}

static Example pooling() {
    Example example{find_operator("max_pool3d_with_argmax"), {}, {{2}, {}, {1}, {1}}};
    example.tensors = {tensor(DType::float16, {2, 3, 5, 6, 7}), Tensor(), Tensor()};
    example.ceil_mode = true;
    example.mode = {};
    return example;
}

static void two_results_are_inferred_one_by_one() {
    const Example example = pooling();
    const int64_t expected[] = {2, 3, 3, 4, 4};
    expect(!example.check(false), "a call without its results is accepted");
    for (int result : {0, 1}) {
        const Tensor inferred = example.infer(result);
        expect(std::equal(expected, expected + 5, inferred.dims) && inferred.contiguous(), "one cell per window");
        expect(inferred.dtype == (result == 0 ? DType::float16 : DType::int32), "values and indices");
    }
}

static void nothing_overflows() {
    constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
    Example volume = upsample3d("upsample_nearest3d_backward");
    volume.tensors[0] = tensor(DType::float32, {kHuge, kHuge, kHuge, kHuge, kHuge});
    refuses(volume, "tensor_shape", "a shape beyond 64 bits");
    volume.tensors[0] = tensor(DType::float32, {0, kHuge, kHuge, 1, 1});
    refuses(volume, "tensor_shape", "an empty shape whose strides are beyond 64 bits");
    volume = upsample3d("upsample_nearest3d_backward");
    volume.arrays[1] = {1, 2, kHuge, kHuge, kHuge};
    refuses(volume, "input_size_bytes", "an inputSize beyond 64 bits");
    // Each product of the memory limit wraps to something small in 64 bits.
    volume.arrays = {{1 << 20, 1 << 20, 1 << 20}, {1, 1, 1 << 20, 1 << 20, 1 << 20}};
    volume.tensors = {tensor(DType::float32, {1, 1, 1 << 20, 1 << 20, 1 << 20}),
                      tensor(DType::float32, {1, 1, 1 << 20, 1 << 20, 1 << 20})};
    refuses(volume, "memory_limit", "2^60 cells");

    Example gather = unpool();
    gather.arrays[0] = {kHuge, kHuge, kHuge};
    refuses(gather, "grad_output_size", "an outputSize beyond 64 bits");
    gather.arrays[1] = {kHuge, kHuge, kHuge};
    gather.arrays[2] = {-kHuge, kHuge, 0};
    refuses(gather, "grad_output_size", "absurd strides and padding");

    Example scatter = pool();
    scatter.mode.profile = Profile::device;
    scatter.arrays = {{kHuge}, {kHuge}, {kHuge / 2}, {kHuge}};
    refuses(scatter, "grad_output_size", "absurd windows");

    Example windows = pooling();
    windows.arrays = {{kHuge}, {1}, {kHuge / 2}, {1}};
    expect(!windows.check(false) && windows.infer().dims[2] == 5, "half of the largest window hangs over each end");
    windows.arrays = {{kHuge}, {kHuge}, {kHuge / 2}, {1}};
    expect(!windows.check(false), "one window may be as large as it likes");
    windows.arrays = {{2}, {kHuge}, {1}, {kHuge}};
    expect(std::strcmp(windows.check(false).rule, "window_cells") == 0, "every tap lies in the padding");
    Tensor nine = tensor(DType::float32, {1, 1, 1, 1, 1, 1, 1, 1});
    nine.rank = 9;
    gather = unpool();
    gather.tensors[3] = nine;
    refuses(gather, "tensor_shape", "nine dimensions");
}

static void each_door_spells_arguments_its_own_way() {
    Example gather = unpool();
    gather.arrays[0] = {4, 4};
    expect(gather.check().text.find("outputSize has 2 values, expected 3") == 0, "aclnn spells outputSize");
    gather.mode = {};
    expect(gather.check().text ==
               "output_size has 2 values, expected 3 (D, H, W); grad_output is (1, 4, 4, 4), so pass "
               "output_size=(4, 4, 4)",
           "arrays spell output_size");
    gather = unpool();
    gather.mode = {};
    gather.tensors[1].dtype = DType::float16;
    expect(gather.check().text.find("input is float16") == 0, "self is called input");
}

int main() {
    every_soc_answers_as_documented();
    the_array_door_knows_no_hardware();
    arrays_may_have_more_types();
    profiles_differ_where_the_documents_are_stricter();
    factors_are_judged_axis_by_axis();
    an_empty_2d_tensor_ends_the_checks();
    ndhwc_takes_both_orders_of_input_size();
    channels_last_stays_channels_last();
    two_results_are_inferred_one_by_one();
    nothing_overflows();
    each_door_spells_arguments_its_own_way();
}
