"""Golden cases in tests: assertions, and pytest parameters named after the cases.

::

    import acltwin.testing

    acltwin.testing.assert_matches(actual, "upsample_nearest3d_backward", grad_out, output_size, input_size)
    acltwin.testing.verify(my_kernel, "max_pool3d_with_argmax_backward", level="quick")

    @acltwin.testing.cases("max_unpool3d_backward", level="quick")
    def test_my_kernel(case):
        case.check(my_kernel(**case.inputs(), **case.arguments))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import Array, to_numpy
from acltwin.golden.cases.family import resolve
from acltwin.golden.run.run import Run
from acltwin.golden.run.verify import verify as run_cases
from acltwin.ops import OPERATORS

if TYPE_CHECKING:
    import pytest

__all__ = ["assert_matches", "cases", "verify"]


def assert_matches(
    actual: Any, operator: str, *arguments: Any, rule: str = "bound", map_rule: str = "device", **named: Any
) -> None:
    """AssertionError unless ``actual`` is what ``acltwin.<operator>(*arguments, **named)`` may give.

    The expected result is computed from these inputs, in float64; ``rule`` is ``"bound"`` or a vendor rule.
    """
    case = _case(resolve(operator), arguments, named, map_rule)
    case.check(actual, rule)


def verify(kernel: Callable[..., Any], operator: str, **options: Any) -> Run:
    """``golden.verify``; AssertionError, with what it prints, unless every case passes and at least one was run."""
    run = run_cases(kernel, operator, **options)
    if not run.passed:
        raise AssertionError(run.text())
    return run


def cases(operator: str | Sequence[Case], **options: Any) -> pytest.MarkDecorator:
    """A pytest decorator: one test per case, named after it, with the argument ``case``.

    ``options`` are those of ``golden.cases``; the defaults are ``--acltwin-level`` and ``--acltwin-seed``.
    """
    import pytest

    if isinstance(operator, str):
        resolve(operator)  # a wrong name is refused where it is written
        return pytest.mark.acltwin_cases(operator, **options)
    return pytest.mark.parametrize("case", list(operator), ids=[case.name for case in operator])


def _case(operator: str, arguments: tuple[Any, ...], named: dict[str, Any], map_rule: str) -> Case:
    spec = OPERATORS[operator]
    names = [argument.python_name for argument in spec.inputs]
    if len(arguments) > len(names):
        raise TypeError(f"{operator} takes {len(names)} arguments, got {len(arguments)}: {', '.join(names)}")
    given = {**dict(zip(names, arguments, strict=False)), **named}
    tensors: dict[str, Array] = {}
    for argument in spec.inputs:
        if argument.kind == "tensor":
            if argument.python_name not in given:
                raise TypeError(f"{operator} needs {argument.python_name}; got {', '.join(given)}")
            tensors[argument.python_name] = to_numpy(given.pop(argument.python_name))
    return Case.of(operator, tensors, given, map_rule=map_rule)
