"""Writing a tree: over an older one, never over the files of others, and with a sentence where it cannot be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from acltwin import sdk
from support.sdk_tree import sdk_command

HEADER = "include/acl/acl.h"


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_the_command_writes_over_an_older_tree(tmp_path: Path) -> None:
    for words in ([], [], ["--copy"], []):
        done = sdk_command(tmp_path, *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"wrote {tmp_path}" in done.stdout
        assert (tmp_path / "lib64" / "libacltwin.so").is_symlink() == (not words)
        assert ("--copy for a tree that leaves" in done.stdout) == (not words)
    assert (tmp_path / "lib64" / "libopapi.so").is_symlink()


def test_what_an_older_release_wrote_and_this_one_does_not_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("acltwin.sdk.contents.RUN_TIME_NAMES", ("of_old", "kept"))
        sdk.write_tree(tmp_path)
    (tmp_path / "lib64" / "libkept.so").unlink()
    (tmp_path / "lib64" / "libkept.so").write_text("the user's own")
    sdk.write_tree(tmp_path)
    assert not (tmp_path / "lib64" / "libof_old.so").is_symlink()
    assert (tmp_path / "lib64" / "libkept.so").read_text() == "the user's own"


@pytest.mark.parametrize("name", [HEADER, "lib64/libopapi.so", "set_env.sh"])
@pytest.mark.parametrize("after_a_tree", [False, True])
def test_files_of_others_stay_unless_forced(tmp_path: Path, name: str, after_a_tree: bool) -> None:
    if after_a_tree:
        sdk.write_tree(tmp_path)
        (tmp_path / name).unlink()
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("another's")
    before = contents(tmp_path)
    done = sdk_command(tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert all(word in line for word in (str(tmp_path), name, "did not write", "--force"))
    assert contents(tmp_path) == before, "nothing at all was written"
    assert sdk_command(tmp_path, "--force").returncode == 0
    assert (tmp_path / name).read_bytes() != b"another's"


def test_many_files_in_the_way_are_counted(tmp_path: Path) -> None:
    sdk.write_tree(tmp_path)
    for header in (tmp_path / "include").rglob("*.h"):
        header.write_text("another's")
    with pytest.raises(sdk.FilesInTheWayError, match=r"include/acl/acl.h, .*, .* and \d+ more; "):
        sdk.write_tree(tmp_path)


def test_files_beside_the_tree_are_nobodys_business(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "mine.h").write_text("mine")
    sdk.write_tree(tmp_path)
    sdk.write_tree(tmp_path)
    assert (tmp_path / "include" / "mine.h").read_text() == "mine"


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    """What a link points to may be the library of a CANN installation."""
    vendors = tmp_path / "vendors.so"
    vendors.write_text("the vendor's")
    (tmp_path / "sdk" / "lib64").mkdir(parents=True)
    (tmp_path / "sdk" / "lib64" / "libopapi.so").symlink_to(vendors)
    sdk.write_tree(tmp_path / "sdk", force=True)
    assert vendors.read_text() == "the vendor's"


def test_a_broken_record_counts_as_none(tmp_path: Path) -> None:
    for text in ("{oops", "[]"):
        sdk.write_tree(tmp_path)
        (tmp_path / ".acltwin-sdk.json").write_text(text)
    sdk.write_tree(tmp_path)


@pytest.mark.parametrize(
    ("place", "word"), [("/proc/sdk", "/proc/sdk"), ("file", "file"), ("file/below", "below"), ("blocked", "include")]
)
def test_a_bad_place_is_one_sentence(tmp_path: Path, place: str, word: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "include").write_text("")
    done = sdk_command(tmp_path / place)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert all(text in line for text in ("acltwin sdk: cannot write", word, "choose a directory"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [([], "expected a directory"), ([""], "got an empty name"), (["--copy", "--libs"], "say where to write it")],
)
def test_a_command_without_a_place_says_what_it_wants(words: list[str], sentence: str) -> None:
    done = sdk_command(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
