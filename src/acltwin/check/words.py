"""What the command line of ``acltwin check`` says."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin.check.findings import KINDS
from acltwin.check.program import ProgramError

EXAMPLES = """\
examples:
  acltwin check ./pool                          a program that was linked with the library of 'acltwin sdk'
  acltwin check python train.py --steps 3       a Python program with acltwin.acl
  acltwin check --only race,init ./pool         only some kinds of findings
  acltwin check --json findings.json ./pool     all findings in a file, for other programs
  acltwin check --suppress known.txt ./pool     without those that known.txt names: leak.* function=third_party_*
  acltwin explain race.kernel-and-copy          what a finding means, why it matters, how to fix it
  acltwin check --read findings.log             what ACLTWIN_CHECK=1 ACLTWIN_CHECK_LOG=findings.log has collected

Compile with -g to see files and lines. ACLTWIN_CHECK=1 in the environment of a program checks it without this command,
and leaves its exit status as it is: findings go to standard error, with offsets instead of lines for compiled code."""


def kinds_of(only: str | None) -> Sequence[str]:
    """What ``--only`` asks for."""
    kinds = KINDS if only is None else [word.strip() for word in only.split(",")]
    for word in kinds:
        if word not in KINDS:
            raise ProgramError(f"--only has '{word}', expected a list of {', '.join(KINDS)}, as in --only race,init")
    return kinds


def status_of(text: str) -> int:
    """The exit status for ``--error-exitcode``."""
    if not text.isascii() or not text.isdecimal() or int(text) > 255:
        raise ProgramError(f"--error-exitcode is '{text}', expected a number from 0 to 255")
    return int(text)
