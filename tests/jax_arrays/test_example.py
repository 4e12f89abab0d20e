"""The example learns something."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "jax" / "train.py"


def test_training() -> None:
    done = subprocess.run([sys.executable, EXAMPLE], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    losses = [float(text) for text in re.findall(r"loss (\S+)", done.stdout)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.8 * losses[0]
