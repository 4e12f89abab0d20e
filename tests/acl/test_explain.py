"""``acltwin explain``: every code and every rule has its story, and every story is true."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys

import pytest

from acltwin import acl, explain
from acltwin.acl import constants
from acltwin.explain.refusals import message_of
from acltwin.explain.words import VARIABLES
from acltwin.ops import INTERFACES, OpSpec
from acltwin.ops.spec import Rule
from acltwin.status import DOOR_RULES, STATUSES, Status
from support.sdk_tree import ROOT

RUNTIME = "".join(path.read_text() for path in sorted((ROOT / "native" / "runtime").glob("*.*")))


@pytest.mark.parametrize("status", STATUSES.values(), ids=lambda status: status.code)
def test_the_example_of_a_status_ends_with_it(status: Status) -> None:
    if not status.example:
        pytest.skip("cannot be had at will")
    assert acl.init() == 0  # reads the options anew: other tests have chosen some
    assert acl.finalize() == 0
    test = doctest.DocTestParser().get_doctest(status.example, {}, str(status.code), None, 0)
    out: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=out.append)
    acl.get_recent_err_msg()
    assert outcome.failed == 0, "".join(out)
    assert str(status.code) in "".join(example.want for example in test.examples)


def test_every_status_has_the_interfaces_name_and_a_whole_story() -> None:
    for status in STATUSES.values():
        assert getattr(constants, status.name) == status.code
        for text in (status.what, status.story, status.fix):
            assert text.endswith(".")


def test_every_code_that_the_library_gives_is_explained() -> None:
    named = set(re.findall(r"\b(ACL_ERROR_\w+|ACLNN_ERR_\w+)\b", RUNTIME))
    codes = {getattr(constants, name) for name in named} | {161001, 161002, 507015}
    codes |= {rule.code for spec in INTERFACES.values() for rule in spec.rules}
    assert codes == set(STATUSES)


def test_every_rule_of_the_runtime_is_explained_and_no_other() -> None:
    given = set(re.findall(r'refuse_by\(\s*"(\w+)"', RUNTIME)) | set(re.findall(r'\.rule = "(\w+)"', RUNTIME))
    of_operators = {rule.id for spec in INTERFACES.values() for rule in spec.rules}
    assert given - of_operators == set(DOOR_RULES)


def rules_of(spec: OpSpec) -> dict[str, Rule]:
    """The rules of an operator, by the topics that they are."""
    return {f"{spec.name}.{rule_id}": rule for rule in spec.rules for rule_id in (rule.id, spec.array_id(rule))}


def test_every_other_topic_has_a_text() -> None:
    for topic in set(explain.topics()).difference(*map(rules_of, INTERFACES.values())):
        text = explain.explain(topic)
        assert text is not None
        assert topic in text


@pytest.mark.parametrize("spec", INTERFACES.values(), ids=lambda spec: spec.name)
def test_every_rule_shows_its_message_and_how_to_fix_it(spec: OpSpec) -> None:
    assert rules_of(spec).keys() <= set(explain.topics())
    for topic, rule in rules_of(spec).items():
        message = message_of(spec, rule)
        ids = f"{rule.id}|{spec.array_id(rule)}"
        assert re.search(rf"\[(\d{{6}}, rule )?({ids})\]$", message), message
        assert "expected" in message
        text = explain.explain(topic)
        assert text is not None
        assert topic in text
        assert rule.sentence.split()[0] in text
        assert str(rule.code) in text
        assert ("How to fix it: " in text) == ("; " in message)
        assert "TensorCase" not in text
        assert explain.explain(message) == text  # a whole message, pasted


@pytest.mark.parametrize(
    "word",
    [
        *("0", "ACL_SUCCESS", "161002", "ACLNN_ERR_PARAM_INVALID", "aclnn_err_param_invalid", "507018"),
        *("EZ1001", "EZ9903", "EZ9999", "AclNN_Parameter_Error", "AclNN_Parameter_Error(EZ1001)"),
        *("max_unpool3d", "aclnnMaxUnpool3d", "aclnnMaxUnpool3dGetWorkspaceSize"),
        *("ACLTWIN_SOC", "ascend910b", "documented", "InvertedScaleWarning"),
        *("plain nearest", "confused-centres"),
    ],
)
def test_words_of_messages_are_known(word: str) -> None:
    text = explain.explain(word)
    assert text is not None
    assert word.casefold() in text.casefold()


def test_every_environment_variable_is_known() -> None:
    known = set(re.findall(r'"(ACLTWIN_\w+)"', (ROOT / "native" / "core" / "environment_names.cpp").read_text()))
    of_tests = {"ACLTWIN_DOCUMENTS", "ACLTWIN_STRESS_SECONDS"}
    assert known - of_tests == set(VARIABLES)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "acltwin", "explain", *words], text=True, capture_output=True)


def test_the_command() -> None:
    done = run("161002", "507015")
    assert done.returncode == 0
    assert "ACLNN_ERR_PARAM_INVALID" in done.stdout
    assert "ACL_ERROR_RT_AICORE_EXCEPTION" in done.stdout
    assert "161002  ACLNN_ERR_PARAM_INVALID" in run().stdout
    unknown = run("grad_out_dtyp")
    assert unknown.returncode == 1
    assert "grad_out_dtype" in unknown.stderr
    assert "never returns" in run("561119").stdout
