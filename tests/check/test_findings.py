"""The table of findings: complete on every side, and explained."""

from __future__ import annotations

import pytest

from acltwin import cli, explain
from acltwin.check.findings import FINDINGS, KINDS
from acltwin.check.stories import STORIES


def test_each_finding_has_a_story_and_no_story_is_left_over() -> None:
    assert set(FINDINGS) == set(STORIES)
    assert tuple(dict.fromkeys(finding.kind for finding in FINDINGS.values())) == KINDS


@pytest.mark.parametrize("name", FINDINGS)
def test_explained(name: str) -> None:
    text = explain.explain(name)
    assert text is not None
    assert text.startswith(f"{name}  (a finding of 'acltwin check')\n")
    assert "\nOn a device:   " in text
    assert "\nHow to fix it: " in text


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_lists_its_findings(kind: str) -> None:
    text = explain.explain(kind)
    assert text is not None
    assert text.count(f"    {kind}.") == sum(finding.kind == kind for finding in FINDINGS.values())


def test_a_finding_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "race.kernel-and-copies"]) == 1
    assert "race.kernel-and-copy" in capsys.readouterr().err
