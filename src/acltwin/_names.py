"""What is said about names that a module does not have.

People type the names of other libraries. A table answers those: by the function that does the same, or by where else
it is found. Never by a name that merely looks alike, for another algorithm gives other numbers.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

# The words of a name that say what is computed, and what that is called. The first match wins.
_ALGORITHMS = {
    "adaptive_?avg": "adaptive average pooling",
    "adaptive_?max": "adaptive max pooling",
    "avg|average|mean": "average pooling",
    "fractional": "fractional max pooling",
    "lp_?pool": "power-average pooling",
    "tri_?linear": "trilinear upsampling",
    "bi_?linear": "bilinear upsampling",
    "linear": "linear upsampling",
    "cubic": "bicubic upsampling",
    "lanczos": "Lanczos resampling",
    "area": "area resampling",
    "unpool": "max unpooling",
    "max_?pool|argmax": "max pooling",
    "exact": "nearest-exact upsampling",
    "nearest": "nearest upsampling",
    "upsample|interpol|resize|zoom": "upsampling",
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_AXES = re.compile(r"([1-3])_?d")


def absent(name: str, known: Iterable[str], module: str = "acltwin") -> AttributeError:
    if name.startswith("_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    if module == "acltwin" and find_spec(f"acltwin.{name}") is not None:
        return AttributeError(f"acltwin.{name} is not imported; write 'import acltwin.{name}' first", name=name)
    return AttributeError(f"{module} has no {name!r}{_answer(name, sorted(known), module)}", name=name)


def _answer(name: str, known: list[str], module: str) -> str:
    from acltwin.ops import OPERATORS

    of_torch = module == "acltwin.torch"
    if of_torch and name in OPERATORS:
        return f": call torch.ops.acltwin.{name}, which is differentiable, or acltwin.{name}, which also takes out="
    meaning = Meaning(name)
    for near in difflib.get_close_matches(name, known, 1, 0.85):
        other = Meaning(near)
        if other == meaning or (
            _is_slip(name, near) and (other.computes(meaning) or meaning.algorithm == "upsampling")
        ):
            return f"; did you mean {near}?"
    if not meaning.algorithm:
        return f"; dir({module}) lists what it has"
    drop_in = "" if of_torch or name not in _drop_ins() else f"; for PyTorch tensors there is acltwin.torch.{name}"
    if meaning.algorithm == "upsampling" and not of_torch:
        return f"; its upsampling functions are named by mode and axes, such as {_first_of_each(known)}{drop_in}"
    if of_torch and meaning.algorithm.endswith("upsampling") and meaning.among([*OPERATORS, "upsample"]):
        return f"; {meaning} is interpolate(mode=...) or, without an edit, torch's own inside replaced()"
    if alike := meaning.among(known):
        return f"; {meaning} is {' or '.join(alike)}{drop_in}"
    if of_torch and (alike := meaning.among(OPERATORS)):
        calls = " or ".join(f"torch.ops.acltwin.{other}" for other in alike)
        return f"; {meaning} is {calls} or, without an edit, torch's own inside replaced()"
    elsewhere = drop_in or f"; use PyTorch's, or see dir({module})"
    return f": it has no {meaning}{elsewhere}"


def _first_of_each(known: list[str]) -> str:
    """The first upsampling of every mode."""
    first: dict[str, str] = {}
    for name in known:
        meaning = Meaning(name)
        if meaning.algorithm.endswith("upsampling") and not meaning.is_gradient:
            first.setdefault(meaning.algorithm, name)
    return ", ".join(first.values())


def _drop_ins() -> set[str]:
    """What acltwin.torch has, read from its file: PyTorch need not be there."""
    text = Path(__file__).with_name("torch").joinpath("__init__.py").read_text(encoding="utf-8")
    return set(re.findall(r'^    "(\w+)",$', text, re.MULTILINE))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean avg_pool2d or avg_pool3d?``, or nothing where no name looks alike."""
    names = list(known)
    longer = [other for other in names if name and other.startswith(name)]
    shortest = min(map(len, longer), default=0)
    near = [other for other in longer if len(other) <= shortest + 2]
    if not 0 < len(near) <= 3:
        near = difflib.get_close_matches(name, names, 1, 0.75)
    return f"did you mean {' or '.join(near)}?" if near else ""


def _is_slip(name: str, near: str) -> bool:
    return difflib.SequenceMatcher(None, name, near).ratio() > 0.95


class Meaning:
    """What a name stands for: an algorithm, its number of axes if the name says it, and whether it is the gradient."""

    def __init__(self, name: str) -> None:
        from acltwin.ops import OPERATORS

        words = _CAMEL.sub("_", name).lower()
        axes = _AXES.search(words)
        self.algorithm = next((text for word, text in _ALGORITHMS.items() if re.search(word, words)), "")
        self.axes = axes[1] if axes else ""
        if name in OPERATORS:  # max_pool has two, and does not say so
            self.axes = str(len(OPERATORS[name].axes))
        self.is_gradient = "back" in words or "grad" in words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meaning) and vars(self) == vars(other)

    def computes(self, other: Meaning) -> bool:
        """Whether both are of one algorithm, on the same number of axes as far as they say it."""
        return self.algorithm == other.algorithm and (self.axes == other.axes or not self.axes or not other.axes)

    def among(self, names: Iterable[str]) -> list[str]:
        """Those that compute it."""
        meanings = ((name, Meaning(name)) for name in names)
        return [name for name, other in meanings if other.computes(self) and other.is_gradient == self.is_gradient]

    def __str__(self) -> str:
        text = f"{self.axes}-D {self.algorithm}" if self.axes else self.algorithm
        return f"the gradient of {text}" if self.is_gradient else text
