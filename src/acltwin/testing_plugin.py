"""The pytest plugin: options, cases as parameters, and what a failing case leaves behind.

Registered as ``acltwin`` under the entry point ``pytest11``. It imports nothing of the library before a test uses it.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from acltwin.golden.cases.case import Case
    from acltwin.golden.judge.verdict import Record

MARK = "acltwin_cases"
FAILED = Path(".acltwin", "failed")
_RECORDS = "acltwin_records"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("acltwin", "golden cases of acltwin")
    group.addoption("--acltwin-level", default="quick", choices=("quick", "default", "full"), help="which cases to run")
    group.addoption("--acltwin-seed", default=0, type=int, help="seed of the cases' data")
    group.addoption("--acltwin-report", metavar="FILE.html", help="write a report of all cases that were checked")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}(operator, **options): one test per golden case of an operator")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for mark in metafunc.definition.iter_markers(MARK):
        from acltwin.golden import cases

        options = {
            "level": metafunc.config.getoption("--acltwin-level"),
            "seed": metafunc.config.getoption("--acltwin-seed"),
            **mark.kwargs,
        }
        chosen = cases(*mark.args, **options)
        metafunc.parametrize("case", chosen, ids=[case.name for case in chosen])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Notes every output that the test judges, so that a failure can be written down and reported."""
    case = getattr(item, "callspec", None) and item.callspec.params.get("case")  # type: ignore[attr-defined]
    if not item.get_closest_marker(MARK) and not _is_case(case):
        return (yield)
    from acltwin.golden.judge.judge import noting

    noted: list[Record] = []
    with noting(noted):
        try:
            return (yield)
        finally:
            item.user_properties += [(_RECORDS, _as_json(record)) for record in noted]
            for record in noted:
                if not record.verdict.passed:
                    try:
                        _write_failure(record, item.config.rootpath / FAILED)
                    except OSError as error:  # a full disk does not change why the test fails
                        item.warn(pytest.PytestWarning(f"acltwin: {error}"))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    path = config.getoption("--acltwin-report")
    if not path:
        return
    from acltwin.golden.run.run import Run, record_from_json
    from acltwin.golden.run.verify import explain_run

    records = [
        record_from_json(value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == _RECORDS
    ]
    run = Run("pytest", seed=config.getoption("--acltwin-seed"), level=config.getoption("--acltwin-level"))
    run.records = records
    explain_run(run, 10.0)
    try:
        run.to_html(path)
    except OSError as error:
        terminalreporter.write_line(f"acltwin: {error}")
        return
    terminalreporter.write_line(f"acltwin: report of {len(records)} checks written to {path}")


def _is_case(value: Any) -> bool:
    return type(value).__module__ == "acltwin.golden.cases.case"


def _as_json(record: Record) -> dict[str, Any]:
    from acltwin.golden.run.run import record_to_json

    return record_to_json(record, True)


def _write_failure(record: Record, place: Path) -> None:
    """The case for ``acltwin compare``: inputs, what was found and what was expected."""
    from acltwin._writing import write_text
    from acltwin.golden.files import tensors as files

    case: Case = record.case
    folder = place / files.directory_name(f"{case.operator}/{case.name}")
    files.write_inputs(case, folder)
    for number, output in enumerate(record.output or ()):
        files.save_array(folder / f"found{number or ''}.npy", output)
    expected = case.expected()
    files.save_array(folder / "expected.npy", expected.value)
    write_text(folder / "verdict.txt", record.verdict.text() + "\n")
