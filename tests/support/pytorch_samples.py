"""The calls that PyTorch tests its own functions with.

Importing them brings another profile of hypothesis, which would hold for every test; the chosen one is put back.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import hypothesis

# Known by name, so that tests can be named before PyTorch is there; a test compares them with what PyTorch has.
MODES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area")
INTERPOLATE = tuple(f"nn.functional.interpolate {mode}" for mode in MODES)
SAMPLES = (
    *INTERPOLATE,
    "nn.functional.max_pool3d",
    "nn.functional.max_unpool3d",
    "nn.functional.max_unpool3d grad",
    *(f"nn.functional.{adaptive}avg_pool{axes}d" for adaptive in ("", "adaptive_") for axes in (1, 2, 3)),
)
EXACT = (*INTERPOLATE[:2], *SAMPLES[len(INTERPOLATE) :][:3])
"""Copies, maxima, and sums of what no order of additions rounds."""
_FUNCTIONS = tuple(dict.fromkeys(name.split()[0].removeprefix("nn.functional.") for name in SAMPLES))


@cache
def infos() -> dict[str, Any]:
    """What PyTorch has for the functions that we stand in for, by name."""
    profile = hypothesis.settings.get_current_profile_name()
    from torch.testing._internal.common_methods_invocations import op_db

    hypothesis.settings.load_profile(profile)
    return {
        f"{info.name} {info.variant_test_name}".strip(): info
        for info in op_db
        if info.name.removeprefix("nn.functional.") in _FUNCTIONS
    }


def module_infos() -> list[Any]:
    """The same for modules: of the others, PyTorch has no samples."""
    profile = hypothesis.settings.get_current_profile_name()
    from torch.nn import MaxPool3d
    from torch.testing._internal.common_modules import module_db

    hypothesis.settings.load_profile(profile)
    return [info for info in module_db if info.module_cls is MaxPool3d]
