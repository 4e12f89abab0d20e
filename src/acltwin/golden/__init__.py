"""Golden tools: make cases for a kernel, judge its outputs, and say what is wrong.

::

    from acltwin import golden

    cases = golden.cases("upsample_nearest3d_backward", level="quick")
    verdict = golden.judge(cases[0], my_kernel(**cases[0].inputs(), **cases[0].arguments))

No device is needed to make the cases, none to judge the outputs.
"""

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import cases, strategy
from acltwin.golden.files import vendor as formats
from acltwin.golden.judge.bound import Bound
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.judge import compare, judge
from acltwin.golden.judge.vendor_rules import rule_names
from acltwin.golden.judge.verdict import Record, Verdict
from acltwin.golden.run.run import Run
from acltwin.golden.run.verify import verify
from acltwin.golden.wrong.score import Score, score

__all__ = [
    "Bound",
    "Case",
    "Expected",
    "Record",
    "Run",
    "Score",
    "Verdict",
    "cases",
    "compare",
    "formats",
    "judge",
    "rule_names",
    "score",
    "strategy",
    "verify",
]
