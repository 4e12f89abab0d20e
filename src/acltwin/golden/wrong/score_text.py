"""A score for people."""

from __future__ import annotations

from acltwin.golden.wrong.score import Score

SHOWN = 5
"""So many survivors of each cause are named."""


def score_text(score: Score) -> str:
    cases = "1 case" if score.cases == 1 else f"{score.cases} cases"
    lines = [f"{score.caught} of {score.total} wrong implementations caught by {cases} under {score.rule}"]
    if score.rejections:
        lines.append(f"{score.rule} rejects right results:")
    lines += [
        f"  {rejection.operator}  {rejection.sentence} Rejected in {rejection.cases} cases, first in {rejection.case}."
        for rejection in score.rejections
    ]
    for cause, count in score.survivors_by_cause.items():
        lines.append(f"not caught: {cause} ({count})")
        named = [survivor for survivor in score.survivors if survivor.cause == cause]
        lines += [f"  {survivor.operator}  {survivor.sentence}" for survivor in named[:SHOWN]]
        if count > SHOWN:
            lines.append(f"  and {count - SHOWN} more")
    if score.to_add:
        lines.append("the fewest cases of ours that catch them:")
        lines += [f"  {case}" for case in score.to_add]
    if score.beyond:
        lines.append("no case of ours catches:")
        lines += [f"  {survivor.operator}  {survivor.sentence}" for survivor in score.beyond]
    return "\n".join(lines)
