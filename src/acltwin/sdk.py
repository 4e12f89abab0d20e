"""``acltwin sdk``: the tree that C and C++ programs are built against, like that of a CANN installation."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from acltwin import _core

# The names that programs link with. One file stands behind them all: copies would each have a state of their own.
LINK_NAMES = ("ascendcl", "acl_rt", "nnopbase", "opapi", "opapi_math", "opapi_nn", "opapi_cv")

SET_ENV = """\
# Source this file: it tells compilers, build systems and the loader where the SDK is.
if [ -n "${{BASH_SOURCE:-}}" ]; then
    ASCEND_HOME_PATH=$(cd "$(dirname "${{BASH_SOURCE[0]}}")" && pwd)
else
    ASCEND_HOME_PATH='{root}'
fi
export ASCEND_HOME_PATH
export ASCEND_TOOLKIT_HOME="$ASCEND_HOME_PATH"
export LD_LIBRARY_PATH="$ASCEND_HOME_PATH/lib64${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
export CMAKE_PREFIX_PATH="$ASCEND_HOME_PATH${{CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}}"
"""

CMAKE_CONFIG = """\
# find_package(acltwin) gives the target acltwin::acltwin: headers and library.
get_filename_component(_acltwin_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET acltwin::acltwin)
  add_library(acltwin::acltwin SHARED IMPORTED)
  set_target_properties(acltwin::acltwin PROPERTIES
    IMPORTED_LOCATION "${_acltwin_root}/lib64/libacltwin.so"
    IMPORTED_SONAME "libacltwin.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_acltwin_root}/include;${_acltwin_root}/include/aclnn")
endif()
unset(_acltwin_root)
"""

CMAKE_VERSION = """\
set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""


@dataclass(frozen=True)
class Tree:
    """Where headers and libraries are, and what to link with."""

    include: Path
    libraries: Path
    names: tuple[str, ...]

    @property
    def cflags(self) -> str:
        return shlex.join([f"-I{self.include}", f"-I{self.include / 'aclnn'}"])

    @property
    def libs(self) -> str:
        names = [f"-l{name}" for name in self.names]
        return shlex.join([f"-L{self.libraries}", f"-Wl,-rpath,{self.libraries}", *names])


def _headers() -> Path:
    package = Path(__file__).resolve().parent
    for include in (package / "include", package.parent.parent / "native" / "include"):
        if (include / "acl" / "acl.h").is_file():
            return include
    raise FileNotFoundError(f"{package} has no C headers, expected include/acl/acl.h; install acltwin again")


def installed_tree() -> Tree:
    """The package itself: enough to compile and link, without the vendor's library names."""
    return Tree(_headers(), Path(_core.library_path()).resolve().parent, ("acltwin",))


def write_tree(directory: Path) -> Tree:
    """Write the SDK tree, over an older one if there is one."""
    root = directory.resolve()
    tree = Tree(root / "include", root / "lib64", ("ascendcl", "nnopbase", "opapi"))
    package_files = (
        root / "share" / "cmake" / "acltwin"
    )  # CMake looks into share/ everywhere, into lib64/ not on Debian
    for folder in (tree.libraries, package_files):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(_headers(), tree.include, dirs_exist_ok=True)
    library = tree.libraries / "libacltwin.so"
    library.unlink(missing_ok=True)  # a running program keeps the old file
    shutil.copy2(_core.library_path(), library)
    for name in LINK_NAMES:
        link = tree.libraries / f"lib{name}.so"
        link.unlink(missing_ok=True)
        link.symlink_to(library.name)
    (root / "set_env.sh").write_text(SET_ENV.format(root=str(root).replace("'", "'\\''")))
    (package_files / "acltwin-config.cmake").write_text(CMAKE_CONFIG)
    (package_files / "acltwin-config-version.cmake").write_text(CMAKE_VERSION.format(version=version("acltwin")))
    return tree


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory", nargs="?", type=Path, metavar="DIR", help="where to write include/, lib64/, set_env.sh"
    )
    parser.add_argument("--cflags", action="store_true", help="print the compiler's flags")
    parser.add_argument("--libs", action="store_true", help="print the linker's flags")


def run(arguments: argparse.Namespace) -> int:
    wants_flags = arguments.cflags or arguments.libs
    if arguments.directory is None and not wants_flags:
        print(
            "acltwin sdk: expected a directory to write to, or --cflags and --libs; for example: acltwin sdk ./sdk",
            file=sys.stderr,
        )
        return 2
    tree = installed_tree() if arguments.directory is None else write_tree(arguments.directory)
    if wants_flags:
        print(*([tree.cflags] if arguments.cflags else []), *([tree.libs] if arguments.libs else []))
        return 0
    root = tree.include.parent
    print(f"wrote {root}")
    print(f"compile:  g++ -std=c++11 program.cpp {tree.cflags} {tree.libs}")
    print(f"elsewhere, with the vendor's own build lines:  source {shlex.quote(str(root / 'set_env.sh'))}")
    return 0
