"""Every rule of every operator through the C door: refused with code and message, in order, in both profiles."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from acltwin import acl
from acltwin.ops import INTERFACES
from acltwin.ops.spec import INNER_NULL_POINTER, SOCS, CallCase, Judge, OpSpec, Rule
from support.acl_door import Door, OpenDoor, Refusal

PROFILES: tuple[Judge, ...] = ("documented", "device")
HEALED = {("padding_half", "plane_size")}  # the second one's larger kernel makes the first one's padding legal
EVERY_OPERATOR = pytest.mark.parametrize("spec", INTERFACES.values(), ids=lambda spec: spec.name)
EVERY_PROFILE = pytest.mark.parametrize("profile", PROFILES)
EVERY_RULE = pytest.mark.parametrize(
    ("spec", "profile", "rule"),
    [
        pytest.param(spec, profile, rule, id=f"{spec.name}-{profile}-{rule.id}")
        for spec in INTERFACES.values()
        for profile in PROFILES
        for rule in spec.rules_of(profile)
    ],
)


def end_of(door: Door, spec: OpSpec, call: CallCase) -> Refusal | None:
    """How a call ends. The pointers that phase 1 writes to are not arguments of the binding, so C is called itself."""
    missing = [name for name in ("workspaceSize", "executor") if name in call.arguments]
    if not missing:
        return door.run(spec, call.arguments)
    from ctypes import byref, c_uint64, c_void_p

    from acltwin.acl._library import c

    values = door.arguments(spec, call.arguments)
    outputs = {"workspaceSize": byref(c_uint64()), "executor": byref(c_void_p())}
    pointers = [None if name in missing else pointer for name, pointer in outputs.items()]
    ret = getattr(c, spec.phase1_name)(*values, *pointers)
    return Refusal(ret, acl.get_recent_err_msg()) if ret else None


@EVERY_RULE
def test_a_rule_refuses_its_example(open_door: OpenDoor, spec: OpSpec, profile: Judge, rule: Rule) -> None:
    call = spec.violating_call(rule)
    refusal = end_of(open_door(profile, call.soc), spec, call)
    assert refusal is not None
    assert (refusal.code, rule.id in refusal.message) == (rule.code, True), refusal.message
    if rule.phase == "check":
        frame = "AclNN_Inner_Error(EZ9999)" if rule.code == INNER_NULL_POINTER else "AclNN_Parameter_Error(EZ1001)"
        assert refusal.message.startswith(f"{frame}: {spec.phase1_name}: ")
    else:
        assert refusal.message.startswith("AclNN_Runtime_Error(EZ9903): aclrtSynchronizeStream: " + spec.c_name)
    assert refusal.message.endswith(f"[{rule.code}, rule {rule.id}]")
    assert "expected" in refusal.message


@EVERY_OPERATOR
@EVERY_PROFILE
def test_the_first_broken_rule_is_the_one_reported(open_door: OpenDoor, spec: OpSpec, profile: Judge) -> None:
    rules = [rule for rule in spec.rules_of(profile) if "soc" not in rule.violation]
    door = open_door(profile)
    for first, second in combinations(rules, 2):
        if first.violation.keys() & second.violation.keys() or (first.id, second.id) in HEALED:
            continue
        refusal = end_of(door, spec, spec.valid.but({**first.violation, **second.violation}))
        assert refusal is not None
        assert refusal.message.endswith(f"rule {first.id}]"), f"{first.id} before {second.id}: {refusal.message}"


@EVERY_OPERATOR
def test_what_only_the_documents_forbid_passes_on_the_device(open_door: OpenDoor, spec: OpSpec) -> None:
    for rule in spec.rules_of("documented"):
        if "device" in rule.judges:
            continue
        call = spec.violating_call(rule)
        refusal = end_of(open_door("device", call.soc), spec, call)
        assert refusal is None or not refusal.message.endswith(f"rule {rule.id}]"), refusal


@EVERY_OPERATOR
@EVERY_PROFILE
@pytest.mark.parametrize("soc", SOCS)
def test_every_soc(open_door: OpenDoor, spec: OpSpec, profile: Judge, soc: str) -> None:
    refusal = end_of(open_door(profile, soc), spec, spec.valid)
    supported = {*spec.socs, *(spec.device_socs if profile == "device" else ())}
    assert acl.get_soc_name() == soc
    if soc in supported:
        assert refusal is None
    else:
        assert refusal is not None
        assert refusal.code == 161002
        assert f"the SoC {soc} does not have this operator" in refusal.message
        assert refusal.message.endswith("rule soc]")


@EVERY_OPERATOR
@EVERY_PROFILE
def test_the_documented_samples(open_door: OpenDoor, spec: OpSpec, profile: Judge) -> None:
    door = open_door(profile)
    for sample in spec.samples:
        refusal, results = door.run_case(spec, sample.call)
        assert refusal is None, sample.title
        for result, expected in zip(results, sample.expected, strict=True):
            rounded = np.array(expected, result.dtype)
            assert np.allclose(result.ravel(), rounded, rtol=0, atol=sample.tolerance), sample.title


@EVERY_OPERATOR
def test_a_failing_first_phase_writes_nothing(door: Door, spec: OpSpec) -> None:
    for result in spec.results:
        code = spec.rule(f"{result.snake_name}_null").code
        assert door.plan(spec, {**spec.valid.arguments, result.name: None}) == (0, 0, code)


def test_unknown_settings_are_reported_and_not_guessed_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in (("ACLTWIN_PROFILE", "strict"), ("ACLTWIN_SOC", "Ascend310"), ("ACLTWIN_DEVICES", "0")):
        with monkeypatch.context() as patch:
            patch.setenv(variable, value)
            assert acl.init() == 100000
            message = acl.get_recent_err_msg()
            assert variable in message
            assert value in message
            assert "expected" in message
    assert acl.init() == 0
    assert acl.finalize() == 0


def test_more_devices_and_a_full_soc_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("ACLTWIN_DEVICES", "3")
        patch.setenv("ACLTWIN_SOC", "Ascend910_9391")
        assert acl.init() == 0
        assert acl.rt.get_device_count() == (3, 0)
        assert acl.get_soc_name() == "Ascend910_9391"
        assert acl.rt.set_device(2) == 0
        assert acl.rt.get_device() == (2, 0)
        assert acl.rt.reset_device(2) == 0
        assert acl.finalize() == 0
    assert acl.init() == 0  # reads the environment again, for whoever comes next
    assert acl.finalize() == 0
