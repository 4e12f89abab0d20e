"""The calls that PyTorch tests its own functions with.

Importing them brings another profile of hypothesis, which would hold for every test; the chosen one is put back.
"""

from __future__ import annotations

import hypothesis

_PROFILE = hypothesis.settings.get_current_profile_name()

from torch.nn import MaxPool3d  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.testing._internal.common_modules import module_db  # noqa: E402

hypothesis.settings.load_profile(_PROFILE)

_FUNCTIONS = ("interpolate", "max_pool3d", "max_unpool3d")
SAMPLES = [
    info
    for info in op_db
    if info.name.removeprefix("nn.functional.") in _FUNCTIONS and "linear" not in info.variant_test_name
]
MODULES = [info for info in module_db if info.module_cls is MaxPool3d]  # of the others, PyTorch has no samples
