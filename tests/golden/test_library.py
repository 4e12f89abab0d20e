"""``acltwin verify --library``: the twin beside itself, and beside a library with faults in several operators."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from acltwin import _core, golden, sdk
from acltwin.cli import main
from acltwin.golden.cases.case import Case
from acltwin.golden.run import workers
from acltwin.golden.run.calling import Answer
from acltwin.golden.run.library import LibraryTarget
from acltwin.golden.run.library.calls import CONTIGUOUS, FILLING, LAYOUTS, VIEW, lay_out, results_of, trespass, view_of
from acltwin.ops import OPERATORS
from support import registry
from support.sdk_tree import STRICT, compile_program
from support.thorough import THOROUGH

SOURCE = Path(__file__).with_name("native") / "broken_library.cpp"
GRADIENT2D = "upsample_nearest_exact2d_backward"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with the vendor's library names, and the broken library behind each of them."""
    tree = tmp_path_factory.mktemp("broken")
    sdk.write_tree(tree)
    library = tree / "lib64" / "libascendcl.so"
    library.unlink()
    rpath = f"-Wl,-rpath,{Path(_core.library_path()).parent}"
    options = ("-std=c++17", "-shared", "-fPIC", *STRICT)
    compile_program(tree, SOURCE, library, options, ("-lacltwin", "-ldl", "-Wl,--no-as-needed", rpath))
    for name in ("nnopbase", "opapi"):
        (tree / "lib64" / f"lib{name}.so").unlink()
        shutil.copy(library, tree / "lib64" / f"lib{name}.so")
    return tree


