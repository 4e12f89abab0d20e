"""Looks for calls that break the library, guided by coverage: libFuzzer with ASan and UBSan. Needs clang.

    python tools/fuzz.py [--seconds 600] [--keep] [TARGET ...]

`operators` makes calls of every operator: refused with a reason, or computed as defined. `runtime` makes sequences of
ACL calls on any objects; `check` makes the same ones with check mode on. Each begins from the corpus in
native/tests/fuzz/corpus, which `make test` replays without clang. `--keep` puts inputs that reach new code into it, as
few as will do. What breaks something is left in build/fuzz, with the command that repeats it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from native_tests import ROOT, command

FOLDER = ROOT / "build" / "fuzz"
CORPUS = ROOT / "native" / "tests" / "fuzz" / "corpus"
SANITIZE = "-DACLTWIN_SANITIZE=address,undefined,fuzzer-no-link"
TARGETS = {"operators": ("operators", {}), "runtime": ("runtime", {}), "check": ("runtime", {"ACLTWIN_CHECK": "1"})}
"""Of each: the program and its corpus, and its environment."""


def build() -> None:
    scripts = Path(sys.executable).parent
    ninja = f"-DCMAKE_MAKE_PROGRAM={scripts / 'ninja'}"
    options = [SANITIZE, "-DACLTWIN_FUZZ=ON", "-DACLTWIN_ONE_LEVEL=ON", "-DCMAKE_CXX_COMPILER=clang++"]
    command(scripts / "cmake", "-S", ROOT, "-B", FOLDER, "-G", "Ninja", ninja, *options)
    command(scripts / "cmake", "--build", FOLDER, "--target", "fuzz_targets", "-j", str(os.cpu_count()))


def unpack(corpus: Path, folder: Path) -> None:
    """One file an input, as the fuzzer wants them."""
    folder.mkdir(exist_ok=True)
    for number, line in enumerate(corpus.read_text().splitlines()):
        (folder / f"kept-{number}").write_bytes(bytes.fromhex(line))


def pack(folder: Path, corpus: Path) -> int:
    """One line an input, short ones first."""
    lines = sorted((path.read_bytes().hex() for path in folder.iterdir()), key=lambda digits: (len(digits), digits))
    corpus.write_text("".join(f"{line}\n" for line in lines))
    return len(lines)


def fuzz(target: str, seconds: int, keep: bool) -> bool:
    program, environment = TARGETS[target]
    found, corpus = FOLDER / f"found-{target}", CORPUS / f"{program}.hex"
    unpack(corpus, found)
    fuzzer, quiet = FOLDER / f"fuzz_{program}", "-close_fd_mask=2"
    words = [str(fuzzer), str(found), quiet, f"-max_total_time={seconds}", "-timeout=20", "-max_len=600"]
    words += [f"-artifact_prefix={FOLDER}/{target}-", "-print_final_stats=1"]
    surroundings = {**os.environ, **environment, "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0"}
    print("$", *(f"{name}={value}" for name, value in environment.items()), *words, flush=True)
    done = subprocess.run(words, env=surroundings, stderr=subprocess.PIPE, text=True, errors="replace")
    (FOLDER / f"{target}.log").write_text(done.stderr)
    if done.returncode != 0:
        print(done.stderr[-4000:])
        print(f"-- {target}: FOUND SOMETHING; the whole report is in {FOLDER / f'{target}.log'}", flush=True)
        return False
    inputs = re.findall(r"number_of_executed_units: (\d+)", done.stderr)
    reached = re.findall(r" cov: (\d+)", done.stderr)
    print(f"-- {target}: {inputs[-1]} inputs, {reached[-1]} edges reached, nothing found", flush=True)
    if keep:
        few = FOLDER / f"few-{target}"
        shutil.rmtree(few, ignore_errors=True)
        few.mkdir()
        merge = [str(fuzzer), "-merge=1", "-use_counters=0", quiet, str(few), str(found)]
        subprocess.run(merge, check=True, env=surroundings, stderr=subprocess.DEVNULL)
        print(f"-- {target}: {pack(few, corpus)} inputs are kept")
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", choices=TARGETS, help="all, unless named")
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--keep", action="store_true", help="put what reaches new code into the corpus")
    options = parser.parse_args()
    if shutil.which("clang++") is None:
        raise SystemExit("fuzzing needs clang++, which is not installed; on Debian: apt install clang")
    build()
    found_nothing = {target: fuzz(target, options.seconds, options.keep) for target in options.targets or TARGETS}
    sys.exit(not all(found_nothing.values()))


if __name__ == "__main__":
    main()
