"""Writing a tree: over an older one, never over the files of others, and with a sentence where it cannot be done."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
from pathlib import Path

import pytest

from acltwin import sdk
from support.disk import almost_full, contents
from support.sdk_tree import sdk_command

HEADER = "include/acl/acl.h"


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
    names = '{"a\\u0000b": "x", "\\ud800": "x", "": "x"}'
    for text in ("{oops", "[]", "[" * 100_000, '{"include/acl/acl.h": 7}', names):
        sdk.write_tree(tmp_path)
        (tmp_path / ".acltwin-sdk.json").write_text(text)
    sdk.write_tree(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["../victim.txt", "{outside}/victim.txt", "include/../../victim.txt", "linked/victim.txt", "./../victim.txt", ".."],
)
def test_a_record_names_no_files_elsewhere(tmp_path: Path, name: str) -> None:
    """A record may come with a tree from anywhere: what it names beyond the tree is not removed."""
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    root = tmp_path / "sdk"
    sdk.write_tree(root)
    (root / "linked").symlink_to(tmp_path)
    record = json.loads((root / ".acltwin-sdk.json").read_text())
    record[name.format(outside=tmp_path)] = f"sha256 {hashlib.sha256(b'mine').hexdigest()}"
    (root / ".acltwin-sdk.json").write_text(json.dumps(record))
    assert sdk_command(root).returncode == 0
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("make", ["pipe", "socket", "link to a file", "link to nothing"])
def test_what_is_no_file_stays_unless_forced(tmp_path: Path, make: str) -> None:
    root, place = tmp_path / "sdk", tmp_path / "sdk" / HEADER
    place.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").write_text("mine")
    if make == "pipe":
        os.mkfifo(place)
    elif make == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(place))
    else:
        place.symlink_to(tmp_path / ("elsewhere" if make == "link to a file" else "nothing"))
    before = place.lstat().st_ino
    done = sdk_command(root)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"did not write, or that were changed since: {HEADER}; " in done.stderr
    assert place.lstat().st_ino == before
    assert list((root / "include").iterdir()) == [place.parent], "nothing at all was written"
    assert sdk_command(root, "--force").returncode == 0
    assert stat.S_ISREG(place.lstat().st_mode)
    assert (tmp_path / "elsewhere").read_text() == "mine"


@pytest.mark.parametrize("options", [[], ["--force"]])
@pytest.mark.parametrize("name", [HEADER, "set_env.sh", "lib64/libopapi.so", ".acltwin-sdk.json"])
def test_a_directory_in_the_way_keeps_everything_as_it_is(tmp_path: Path, name: str, options: list[str]) -> None:
    (tmp_path / name / "mine").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    done = sdk_command(tmp_path, *options)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert f"{tmp_path / name} is a directory" in line
    assert "move it elsewhere" in line
    assert sorted(tmp_path.rglob("*")) == before, "nothing at all was written"


@pytest.mark.parametrize("folder", ["include", "include/aclnnop", "lib64", "python/site-packages"])
def test_folders_that_are_links_are_not_followed(tmp_path: Path, folder: str) -> None:
    """They may lead into a CANN installation."""
    vendors, root = tmp_path / "vendors", tmp_path / "sdk"
    (vendors / "acl").mkdir(parents=True)
    (vendors / "acl" / "acl.h").write_text("the vendor's")
    (root / folder).parent.mkdir(parents=True)
    (root / folder).symlink_to(vendors)
    before = contents(vendors)
    done = sdk_command(root)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"did not write, or that were changed since: {folder}; " in done.stderr
    assert contents(vendors) == before
    assert sdk_command(root, "--force").returncode == 0
    assert contents(vendors) == before
    assert not (root / folder).is_symlink()
    assert (root / HEADER).is_file()


def test_the_tree_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert sdk_command(tmp_path / "link").returncode == 0
    assert (tmp_path / "real" / HEADER).is_file()
    assert str(tmp_path / "real") in (tmp_path / "real" / "set_env.sh").read_text()


def test_a_full_disk_leaves_the_older_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr("acltwin.sdk.contents.RUN_TIME_NAMES", ("of_old",))
        older.setattr("acltwin.sdk.contents.CMAKE_CONFIG", "# of an older release\n")
        sdk.write_tree(tmp_path)
    before = contents(tmp_path)
    for room in (10, 1000, 5000):
        with almost_full(room):
            done = sdk_command(tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"acltwin sdk: {tmp_path}" in done.stderr
        assert "cannot be written: File too large" in done.stderr
        assert contents(tmp_path) == before
    assert sdk_command(tmp_path).returncode == 0
    assert not (tmp_path / "lib64" / "libof_old.so").is_symlink()


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
    assert all(text in line for text in ("acltwin sdk: ", word, "choose another"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [([], "expected a directory"), ([""], "got an empty name"), (["--copy", "--libs"], "say where to write it")],
)
def test_a_command_without_a_place_says_what_it_wants(words: list[str], sentence: str) -> None:
    done = sdk_command(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
