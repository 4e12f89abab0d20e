"""``acltwin sdk``: the tree that C and C++ programs are built against, like that of a CANN installation."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import acltwin
from acltwin import _core
from acltwin.sdk.contents import LIBRARY, entries
from acltwin.sdk.stubs import StubsError, Wanted, wanted_by
from acltwin.sdk.writing import FilesInTheWayError, write

__all__ = ["FilesInTheWayError", "Tree", "add_arguments", "installed_tree", "run", "write_tree"]


@dataclass(frozen=True)
class Tree:
    """Where headers and libraries are, and what to link with."""

    include: Path
    libraries: Path
    names: tuple[str, ...]

    @property
    def cflags(self) -> str:
        folders = (self.include, self.include / "aclnn", self.include / "aclnnop")
        return shlex.join(f"-I{folder}" for folder in folders)

    @property
    def libs(self) -> str:
        names = [f"-l{name}" for name in self.names]
        return shlex.join([f"-L{self.libraries}", f"-Wl,-rpath,{self.libraries}", *names])


def _headers() -> Path:
    package = Path(acltwin.__file__).resolve().parent
    for include in (package / "include", package.parent.parent / "native" / "include"):
        if (include / "acl" / "acl.h").is_file():
            return include
    raise FileNotFoundError(f"{package} has no C headers, expected include/acl/acl.h; install acltwin again")


def installed_tree() -> Tree:
    """The package itself: enough to compile and link, without the vendor's library names."""
    return Tree(_headers(), Path(_core.library_path()).resolve().parent, ("acltwin",))


def write_tree(directory: Path, *, copy: bool = False, force: bool = False, wanted: Wanted | None = None) -> Tree:
    """Write the SDK tree, over an older one if there is one; ``force`` also overwrites the files of others.

    The library is a link to the package's own file, so that a process that loads both has one runtime. ``copy`` is for
    a tree that leaves the machine. ``wanted`` are operators that the twin lacks: they are there by name only.
    """
    root = directory.resolve()
    write(root, entries(root, _headers(), Path(_core.library_path()).resolve(), copy, wanted), force)
    return Tree(root / "include", root / "lib64", ("ascendcl", "nnopbase", "opapi"))


def _directory(name: str) -> Path:
    if not name:
        raise argparse.ArgumentTypeError("expected a directory, got an empty name; use . for the current one")
    return Path(name)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory", nargs="?", type=_directory, metavar="DIR", help="where to write include/, lib64/, set_env.sh"
    )
    parser.add_argument("--copy", action="store_true", help="copy the library, for a tree that leaves this machine")
    parser.add_argument("--force", action="store_true", help="also overwrite files that acltwin did not write")
    parser.add_argument(
        "--stubs",
        nargs="+",
        default=[],
        metavar="FILE|NAME",
        help="also write the names of operators that the twin lacks: these, those of a list or a source, or those that "
        "a program or library needs",
    )
    parser.add_argument(
        "--for", nargs="+", default=[], dest="programs", metavar="FILE", help="the same, for programs as they are"
    )
    parser.add_argument("--cflags", action="store_true", help="print the compiler's flags")
    parser.add_argument("--libs", action="store_true", help="print the linker's flags")


def run(arguments: argparse.Namespace) -> int:
    wants_flags = arguments.cflags or arguments.libs
    if arguments.directory is None and not wants_flags:
        return _fail(2, "expected a directory to write to, or --cflags and --libs; for example: acltwin sdk ./sdk")
    if arguments.directory is None and (arguments.copy or arguments.force):
        return _fail(2, "--copy and --force are about a tree; say where to write it, for example: acltwin sdk ./sdk")
    words = [*arguments.stubs, *arguments.programs]
    if arguments.directory is None and words:
        return _fail(2, "--stubs and --for are about a tree; say where to write it, for example: acltwin sdk ./sdk")
    for program in arguments.programs:
        if not Path(program).is_file():
            return _fail(1, f"{program} is not there, expected a program or library; correct the path")
    try:
        wanted = wanted_by(words) if words else None
        tree = (
            installed_tree()
            if arguments.directory is None
            else write_tree(arguments.directory, copy=arguments.copy, force=arguments.force, wanted=wanted)
        )
    except (FilesInTheWayError, StubsError, OSError) as error:
        return _fail(1, str(error))
    if wants_flags:
        print(*([tree.cflags] if arguments.cflags else []), *([tree.libs] if arguments.libs else []))
        return 0
    _tell(tree)
    if wanted is not None:
        _tell_stubs(wanted)
    return 0


def _fail(status: int, sentence: str) -> int:
    print(f"acltwin sdk: {sentence}", file=sys.stderr)
    return status


def _tell_stubs(wanted: Wanted) -> None:
    if wanted.operators:
        count = len(wanted.operators)
        print(f"not in the twin, {count} operator{'s' * (count != 1)} by name only:  {', '.join(wanted.operators)}")
    else:
        print("all operators that are needed are in the twin")
    if wanted.present:
        print(f"in the twin:  {', '.join(wanted.present)}")
    if wanted.others:
        print(f"other functions that the twin lacks:  {', '.join(wanted.others)}")


def _tell(tree: Tree) -> None:
    root, library = tree.include.parent, tree.libraries / LIBRARY
    print(f"wrote {root}")
    if library.is_symlink():
        print(f"lib64/{LIBRARY} is a link to {library.readlink()}; use --copy for a tree that leaves this machine")
    print(f"compile:  g++ -std=c++11 program.cpp {tree.cflags} {tree.libs}")
    print(f"elsewhere, with the vendor's own build lines:  source {shlex.quote(str(root / 'set_env.sh'))}")
