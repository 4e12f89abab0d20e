"""Two and four devices: XLA has as many on the CPU as its flags say when it starts, so each number is a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.lazy import jax

FILE = Path(__file__).with_name("many_devices.py")


@pytest.mark.parametrize(("devices", "tests"), [(2, "every_device or networks or through_shard_map"), (4, "")])
def test_many_devices(devices: int, tests: str) -> None:
    if not hasattr(jax, "shard_map"):
        pytest.skip("this JAX does not track over which devices a value varies")
    flags = f"{os.environ['XLA_FLAGS']} --xla_force_host_platform_device_count={devices}"
    environment = {**os.environ, "XLA_FLAGS": flags}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(FILE), "-k", tests]
    done = subprocess.run(command, env=environment, cwd=FILE.parents[2], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
