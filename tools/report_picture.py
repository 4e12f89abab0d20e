"""Photograph the report of the tutorial's wrong kernel: docs/golden/report.png.

python tools/report_picture.py      needs triton, and chromium on the path
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from acltwin import golden

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "golden" / "report.png"
WIDTH, HEIGHT = 1280, 1590


def main() -> int:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("there is no chromium on the path; install it to take the picture", file=sys.stderr)
        return 1
    sys.path.insert(0, str(ROOT / "examples" / "golden"))
    from triton_upsample import backward_with_mistake

    run = golden.verify(backward_with_mistake, "upsample_nearest_exact2d_backward", level="quick", dtypes=["float32"])
    with tempfile.TemporaryDirectory() as place:
        report = Path(place, "report.html")
        run.to_html(report)
        words = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        words += ["--run-all-compositor-stages-before-draw"]
        words += [f"--user-data-dir={place}/user", f"--window-size={WIDTH},{HEIGHT}", "--virtual-time-budget=9000"]
        subprocess.run([*words, f"--screenshot={PICTURE}", report.as_uri()], check=True, capture_output=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
