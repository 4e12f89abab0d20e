"""A model learns the same with PyTorch's operators and with this library's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "pytorch" / "train_autoencoder.py"


def test_the_loss_curves_are_one(tmp_path: Path) -> None:
    picture = tmp_path / "training.svg"
    words = ["--steps", "12", "--batch", "2", "--size", "8", "--picture", str(picture)]
    done = subprocess.run([sys.executable, EXAMPLE, *words], text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    pytorch, ours, difference = done.stdout.splitlines()
    before, after = pytorch.split("loss ")[1].split(",")[0].split(" -> ")
    assert float(after) < float(before)
    assert ours.split("loss ")[1].split(" ms")[0].split(",")[0] == f"{before} -> {after}"
    assert float(difference.split()[5]) < 1e-4
    assert picture.read_text(encoding="utf-8").count("<polyline") == 2
