"""The benchmark: the operators against PyTorch, JAX, NumPy and the speed of memory, interleaved in one run.

`make bench` runs it; `grid` says what is measured, `runner` measures it, `report` says what is printed.
Nothing here is imported by `import acltwin`, and PyTorch and JAX are imported only when a run starts.
"""

from bench.command import add_arguments, run

__all__ = ["add_arguments", "run"]
