"""The documented sample of every operator as a C++ program, written from its declaration."""

from __future__ import annotations

from pathlib import Path

from acltwin.acl.constants import DATA_TYPES, FORMATS
from acltwin.ops import INTERFACES, OpSpec
from acltwin.ops.spec import TensorCase
from support.sdk_tree import STRICT, compile_program, run_program

C_TYPES = {"float32": "float", "int8": "int8_t", "int32": "int32_t", "int64": "int64_t"}

PROGRAM = """\
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
{includes}

static void expect(int status, const char* what) {{
    if (status != 0) std::printf("%s: %d %s\\n", what, status, aclGetRecentErrMsg());
}}

template <class T>
static aclTensor* tensor(const std::vector<T>& values, const std::vector<int64_t>& shape, int dtype, int format,
                         void** block) {{
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    const size_t bytes = values.size() * sizeof(T);
    expect(aclrtMalloc(block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "malloc");
    expect(aclrtMemcpy(*block, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "copy");
    return aclCreateTensor(shape.data(), shape.size(), aclDataType(dtype), strides.data(), 0, aclFormat(format),
                           shape.data(), shape.size(), *block);
}}

static aclIntArray* ints(const std::vector<int64_t>& values) {{
    return aclCreateIntArray(values.data(), values.size());
}}

template <class T>
static void check(const char* what, void* block, const std::vector<T>& expected, double tolerance) {{
    std::vector<T> found(expected.size());
    const size_t bytes = found.size() * sizeof(T);
    expect(aclrtMemcpy(found.data(), bytes, block, bytes, ACL_MEMCPY_DEVICE_TO_HOST), what);
    bool right = true;
    for (size_t i = 0; i < found.size(); ++i) right = right && std::fabs(double(found[i] - expected[i])) <= tolerance;
    std::printf("%s %s\\n", what, right ? "ok" : "WRONG");
}}

int main() {{
    aclrtStream stream = nullptr;
    expect(aclInit(nullptr), "init");
    expect(aclrtSetDevice(0), "device");
    expect(aclrtCreateStream(&stream), "stream");
{calls}    return 0;
}}
"""


def braces(values: object) -> str:
    return "{" + ", ".join(map(str, values)) + "}"  # type: ignore[call-overload]


def call_of(spec: OpSpec) -> str:
    """One operator's sample: its tensors and arrays, the two phases, its results."""
    lines, arguments, checks = [], [], []
    results = iter(spec.example.expected)
    for argument in spec.arguments:
        value = spec.example.call.arguments[argument.name]
        name = f"{argument.name}_"
        if isinstance(value, TensorCase):
            c_type, count = C_TYPES[value.dtype], 1
            for size in value.shape:
                count *= size
            cells = f"std::vector<{c_type}>({count})"
            if value.values is not None:
                cells = f"std::vector<{c_type}>{braces(map(repr, value.values))}"
            shape, dtype, order = braces(value.shape), DATA_TYPES[value.dtype], FORMATS[value.format]
            lines.append(f"void* {name}block = nullptr;")
            lines.append(f"aclTensor* {name} = tensor({cells}, {shape}, {dtype}, {order}, &{name}block);")
            if argument.role == "output":
                expected = f"std::vector<{c_type}>{braces(f'{c_type}({number!r})' for number in next(results))}"
                checks.append(
                    f'check("{spec.name} {argument.name}", {name}block, {expected}, {spec.example.tolerance});'
                )
        elif argument.kind == "float_array":
            assert isinstance(value, tuple)
            lines.append(f"const float {name}values[] = {braces(f'float({one})' for one in value)};")
            lines.append(f"aclFloatArray* {name} = aclCreateFloatArray({name}values, {len(value)});")
        elif isinstance(value, bytes):
            lines.append(f'const char* {name} = "{value.decode()}";')
        elif isinstance(value, tuple):
            lines.append(f"aclIntArray* {name} = ints({braces(value)});")
        else:
            lines.append(f"const {argument.c_type} {name} = {str(value).lower()};")
        arguments.append(name)
    lines += ["uint64_t size = 0;", "aclOpExecutor* executor = nullptr;", "void* workspace = nullptr;"]
    lines.append(f'expect({spec.phase1_name}({", ".join(arguments)}, &size, &executor), "{spec.phase1_name}");')
    lines.append('if (size > 0) expect(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), "workspace");')
    lines.append(f'expect({spec.c_name}(workspace, size, executor, stream), "{spec.c_name}");')
    lines.append('expect(aclrtSynchronizeStream(stream), "synchronise");')
    body = "".join(f"        {line}\n" for line in [*lines, *checks])
    return f"    {{\n{body}    }}\n"


def test_every_sample_runs_in_cpp(tree: Path, tmp_path: Path) -> None:
    source = tmp_path / "samples.cpp"
    includes = "\n".join(f'#include "aclnnop/{spec.header}"' for spec in INTERFACES.values())
    source.write_text(PROGRAM.format(includes=includes, calls="".join(map(call_of, INTERFACES.values()))))
    compile_program(tree, source, tmp_path / "samples", ("-std=c++17", *STRICT))
    done = run_program(tree, tmp_path / "samples")
    results = [f"{spec.name} {result.name} ok" for spec in INTERFACES.values() for result in spec.results]
    assert (done.returncode, done.stderr, done.stdout.splitlines()) == (0, "", results)
