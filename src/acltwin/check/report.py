"""The findings of a log, read while the program still writes it: each printed once, with its functions and lines."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from acltwin.check.findings import FINDINGS, KINDS
from acltwin.check.program import ProgramError
from acltwin.check.suppressions import Suppression
from acltwin.check.symbols import resolved
from acltwin.check.text import as_text, calls_of, failures, key_of, summary

Finding = dict[str, Any]


class Report:
    def __init__(self, log: Path, kinds: Collection[str], suppressions: Sequence[Suppression]) -> None:
        self.findings: list[Finding] = []
        self.suppressed = 0
        self._log, self._kinds, self._suppressions = log, kinds, suppressions
        self._read = 0  # bytes of the log
        self._is_broken = False
        self._known: dict[str, Finding] = {}  # by what the library wrote, without the count
        self._by_lines: dict[str, Finding] = {}

    def read_on(self) -> None:
        """Print what the library has written since.

        A line that a dying program left unfinished is no finding.
        """
        if not self._log.exists():
            return
        with self._log.open("rb") as file:
            file.seek(self._read)
            lines, newline, _ = file.read().rpartition(b"\n")
        self._read += len(lines + newline)
        for line in lines.split(b"\n") if newline else []:
            if (remark := _remark(line)) is not None:
                print(f"acltwin check: {remark}", file=sys.stderr, flush=True)
            elif (finding := _parsed(line)) is None:
                self._is_broken = True  # reported at the end: the program still runs
            else:
                self._add(finding)

    def finish(self) -> None:
        self.read_on()
        if self._is_broken:
            expected = "expected the file of ACLTWIN_CHECK_LOG, written by nothing else"
            raise ProgramError(f"'{self._log}' has a line that is no finding; {expected}")
        for line in filter(None, (failures(self.findings), summary(self.findings, self.suppressed))):
            print(line, file=sys.stderr)

    def _add(self, raw: Finding) -> None:
        key = json.dumps({**raw, "count": 0})
        if key in self._known:  # at its end a program writes those again that it had several times
            self._known[key]["count"] += raw["count"] - 1
            return
        finding = _with_lines(raw)
        first = self._by_lines.setdefault(key_of(finding), finding)
        self._known[key] = first
        if first is not finding:  # the compiler has made several places of one line
            first["count"] += raw["count"]
            return
        if finding["kind"] not in self._kinds:
            return
        if any(one.matches(finding, _frames(finding)) for one in self._suppressions):
            self.suppressed += 1
            return
        self.findings.append(finding)
        print(as_text(finding), file=sys.stderr, flush=True)


def _remark(line: bytes) -> str | None:
    """A sentence about the run that is no finding."""
    with contextlib.suppress(ValueError, TypeError, KeyError):
        remark = json.loads(line.decode(errors="replace"))["remark"]
        return remark if isinstance(remark, str) else None
    return None


def _parsed(line: bytes) -> Finding | None:
    try:
        finding: Finding = json.loads(line.decode(errors="replace"))
        as_text(finding)  # all that is needed is there
        if finding["id"] in FINDINGS and finding["kind"] in KINDS and finding["count"] > 0:
            return finding
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    return None


def _frames(finding: Finding) -> list[dict[str, Any]]:
    return [frame for call in calls_of(finding) for frame in call["site"]]


def _with_lines(raw: Finding) -> Finding:
    finding: Finding = json.loads(json.dumps(raw))
    calls = calls_of(finding)
    for call, site in zip(calls, resolved(call["site"] for call in calls), strict=True):
        call["site"] = site
    return finding
