"""Golden tools: make cases for a kernel, judge its outputs, and say what is wrong.

    from acltwin import golden

    cases = golden.cases("upsample_nearest3d_backward", level="quick")
    verdict = golden.judge(cases[0], my_kernel(**cases[0].inputs(), **cases[0].arguments))

No device is needed to make the cases, none to judge the outputs.
"""

from acltwin.golden.case import Case
from acltwin.golden.cases import cases
from acltwin.golden.compare import compare
from acltwin.golden.expected import Expected
from acltwin.golden.judge import judge
from acltwin.golden.rule import Bound
from acltwin.golden.rules import rule_names
from acltwin.golden.run import Record, Run
from acltwin.golden.score import Score, score
from acltwin.golden.strategy import strategy
from acltwin.golden.verdict import Verdict
from acltwin.golden.verify import verify

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
    "judge",
    "rule_names",
    "score",
    "strategy",
    "verify",
]
