// What a launch does to the blocks of its tensors and to its workspace.
#include "runtime/check/accesses.h"
#include "runtime/check/history.h"
#include "runtime/check/hooks.h"
#include "runtime/check/races.h"
#include "runtime/executor.h"

namespace acltwin::check {
namespace {

ByteSet bytes_of(const Block& block, const void* storage, const Executor::Argument& argument) {
    int64_t strides[kMaxRank];
    for (int i = 0; i < argument.view.rank; ++i)
        strides[i] = argument.view.strides[i] * int64_t(argument.extent.element_bytes);
    const int64_t first = static_cast<const char*>(storage) - block.begin + int64_t(argument.extent.first_element);
    return ByteSet::view(first, argument.extent.element_bytes, argument.view.rank, argument.view.dims, strides);
}

void check_tensor_end(const State& state, const Block& block, const Access& access, const char* name,
                      const void* tensor, const Lock& lock) {
    const uint64_t beyond = bytes_beyond(block, access.bytes);
    if (beyond == 0) return;
    Finding finding(Id::bounds_tensor_beyond_block, std::string(name) + " needs " + in_bytes(access.bytes.hull().end) +
                                                        " from the start of its block, which was made with " +
                                                        in_bytes(block.requested) +
                                                        ": only the padding of the block hides it");
    const auto described = state.objects.find(tensor);
    if (described != state.objects.end()) finding.calls({{"tensor", "", described->second.made_by}});
    finding.about(subject_of(block))
        .calls({access.involved()})
        .fix("ask for as many bytes as the tensor has elements times the size of its type")
        .report(lock);
}

// What an operator reads, and where.
struct Input {
    const char* name;
    const Block* block;
    Access access;
};

// No operator here may write over what it reads: a kernel does both in an order of its own.
void check_apart(const std::vector<Input>& inputs, const Block& block, const Access& result, const char* name,
                 const Lock& lock) {
    for (const Input& input : inputs) {
        if (input.block != &block || !input.access.bytes.overlaps(result.bytes)) continue;
        const Interval in = input.access.bytes.hull(), out = result.bytes.hull();
        const bool is_same = in.begin == out.begin && in.end == out.end;
        Finding(Id::use_overlap, std::string(name) + " of " + function_of(result.call, lock) +
                                     (is_same ? " is the same memory as " : " overlaps ") + input.name +
                                     ", which the kernel may still have to read where it has written")
            .about(subject_of(block))
            .calls({result.involved()})
            .fix(std::string("give ") + name + " memory of its own")
            .report(lock);
    }
}

void use_workspace(State& state, const Executor& executor, const void* workspace, Access access, const Lock& lock) {
    Block* block = executor.workspace_size > 0 ? block_at(state, workspace) : nullptr;
    if (block == nullptr) return;
    access.actor = Actor::workspace;
    access.writes = true;
    access.bytes = ByteSet(uint64_t(static_cast<const char*>(workspace) - block->begin), executor.workspace_size);
    access.detail = " (workspace)" + access.detail + " launched";
    const uint64_t beyond = bytes_beyond(*block, access.bytes);
    if (beyond > 0)
        Finding(Id::bounds_workspace_too_small, "the workspace ends " + in_bytes(beyond) + " before the " +
                                                    in_bytes(executor.workspace_size) +
                                                    " that the first phase asked for")
            .about(subject_of(*block))
            .calls({{"launch", access.detail, access.call}})
            .fix("make the workspace with the size that the first phase gave")
            .report(lock);
    touch(state, *block, access, lock);
    block->failed = FailedLaunch{};
    lose(*block, access, Fate::workspace, {});
}

}  // namespace

void ran_executor(const void* executor, const Lock& lock) noexcept {
    guarded([&] {
        const auto found = state(lock).objects.find(executor);
        if (found != state(lock).objects.end()) found->second.ran = true;
    });
}

void launched(const Executor& executor, const void* const* storage, const void* workspace, const Stream& stream,
              const Lock& lock) noexcept {
    guarded([&] {
        State& all = state(lock);
        const Operator& op = *executor.op;
        const Access launch = access_of_this_call(all, &stream, Actor::kernel, lock);
        all.results.emplace(launch.call, false);
        LastLaunch& last = stream_state(all, stream).last;
        last = {launch.call, launch.moment, {}};
        std::vector<Input> inputs;
        for (int i = 0; i < op.tensors; ++i) {
            const Executor::Argument& argument = executor.arguments[i];
            const bool is_result = i >= op.inputs();
            Block* block = storage[i] != nullptr ? block_at(all, storage[i]) : nullptr;
            if (block == nullptr || (!is_result && op.tensor[i].holds == Holds::shape)) continue;
            Access access = launch;
            access.writes = is_result;
            access.bytes = bytes_of(*block, storage[i], argument);
            access.detail = std::string(" (") + op.tensor[i].name + ")" + launch.detail + " launched";
            check_tensor_end(all, *block, access, op.tensor[i].name, argument.handle, lock);
            if (is_result) {
                check_apart(inputs, *block, access, op.tensor[i].name, lock);
                write_block(all, *block, access, lock);
                last.results.push_back(block->begin);
                if (block->unread.empty() || block->unread.back() != launch.call) block->unread.push_back(launch.call);
            } else {
                check_written(Id::init_kernel_reads_unwritten, *block, access, std::string(" as ") + op.tensor[i].name,
                              "copy the values there before the launch (aclrtMemcpy), or fill the block (aclrtMemset)",
                              lock);
                read_block(all, *block, access, lock);
                inputs.push_back({op.tensor[i].name, block, std::move(access)});
            }
        }
        use_workspace(all, executor, workspace, launch, lock);
    });
}

}  // namespace acltwin::check
