// oneDNN's max pooling and nearest resampling behind five C functions, for ctypes. Primitives are made beforehand, and
// a pooling gradient gets the workspace of a forward pass that has run before: one byte per window, not an index.
#include <omp.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace {

using dnnl::memory;

struct Call {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
};

memory::desc described(const std::vector<memory::dim>& shape, memory::data_type type, bool channels_last) {
    using tag = memory::format_tag;
    if (shape.size() == 4) return {shape, type, channels_last ? tag::nhwc : tag::nchw};
    return {shape, type, channels_last ? tag::ndhwc : tag::ncdhw};
}

void make_pooling(Call& call, const memory::desc& source, const memory::desc& result, void* from, void* to,
                  const std::vector<memory::dim>* window, bool gradient) {
    using forward = dnnl::pooling_forward;
    using backward = dnnl::pooling_backward;
    const auto algorithm = dnnl::algorithm::pooling_max;
    const forward::primitive_desc plan(call.engine, dnnl::prop_kind::forward_training, algorithm, source, result,
                                       window[1], window[0], window[4], window[2], window[3]);
    const memory workspace(plan.workspace_desc(), call.engine);
    if (!gradient) {
        call.primitive = forward(plan);
        call.arguments = {{DNNL_ARG_SRC, memory(source, call.engine, from)},
                          {DNNL_ARG_DST, memory(result, call.engine, to)},
                          {DNNL_ARG_WORKSPACE, workspace}};
        return;
    }
    // The values of `to` are whatever the caller filled it with: their maxima say where gradients go.
    forward(plan).execute(call.stream, {{DNNL_ARG_SRC, memory(source, call.engine, to)},
                                        {DNNL_ARG_DST, memory(result, call.engine)},
                                        {DNNL_ARG_WORKSPACE, workspace}});
    call.stream.wait();
    const backward::primitive_desc back(call.engine, algorithm, source, result, window[1], window[0], window[4],
                                        window[2], window[3], plan);
    call.primitive = backward(back);
    call.arguments = {{DNNL_ARG_DIFF_DST, memory(result, call.engine, from)},
                      {DNNL_ARG_DIFF_SRC, memory(source, call.engine, to)},
                      {DNNL_ARG_WORKSPACE, workspace}};
}

void make_resampling(Call& call, const memory::desc& source, const memory::desc& result, void* from, void* to,
                     bool gradient) {
    using forward = dnnl::resampling_forward;
    using backward = dnnl::resampling_backward;
    const auto algorithm = dnnl::algorithm::resampling_nearest;
    const forward::primitive_desc plan(call.engine, dnnl::prop_kind::forward_training, algorithm, source, result);
    if (!gradient) {
        call.primitive = forward(plan);
        call.arguments = {{DNNL_ARG_SRC, memory(source, call.engine, from)},
                          {DNNL_ARG_DST, memory(result, call.engine, to)}};
        return;
    }
    const backward::primitive_desc back(call.engine, algorithm, source, result, plan);
    call.primitive = backward(back);
    call.arguments = {{DNNL_ARG_DIFF_DST, memory(result, call.engine, from)},
                      {DNNL_ARG_DIFF_SRC, memory(source, call.engine, to)}};
}

}  // namespace

extern "C" {

// `numbers`: the forward's source shape, its result shape, then (pooling only) kernel, stride, padding before, padding
// behind, dilation - 1, per axis. `from` and `to` belong to the direction that is asked for. Null: oneDNN has no such call.
void* onednn_make(int rank, const long long* numbers, int type, bool channels_last, bool pooling, bool gradient,
                  void* from, void* to) {
    try {
        const auto types = {memory::data_type::f32, memory::data_type::bf16, memory::data_type::f16};
        const auto data_type = types.begin()[type];
        const std::vector<memory::dim> source(numbers, numbers + rank), result(numbers + rank, numbers + 2 * rank);
        auto call = std::make_unique<Call>();
        const auto source_desc = described(source, data_type, channels_last);
        const auto result_desc = described(result, data_type, channels_last);
        if (pooling) {
            std::vector<memory::dim> window[5];
            const long long* next = numbers + 2 * rank;
            for (auto& part : window) {
                part.assign(next, next + rank - 2);
                next += rank - 2;
            }
            make_pooling(*call, source_desc, result_desc, from, to, window, gradient);
        } else {
            make_resampling(*call, source_desc, result_desc, from, to, gradient);
        }
        return call.release();
    } catch (const dnnl::error&) {
        return nullptr;
    }
}

void onednn_run(void* handle, int threads) {
    auto& call = *static_cast<Call*>(handle);
    if (omp_get_max_threads() != threads) omp_set_num_threads(threads);
    call.primitive.execute(call.stream, call.arguments);
    call.stream.wait();
}

void onednn_free(void* handle) { delete static_cast<Call*>(handle); }
}
