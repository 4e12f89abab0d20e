"""What is in an SDK tree: names, and the texts of its own files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from acltwin.sdk import stubs
from acltwin.sdk.stubs import Wanted
from acltwin.sdk.writing import Entry, Link

# One file stands behind all names: copies would each have a state of their own.
LIBRARY = "libacltwin.so"
LINK_NAMES = ("ascendcl", "acl_rt", "nnopbase", "opapi", "opapi_math", "opapi_nn", "opapi_cv")
# What no program links with, but some look for at run time.
RUN_TIME_NAMES = ("aclnn_ops_infer", "aclnn_ops_train", "aclnn_math", "cust_opapi")

# Those of them that programs expect operators in.
OPERATOR_NAMES = ("opapi", "opapi_math", "opapi_nn", "opapi_cv", *RUN_TIME_NAMES)

SET_ENV = """\
# Source this file: it tells compilers, build systems, the loader and Python where the SDK is.
ASCEND_HOME_PATH='{root}'
# Only bash knows where this file is, which may have been moved; an exported variable of the same name is no list.
case $(declare -p BASH_SOURCE 2>/dev/null) in
"declare -a"*) ASCEND_HOME_PATH=$(dirname -- "$(readlink -f -- "$BASH_SOURCE")") ;;
esac
export ASCEND_HOME_PATH
export ASCEND_TOOLKIT_HOME="$ASCEND_HOME_PATH"
export LD_LIBRARY_PATH="$ASCEND_HOME_PATH/lib64${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
export PYTHONPATH="$ASCEND_HOME_PATH/python/site-packages${{PYTHONPATH:+:$PYTHONPATH}}"
export CMAKE_PREFIX_PATH="$ASCEND_HOME_PATH${{CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}}"
"""

CMAKE_CONFIG = """\
# find_package(acltwin) gives the target acltwin::acltwin: headers and library.
get_filename_component(_acltwin_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET acltwin::acltwin)
  set(_acltwin_include "${_acltwin_root}/include")
  add_library(acltwin::acltwin SHARED IMPORTED)
  set_target_properties(acltwin::acltwin PROPERTIES
    IMPORTED_LOCATION "${_acltwin_root}/lib64/libacltwin.so"
    IMPORTED_SONAME "libacltwin.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_acltwin_include};${_acltwin_include}/aclnn;${_acltwin_include}/aclnnop")
  unset(_acltwin_include)
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

PYACL = '''\
"""``import acl``, as pyACL programs say it: the module acltwin.acl under that name."""

import os
import pathlib
import sys

_library = pathlib.Path(__file__).resolve().parents[3] / "lib64" / "libacltwin.so"
if not _library.is_symlink():  # a copy: the C code that loads it and this program must share one runtime
    os.environ.setdefault("ACLTWIN_LIBRARY", str(_library))

try:
    import acltwin.acl
except ImportError as error:
    raise ImportError(
        f"this 'acl' is acltwin's, and {sys.executable} cannot import acltwin ({error}); install it for this Python"
    ) from error

for _name in ("", ".constants", ".mdl", ".rt", ".util"):
    sys.modules["acl" + _name] = sys.modules["acltwin.acl" + _name]
'''


def _stubs(wanted: Wanted, own_headers: set[str], library: Path) -> Mapping[str, Entry]:
    """The library of the missing operators, under the names that programs look for operators in."""
    found: dict[str, Entry] = {f"lib64/{stubs.LIBRARY}": stubs.build(wanted.operators, library)}
    found |= {f"lib64/lib{name}.so": Link(stubs.LIBRARY) for name in OPERATOR_NAMES}
    texts = stubs.headers(wanted, own_headers)
    return found | {f"include/aclnnop/{name}": text.encode() for name, text in texts.items()}


def entries(root: Path, headers: Path, library: Path, copy: bool, wanted: Wanted | None = None) -> Mapping[str, Entry]:
    """The tree's files by name. ``copy``: the library itself instead of a link to the package's."""
    files: dict[str, Entry] = {
        f"include/{header.relative_to(headers).as_posix()}": header.read_bytes() for header in headers.rglob("*.h")
    }
    files[f"lib64/{LIBRARY}"] = library.read_bytes() if copy else Link(str(library))
    files |= {f"lib64/lib{name}.so": Link(LIBRARY) for name in (*LINK_NAMES, *RUN_TIME_NAMES)}
    if wanted is not None and wanted.operators:
        files |= _stubs(wanted, {path.name for path in (headers / "aclnnop").glob("*.h")}, library)
    cmake = "share/cmake/acltwin"  # CMake looks into share/ everywhere, into lib64/ not on Debian
    texts = {
        "set_env.sh": SET_ENV.format(root=str(root).replace("'", "'\\''")),
        f"{cmake}/acltwin-config.cmake": CMAKE_CONFIG,
        f"{cmake}/acltwin-config-version.cmake": CMAKE_VERSION.format(version=version("acltwin")),
        "python/site-packages/acl/__init__.py": PYACL,
    }
    return files | {name: text.encode() for name, text in texts.items()}
