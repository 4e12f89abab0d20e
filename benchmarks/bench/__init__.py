"""The benchmark: the operators against PyTorch and other libraries, interleaved in one run.

`make bench` runs it; `sample` and `grid` say what is measured, `runner` measures it, `report` says what is printed.
Nothing here is imported by `import acltwin`, and PyTorch and JAX are imported only when a run starts.
"""

from bench.command import add_arguments, run

__all__ = ["add_arguments", "run"]