@pytest.fixture
def verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Exit status and what was printed."""

    def run(library: str | Path, *words: str) -> tuple[int, str]:
        record = ["--json", str(tmp_path / "run.json"), "--explain-seconds", "0"]
        status = main(["verify", "--library", str(library), *words, *record])
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


PACKED = {name: ("indices",) for name, spec in OPERATORS.items() if spec.family == "masked_pool"}
Verify = Callable[..., tuple[int, str]]
ONE = ("--level", "quick", "--dtype", "float32", "--fill", "coded")


def test_the_twin_agrees_with_itself_behind_the_vendors_names(verify: Verify, tmp_path: Path) -> None:
    sdk.write_tree(tmp_path / "sdk")
    some = [] if THOROUGH else ["--dtype", "float32", "--dtype", "float16"]
    status, printed = verify(tmp_path / "sdk", "all", "--level", "quick", *some)
    assert status == 0, printed
    lines = printed.splitlines()
    lines = [line for line in lines if "rule self_soc_dtype" not in line]  # both refuse what the SoC does not have
    assert len(lines) == len(OPERATORS), printed  # no note, no warning
    soc = "Ascend910B"
    for line in lines:
        arguments = OPERATORS[line.split()[0]].arguments
        assert "passed" in line, printed
        assert ("skipped" in line) == any((soc, "float16") in one.lacking for one in arguments), printed


def test_bytes(verify: Verify) -> None:
    """Only operators whose documents know them, on this SoC, are asked."""
    first = {name: spec.arguments[0] for name, spec in OPERATORS.items()}
    names = [n for n, a in first.items() if "uint8" in a.dtypes and ("Ascend910B", "uint8") not in a.lacking]
    status, printed = verify(_core.library_path(), *names, "--level", "quick", "--dtype", "uint8")
    assert status == 0, printed
    assert len(printed.splitlines()) == printed.count("passed") == len(names) > 1, printed


def test_all_operators_are_asked_for_the_dtypes_they_have(verify: Verify) -> None:
    status, printed = verify(_core.library_path(), "all", "--level", "quick", "--dtype", "uint8", "--only", "factor2/")
    assert status == 0, printed
    assert "upsample_nearest2d " in printed
    assert "bilinear" not in printed
    status, printed = verify(_core.library_path(), "all", "--dtype", "int7")
    assert status == 2
    assert "has no int7" in printed


def test_channels_last(verify: Verify) -> None:
    with_formats = [name for name, spec in OPERATORS.items() if len(spec.data_formats) > 1]
    names = ("frac-up", "dropped", "overlap", "uneven")
    only = [word for name in names for word in ("--only", f"{name}-last/")]
    status, printed = verify(_core.library_path(), *with_formats, "--dtype", "float32", *only)
    assert status == 0, printed
    lines = [line for line in printed.splitlines() if "both libraries refuse" not in line]  # the SoC has not all
    assert len(lines) == len(with_formats), printed


def test_a_wrong_byte_is_found(verify: Verify, broken: Path) -> None:
    status, printed = verify(broken, GRADIENT2D, *ONE)
    assert status == 1
    assert "8 cases   failed 8" in printed
    assert f"next    acltwin verify {GRADIENT2D} --only " in printed
    assert f" --library {broken} " in printed


def test_both_messages_are_printed_when_statuses_differ(verify: Verify, broken: Path) -> None:
    status, printed = verify(broken, "max_unpool3d", *ONE)
    assert status == 1
    returned = "aclnnMaxUnpool3dGetWorkspaceSize returned 161002: unpooling is closed today"
    assert f"contiguous: the twin: succeeded; {broken}: {returned}" in printed


def test_what_both_refuse_is_skipped_and_says_why(broken: Path) -> None:
    """Indices of a type that the twin refuses with the status that the broken library always returns."""
    case = golden.cases("max_unpool3d", level="quick", dtypes=("float32",), fills=("coded",))[0]
    tensors = {name: tensor.astype(np.int16) if name == "indices" else tensor for name, tensor in case.inputs().items()}
    shaped = replace(case, make=lambda: tensors)
    answer = answered(broken, shaped)
    assert answer.status == "skipped"  # both refuse, with the same status
    assert answer.problem is not None
    assert "unpooling is closed today" in answer.problem


def test_a_crash_is_an_error_of_its_case_and_the_next_one_runs(verify: Verify, broken: Path) -> None:
    status, printed = verify(broken, "max_unpool3d_backward", "max_pool3d_with_argmax_backward", *ONE)
    assert status == 3
    assert f"{broken} ended its process: signal 6 (Aborted)" in printed
    assert "max_pool3d_with_argmax_backward" in printed.splitlines()[-1]
    assert "passed" in printed.splitlines()[-1]


def test_a_result_that_is_not_written_is_what_was_there(broken: Path) -> None:
    case = golden.cases("upsample_nearest3d", level="quick", dtypes=("float32",), fills=("coded",))[0]
    answer = answered(broken, case)
    assert set(answer.outputs[0].tobytes()) == {FILLING}
    assert not case.judge(answer.outputs[0]).passed


def test_workspace_sizes_are_reported_and_no_fault(verify: Verify, broken: Path) -> None:
    status, printed = verify(broken, "upsample_nearest_exact2d", *ONE)
    assert status == 0
    assert f"note    workspace: the twin 0 bytes, {broken} 1024 (in 8 cases)" in printed


def test_a_fault_of_views_alone_is_found(verify: Verify, broken: Path) -> None:
    status, printed = verify(broken, "upsample_nearest3d_backward", *ONE)
    assert status == 1
    assert "8 cases   failed 8" in printed


@pytest.mark.parametrize(
    ("operator", "problem"),
    [
        ("upsample_nearest_exact3d_backward", f"{VIEW}: {{}} wrote memory of gradInput that is outside of the tensor"),
        ("upsample_nearest_exact3d", f"{CONTIGUOUS}: {{}} wrote its input self; inputs must stay as they are"),
    ],
)
def test_memory_that_is_not_the_results_stays_as_it_was(
    verify: Verify, broken: Path, operator: str, problem: str
) -> None:
    status, printed = verify(broken, operator, *ONE)
    assert status == 1
    assert problem.format(broken) in printed


def test_differing_bits_are_a_warning_or_a_failure(verify: Verify, broken: Path) -> None:
    request = ("max_pool3d_with_argmax", "--level", "quick", "--dtype", "float32", "--only", "apart/", "--repeat", "2")
    status, printed = verify(broken, *request)
    assert status == 0
    assert "warning contiguous: not deterministic: the same inputs gave different bits" in printed
    status, printed = verify(broken, *request, "--deterministic")
    assert status == 1
    assert "not deterministic" in printed


def test_a_library_that_computes_on_the_host_can_be_refused(verify: Verify, broken: Path) -> None:
    status, printed = verify(broken, "upsample_nearest_exact2d", *ONE, "--require-device", "npu")
    assert status == 1
    assert "8 cases   failed 8   on cpu, as Ascend910B" in printed
    assert "the result is on cpu, as Ascend910B, expected npu" in printed
    assert verify(broken, "upsample_nearest_exact2d", *ONE, "--require-device", "cpu")[0] == 0


def test_the_record_keeps_the_notes(verify: Verify, broken: Path, tmp_path: Path) -> None:
    verify(broken, "upsample_nearest_exact2d", *ONE)
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["records"][0]["verdict"]["notes"] == [f"workspace: the twin 0 bytes, {broken} 1024"]
    assert golden.Run.from_json(written).records[0].verdict.notes == (f"workspace: the twin 0 bytes, {broken} 1024",)


@pytest.mark.parametrize(
    ("library", "message"),
    [
        ("/no/such/place", "--library is '/no/such/place', expected a library, a directory with libraries, or 'cann'"),
        ("cann", "--library is 'cann', but neither ASCEND_HOME_PATH nor ASCEND_TOOLKIT_HOME is set"),
        (str(SOURCE.parent), f"{SOURCE.parent} has no libascendcl.so or libacl_rt.so; point --library at"),
    ],
)
def test_a_wrong_choice_is_refused(verify: Verify, library: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for root in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        monkeypatch.delenv(root, raising=False)
    status, printed = verify(library, GRADIENT2D, *ONE)
    assert status == 2
    assert message in printed


def test_a_file_that_is_no_library_cannot_be_loaded(verify: Verify) -> None:
    status, printed = verify(SOURCE, GRADIENT2D, *ONE)
    assert status == 3
    assert "cannot be loaded" in printed
    assert "invalid ELF header" in printed


def test_arguments_that_are_left_out_have_the_array_functions_defaults() -> None:
    """A stride that is not given: empty where the document takes that, else ones, which unpooling does not look at."""
    image = np.arange(2 * 4 * 4 * 4, dtype=np.float32).reshape(1, 2, 4, 4, 4)
    pooled = Case.of("max_pool3d_with_argmax", {"input": image}, {"kernel_size": 2})
    call = lay_out(pooled, CONTIGUOUS).call
    assert call.arguments[1:6] == ((2, 2, 2), (), (0, 0, 0), (1, 1, 1), False)
    window = {"pooled": np.ones((1, 1, 1, 1, 2), np.float32), "indices": np.array([0, 3]).reshape(1, 1, 1, 1, 2)}
    names = [argument.python_name for argument in OPERATORS["max_unpool3d"].inputs if argument.kind == "tensor"]
    tensors = dict(zip(names, window.values(), strict=True))
    undone = Case.of("max_unpool3d", tensors, {"output_size": (1, 1, 4)})
    assert lay_out(undone, CONTIGUOUS).call.arguments[2:5] == ((1, 1, 4), (1, 1, 1), (0, 0, 0))
    for case in (pooled, undone):
        answer = answered(Path(_core.library_path()), case)
        assert answer.status == "answered"
        case.check(answer.outputs)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operator", registry.representatives())
def test_layouts(operator: str, layout: str) -> None:
    case = golden.cases(operator, level="quick", dtypes=("float16",), fills=("special",))[0]
    laid = lay_out(case, layout)
    for block in laid.call.blocks:
        view = view_of(block, laid.data)
        assert (block.offset > 0) == (layout == VIEW)
        if block.is_result:
            assert set(view.tobytes()) == {FILLING}
            view[...] = 1
        else:
            name = next(a.python_name for a in case.spec.arguments if a.name == block.name)
            assert view.tobytes() == case[name].tobytes()
            assert view.flags.c_contiguous == (layout == CONTIGUOUS or name in PACKED.get(operator, ()))
    assert trespass(laid.call, laid.data) is None
    assert all((result == 1).all() for result in results_of(laid.call, laid.data))
    if layout == VIEW:
        result = next(block for block in laid.call.blocks if block.is_result)
        laid.data[result.start] = 0
        assert trespass(laid.call, laid.data) == result.name


def answered(library: Path, case: Case) -> Answer:
    [(_, answer)] = workers.answers([case], LibraryTarget(str(library)))
    return answer
