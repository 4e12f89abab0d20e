"""The SDK tree: what is in it, and that compilers, build systems and programs find it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from acltwin import _core, sdk
from acltwin.acl._prototypes import NAMES
from acltwin.ops import INTERFACES
from support.sdk_tree import LINK_LINES, ROOT, STRICT, compile_program, run_program, sdk_command

HEADERS = sorted(
    str(path.relative_to(ROOT / "native" / "include")) for path in (ROOT / "native" / "include").rglob("*.h")
)
PROGRAM = """
#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnn_max_pool3d_with_argmax_backward.h"
int main(void) {
    bool ceil_mode = true;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    int ret = aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(NULL, NULL, NULL, NULL, NULL, NULL, NULL, ceil_mode,
                                                               NULL, &size, &executor);
    if (ret != ACLNN_ERR_PARAM_NULLPTR) return 1;
    return aclInit(NULL) == ACL_SUCCESS && aclGetRecentErrMsg() != NULL ? 0 : 2;
}
"""


@pytest.mark.parametrize("copy", [False, True])
def test_one_library_file_under_all_its_names(tmp_path: Path, copy: bool) -> None:
    sdk.write_tree(tmp_path, copy=copy)
    libraries = sorted(path.name for path in (tmp_path / "lib64").glob("*.so"))
    linked = ("ascendcl", "acl_rt", "nnopbase", "opapi", "opapi_math", "opapi_nn", "opapi_cv")
    opened = ("aclnn_ops_infer", "aclnn_ops_train", "aclnn_math", "cust_opapi")
    assert libraries == sorted(["libacltwin.so", *(f"lib{name}.so" for name in (*linked, *opened))])
    file = tmp_path / "lib64" / "libacltwin.so" if copy else Path(_core.library_path()).resolve()
    assert {(tmp_path / "lib64" / name).resolve() for name in libraries} == {file}
    assert file.read_bytes() == Path(_core.library_path()).read_bytes()


def test_every_header_is_there_under_its_name(tree: Path) -> None:
    runtime = ("acl/acl.h", "acl/acl_base.h", "acl/acl_mdl.h", "acl/acl_rt.h", "aclnn/acl_meta.h", "aclnn/aclnn_base.h")
    operators = ("util", "upsample_nearest_3d_backward", "upsample_nearest_exact2d", "max_pool3d_with_argmax")
    for header in (*runtime, *(f"aclnnop/aclnn_{name}.h" for name in operators)):
        assert (tree / "include" / header).is_file()
    assert {spec.header for spec in INTERFACES.values()} <= {path.name for path in (tree / "include").rglob("*.h")}


@pytest.mark.parametrize(("compiler", "language", "suffix"), [("gcc", "c99", "c"), ("g++", "c++11", "cpp")])
def test_every_header_stands_alone(tree: Path, tmp_path: Path, compiler: str, language: str, suffix: str) -> None:
    """Each in a file of its own, and all files in one call of the compiler, which calls itself for each of them."""
    files = [tmp_path / f"{number}.{suffix}" for number in range(len(HEADERS))]
    for file, header in zip(files, HEADERS, strict=True):
        file.write_text(f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n')
    folders = [f"-I{tree / 'include' / folder}" for folder in ("", "aclnn", "aclnnop")]
    words = [compiler, f"-std={language}", *STRICT, "-fsyntax-only", *folders, *map(str, files)]
    done = subprocess.run(words, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line", LINK_LINES)
@pytest.mark.parametrize(
    ("compiler", "language"), [("gcc", "c99"), ("g++", "c++11"), ("clang", "c99"), ("clang++", "c++11")]
)
def test_a_program_compiles_links_and_runs(tree: Path, tmp_path: Path, compiler: str, language: str, line: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / ("program.c" if language == "c99" else "program.cpp")
    source.write_text(PROGRAM)
    options = (f"-std={language}", *STRICT)
    compile_program(tree, source, tmp_path / "program", options, LINK_LINES[line], compiler)
    assert run_program(tree, tmp_path / "program").returncode == 0


def test_set_env_tells_where_the_tree_is(tree: Path, tmp_path: Path) -> None:
    moved = tmp_path / "a folder's name"
    shutil.copytree(tree, moved, symlinks=True)
    script = (
        f". {shlex.quote(str(moved / 'set_env.sh'))}"
        ' && echo "$ASCEND_HOME_PATH:$ASCEND_TOOLKIT_HOME:$LD_LIBRARY_PATH:$PYTHONPATH"'
    )
    environment = {**os.environ, "LD_LIBRARY_PATH": "/elsewhere", "PYTHONPATH": "/mine"}
    done = subprocess.run(["bash", "-uc", script], env=environment, text=True, capture_output=True)
    assert done.stdout.strip() == f"{moved}:{moved}:{moved / 'lib64'}:/elsewhere:{moved}/python/site-packages:/mine"
    done = subprocess.run(
        ["sh", "-uc", f". {tree / 'set_env.sh'} && echo $ASCEND_HOME_PATH"], text=True, capture_output=True
    )
    assert done.stdout.strip() == str(tree)


@pytest.mark.parametrize("shell", ["bash", "dash", "sh", "zsh", "ksh", "busybox"])
@pytest.mark.parametrize("sourced", ["as it is", "through a link", "relative", "with CDPATH", "with BASH_SOURCE"])
def test_every_shell_finds_the_tree(tree: Path, tmp_path: Path, shell: str, sourced: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    file, environment = tree / "set_env.sh", dict(os.environ)
    if sourced == "through a link":
        (tmp_path / "set_env.sh").symlink_to(file)
        file = tmp_path / "set_env.sh"
    elif sourced == "relative":
        file = Path(os.path.relpath(file, tmp_path))
    elif sourced == "with CDPATH":  # makes cd print where it went, or go elsewhere
        environment["CDPATH"] = f"{tree.parent}:/"
        file = Path(os.path.relpath(file, tree.parent))
    elif sourced == "with BASH_SOURCE":
        environment |= {"BASH_SOURCE": "/elsewhere/set_env.sh", "BASH_VERSION": "5"}
    words = ["busybox", "sh"] if shell == "busybox" else [shell]
    script = f'. {shlex.quote(str(file))} && printf "%s\\n" "$ASCEND_HOME_PATH" "$LD_LIBRARY_PATH"'
    where = tree.parent if sourced == "with CDPATH" else tmp_path
    done = subprocess.run([*words, "-uc", script], env=environment, text=True, capture_output=True, cwd=where)
    home, libraries = done.stdout.splitlines()
    assert (home, done.stderr) == (str(tree), "")
    assert libraries.split(":")[0] == str(tree / "lib64")


@pytest.mark.parametrize("directory", [True, False])
def test_flags_for_build_systems(tmp_path: Path, directory: bool) -> None:
    words = [tmp_path / "a tree", "--cflags", "--libs"] if directory else ["--cflags", "--libs"]
    printed = sdk_command(*words)
    assert printed.returncode == 0
    (tmp_path / "program.c").write_text(PROGRAM)
    build = ["gcc", str(tmp_path / "program.c"), "-o", str(tmp_path / "program"), *shlex.split(printed.stdout)]
    assert subprocess.run(build).returncode == 0
    assert subprocess.run([tmp_path / "program"]).returncode == 0  # the flags name the library's place for the loader


def test_cmake_finds_the_package(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(user C)\nfind_package(acltwin 0.1 REQUIRED)\n"
        "add_executable(program program.c)\ntarget_link_libraries(program PRIVATE acltwin::acltwin)\n"
    )
    cmake = str(Path(sys.executable).parent / "cmake")
    build = tmp_path / "build"
    for words in (["-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={tree}"], ["--build", build]):
        done = subprocess.run([cmake, *map(str, words)], text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert subprocess.run([build / "program"]).returncode == 0


def test_the_library_exports_the_declared_functions_and_no_others() -> None:
    """Of C names; the C++ ones are for the extension module beside it, and acltwin_ ones for acltwin.acl."""
    listed = subprocess.run(["nm", "-D", "--defined-only", _core.library_path()], text=True, capture_output=True).stdout
    exported = {line.split()[2] for line in listed.splitlines()}
    own = {name for name in exported if name.startswith("acltwin_")}
    c_names = {name for name in exported - own if not name.startswith("_Z")}
    assert all("7acltwin" in name for name in exported - own - c_names)
    text = "".join((ROOT / "native" / "include" / header).read_text() for header in HEADERS)
    declared = set(re.findall(r"\b([aA]cl\w+)\s*\([^;{}]*\);", text))
    assert c_names == declared
    assert declared - {"aclFloat16ToFloat", "aclFloatToFloat16"} <= set(NAMES)
    assert set(NAMES) <= declared


def test_declarations_can_be_read_with_a_simple_pattern(tree: Path) -> None:
    """Test kits do: one declaration per function, up to its semicolon, with the documented names."""
    for spec in INTERFACES.values():
        text = (tree / "include" / "aclnnop" / spec.header).read_text()
        for name, parameters in ((spec.phase1_name, spec.phase1_parameters), (spec.c_name, spec.phase2_parameters)):
            (found,) = re.findall(rf"aclnnStatus\s+{name}\s*\(([^;]*)\);", text)
            words = [re.sub(r"\s+", " ", part).strip() for part in found.split(",")]
            assert words == [f"{kind}{'' if kind.endswith('*') else ' '}{name}" for kind, name in parameters]


@pytest.mark.parametrize(
    "generator",
    [
        "generate_operators.py",
        "generate_status_pages.py",
        "generate_stubs.py",
        "generate_cause_page.py",
        "generate_findings.py",
        "generate_reference.py",
        "generate_kernel_calls.py",
        "generate_listings.py",
    ],
)
def test_generated_files_are_up_to_date(generator: str) -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / generator, "--check"], text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_generated_files_say_so_on_their_first_line() -> None:
    generated = [ROOT / "native" / "include" / "aclnnop" / spec.header for spec in INTERFACES.values()]
    generated += (ROOT / "native" / "aclnn").glob("*.cpp")
    generated += (ROOT / "docs" / "golden" / "causes").glob("*.md")
    generated += (ROOT / "docs" / "acl" / name for name in ("check-findings.md", "status-codes.md"))
    generated += (path for path in (ROOT / "src" / "acltwin").rglob("*.pyi") if path.stem != "_core")
    for path in generated:
        assert "Generated by tools/" in path.read_text().splitlines()[0]


def test_the_tree_needs_headers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("acltwin.__file__", str(tmp_path / "acltwin" / "__init__.py"))
    with pytest.raises(FileNotFoundError, match="install acltwin again"):
        sdk.installed_tree()
