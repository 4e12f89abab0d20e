"""What a model may take: a few times the memory of its case, however large the planes are."""

from __future__ import annotations

import tracemalloc

import numpy as np

import acltwin
from acltwin.golden.cases.cases import described
from acltwin.golden.causes import models_of
from acltwin.golden.causes.predictions import predicted
from acltwin.golden.causes.view import View

MOST = 60  # times the tensors of the case, which are float32 here and float64 in models


def test_every_model_takes_a_few_times_its_case() -> None:
    """With special values, which some models multiply by zeros: a table of all pairs of cells would take far more."""
    operator = "upsample_nearest2d_backward"
    entry = {"input_size": [1, 1, 40, 60], "output_size": [80, 120]}
    content = {"operator": operator, "dtype": "float32", "fill": "special", "cases": [entry]}
    (case,) = described(content)
    tensors = case.inputs()
    result = np.array(getattr(acltwin, operator)(**tensors, **case.arguments))
    size = result.nbytes + sum(tensor.nbytes for tensor in tensors.values())
    result.reshape(-1)[5] += 1
    view = View(case, (result,))
    tracemalloc.start()
    try:
        for model in models_of(case.spec):
            if model.predict is None:
                continue
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            predicted(model, view)
            peak = tracemalloc.get_traced_memory()[1]
            assert peak - before < MOST * size, model.name
    finally:
        tracemalloc.stop()
