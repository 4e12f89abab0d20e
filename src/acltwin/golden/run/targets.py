"""What is tested: a function, a function by its name, a program, or files that somebody else's program wrote."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from acltwin.golden.cases.case import Case, Kind
from acltwin.golden.files import tensors as files
from acltwin.golden.run.calling import Answer, Caller, Conduct, Convention, caller, guarded_call, kind_of, repeated
from acltwin.golden.run.processes import reason_of_end, run_program


class Target(Protocol):
    """``open`` is called once in the process that runs the cases; what it returns answers them."""

    @property
    def name(self) -> str: ...

    def files(self) -> list[Path]:
        """What holds the kernel; some of them may not exist."""

    def open(self) -> Callable[[Case], Answer]: ...


@dataclass(frozen=True)
class FunctionTarget:
    """A Python callable."""

    function: Callable[..., Any]
    kind: Kind | None = None
    call: Caller | None = None
    convention: Convention = "acltwin"
    conduct: Conduct = field(default_factory=Conduct)

    @property
    def name(self) -> str:
        module = getattr(self.function, "__module__", None) or type(self.function).__module__
        return f"{module}:{getattr(self.function, '__qualname__', type(self.function).__name__)}"

    def files(self) -> list[Path]:
        try:
            return [Path(inspect.getfile(inspect.unwrap(self.function)))]
        except (TypeError, OSError):  # built in, or a callable object
            return []

    def open(self) -> Callable[[Case], Answer]:
        call = self.call or caller(self.function, self.convention)
        conduct = replace(self.conduct, kind=self.kind or kind_of(self.function))
        return lambda case: guarded_call(self.function, call, case, conduct)


@dataclass(frozen=True)
class NamedTarget:
    """``module:function`` or ``file.py:function``; imported only in the process that runs it."""

    name: str
    kind: Kind | None = None
    convention: Convention = "acltwin"
    conduct: Conduct = field(default_factory=Conduct)

    def files(self) -> list[Path]:
        home = self.name.rpartition(":")[0]
        if home.endswith(".py"):
            return [Path(home)]
        loaded = getattr(sys.modules.get(home), "__file__", None)
        return [Path(loaded or home.replace(".", "/") + ".py")]

    def open(self) -> Callable[[Case], Answer]:
        return FunctionTarget(load(self.name), self.kind, None, self.convention, self.conduct).open()


def load(name: str) -> Callable[..., Any]:
    """The function that ``module:function`` or ``file.py:function`` names; ValueError if there is none."""
    home, _, attribute = name.rpartition(":")
    if not home or not attribute:
        raise ValueError(f"{name!r} names no function; expected module:function or file.py:function")
    if home.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(home).stem, home)
        if spec is None or spec.loader is None or not Path(home).is_file():
            raise ValueError(f"there is no file {home}")
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(spec.name, module)
        sys.path.insert(0, str(Path(home).resolve().parent))
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, "")
        module = importlib.import_module(home)
    function: Any = module
    for part in attribute.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        raise ValueError(f"{home} has no function {attribute}")
    return function  # type: ignore[no-any-return]


@dataclass(frozen=True)
class CommandTarget:
    """A program, run once per case: ``{inputs}`` is a directory of tensors, ``{output}`` where the result belongs.

    ``{inputs}`` holds one file per tensor and ``case.json`` with the name and the arguments. ``{output}`` is a file
    that exists already, full of NaN; of several results a directory of ``out0.npy``, ``out1.npy``. What the program
    leaves running when it ends is ended as well.
    """

    command: str
    timeout: float | None = None
    conduct: Conduct = field(default_factory=Conduct)
    file_format: str = "npy"

    @property
    def name(self) -> str:
        """The command without the places that differ from case to case."""
        return " ".join(word for word in shlex.split(self.command) if word not in ("{inputs}", "{output}"))

    def files(self) -> list[Path]:
        """The program and those of its words that are files: a script, a library."""
        words = shlex.split(self.command)
        program = shutil.which(words[0]) if words else None
        return [Path(program or words[0]), *map(Path, words[1:])] if words else []

    def open(self) -> Callable[[Case], Answer]:
        return lambda case: repeated(lambda: self._once(case), self.conduct)

    def _once(self, case: Case) -> Answer:
        with tempfile.TemporaryDirectory(prefix="acltwin-") as place:
            inputs, outputs = Path(place, "inputs"), Path(place, "outputs")
            files.write_inputs(case, inputs, self.file_format)
            blanks = files.write_blank_outputs(case, outputs, self.file_format)
            shown = str(blanks[0].path) if len(blanks) == 1 else str(outputs)
            words = [
                word.replace("{inputs}", str(inputs)).replace("{output}", shown) for word in shlex.split(self.command)
            ]
            try:
                done = run_program(words, self.timeout)
            except OSError as error:
                return Answer("error", problem=f"{words[0]} cannot be run: {error.strerror}")
            if done.status is None:
                return Answer("error", problem=f"no answer after {self.timeout:g} s; the program was ended")
            if done.status:
                tail = " | ".join(done.words.splitlines()[-3:])
                return Answer("error", problem=f"{reason_of_end(done.status)}: {tail}")
            untouched = [blank.path.name for blank in blanks if blank.is_untouched()]
            if untouched:
                problem = f"the program ended with status 0 and did not write its output, {' and '.join(untouched)}"
                return Answer("failed", problem=problem)
            return _answer_in(case, [blank.path for blank in blanks])


@dataclass(frozen=True)
class OutputsTarget:
    """Results in files: ``DIR/outputs/<case>/out.npy``, or ``DIR/<case>/out.npy``; also .bin and .pt."""

    directory: Path

    @property
    def name(self) -> str:
        return str(self.directory)

    def files(self) -> list[Path]:
        return []  # of the results: what made them is not known

    def open(self) -> Callable[[Case], Answer]:
        return self._read

    def _read(self, case: Case) -> Answer:
        folders = [case.name, f"{case.operator}__{case.name}"]
        places = [
            place / files.directory_name(folder)
            for place in (self.directory / "outputs", self.directory)
            for folder in folders
        ]
        names = files.result_names(case)
        for place in places:
            paths = [files.existing(place, name) for name in names]
            if all(path.is_file() for path in paths):
                return _answer_in(case, paths)
        missing = next(name for name in names if not files.existing(places[0], name).is_file())
        return Answer("skipped", problem=f"there is no {places[0] / missing}.npy, .bin or .pt")


def _answer_in(case: Case, paths: list[Path]) -> Answer:
    outputs = []
    for path, (dtype, shape) in zip(paths, case.result_shapes(), strict=True):
        try:
            outputs.append(files.load_result(path, dtype, shape))
        except ValueError as error:
            return Answer("failed", problem=str(error))
    return Answer("answered", tuple(outputs), device="file")
