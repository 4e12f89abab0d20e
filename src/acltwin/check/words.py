"""What the command line of ``acltwin check`` says."""

from __future__ import annotations

from acltwin.check.findings import KINDS
from acltwin.check.program import ProgramError

EXAMPLES = """\
examples:
  acltwin check ./pool                          a program that was linked with the library of 'acltwin sdk'
  acltwin check python train.py --steps 3       a Python program with acltwin.acl
  acltwin check --only race,init ./pool         some kinds of findings alone
  acltwin check --json findings.json ./pool     all findings in a file, for other programs
  acltwin check --suppress known.txt ./pool     without those that known.txt names: leak.* function=third_party_*
  acltwin explain race.kernel-and-copy          what a finding means, why it matters, how to fix it

Compile with -g to see files and lines. ACLTWIN_CHECK=1 in the environment of a program does the same, and leaves the
program's exit status as it is."""


def kinds_of(only: str | None) -> str:
    """The value of ACLTWIN_CHECK for ``--only``."""
    if only is None:
        return "all"
    kinds = [word.strip() for word in only.split(",")]
    for word in kinds:
        if word not in KINDS:
            raise ProgramError(f"--only has '{word}', expected a list of {', '.join(KINDS)}, as in --only race,init")
    return ",".join(kinds)


def status_of(text: str) -> int:
    """The exit status for ``--error-exitcode``."""
    if not text.isascii() or not text.isdecimal() or int(text) > 255:
        raise ProgramError(f"--error-exitcode is '{text}', expected a number from 0 to 255")
    return int(text)
