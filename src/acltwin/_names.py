"""What is said about names that a module does not have.

People type the names of other libraries. A table answers those: by the function that does the same, or by where else
it is found. Never by a name that merely looks alike, for another algorithm gives other numbers.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from importlib.util import find_spec

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
    "nearest|upsample|interpol|resize|zoom": "nearest upsampling",
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

    if module == "acltwin.torch" and name in OPERATORS:
        return f": call torch.ops.acltwin.{name}, which is differentiable, or acltwin.{name}, which also takes out="
    meaning = Meaning(name)
    for near in difflib.get_close_matches(name, known, 1, 0.85):
        if Meaning(near) == meaning or (Meaning(near).computes(meaning) and _is_slip(name, near)):
            return f"; did you mean {near}?"
    if not meaning.algorithm:
        return f"; dir({module}) lists what it has"
    alike = [
        other
        for other in known
        if Meaning(other).computes(meaning) and Meaning(other).is_gradient == meaning.is_gradient
    ]
    if alike:
        return f"; {meaning} is {' or '.join(alike)}"
    return f": it has no {meaning}; use PyTorch's, or see dir({module})"


def _is_slip(name: str, near: str) -> bool:
    return difflib.SequenceMatcher(None, name, near).ratio() > 0.95


class Meaning:
    """What a name stands for: an algorithm, its number of axes if the name says it, and whether it is the gradient."""

    def __init__(self, name: str) -> None:
        words = _CAMEL.sub("_", name).lower()
        axes = _AXES.search(words)
        self.algorithm = next((text for word, text in _ALGORITHMS.items() if re.search(word, words)), "")
        self.axes = axes[1] if axes else ""
        self.is_gradient = "back" in words or "grad" in words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meaning) and vars(self) == vars(other)

    def computes(self, other: Meaning) -> bool:
        """Whether both are of one algorithm, on the same number of axes as far as they say it."""
        return self.algorithm == other.algorithm and (self.axes == other.axes or not self.axes or not other.axes)

    def __str__(self) -> str:
        text = f"{self.axes}-D {self.algorithm}" if self.axes else self.algorithm
        return f"the gradient of {text}" if self.is_gradient else text
