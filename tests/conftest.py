"""Fixtures of every test, and what the tests run on."""

from __future__ import annotations

import gc
import platform
import re
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import acltwin
from acltwin import _core, sdk
from acltwin.ops import INTERFACES
from support import registry
from support.budget import Meter, longest_first
from support.lazy import loaded, torch
from support.thorough import THOROUGH

# The same examples in every run of the same sources: a failure on one machine is a failure on all. Those who change
# something hunt with other examples, and more of them: pytest --hypothesis-profile=hunt
EXAMPLES = 1000 if THOROUGH else 100
profile = hypothesis.settings.register_profile
profile("repeatable", max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
profile("hunt", max_examples=10_000, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")
LOADED = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Meter(), "acltwin_meter")


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "of the tests for every operator, only those for one forward operator and one gradient per family"
    parser.addoption("--one-per-family", action="store_true", help=words)


def pytest_collection() -> None:
    gc.disable()  # what collecting makes stays


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--one-per-family"):
        items[:] = one_per_family(items)
    longest_first(items)


def one_per_family(items: list[pytest.Item]) -> list[pytest.Item]:
    """Without those for other operators, as far as the same test remains for some operator."""
    others = INTERFACES.keys() - registry.representatives()
    of_others = {item for item in items if others.intersection(re.findall(r"\w+", item.name))}
    remaining = {item.nodeid.partition("[")[0] for item in items if item not in of_others}
    return [item for item in items if item not in of_others or item.nodeid.partition("[")[0] not in remaining]


def pytest_collection_finish(session: pytest.Session) -> None:
    session.config.stash[LOADED] = loaded()
    gc.freeze()  # nobody who collects garbage need look at thousands of tests
    gc.enable()


def pytest_report_header() -> str:
    return f"acltwin {acltwin.__version__}: {_core.library_path()}, {_core.instruction_set()}"


@pytest.fixture(autouse=True)
def _library_settings_restored() -> Iterator[None]:
    threads, pool_limit = acltwin.get_num_threads(), acltwin.output_pool_limit()
    yield
    acltwin.set_num_threads(threads)
    acltwin.set_output_pool_limit(pool_limit)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def loaded_by_collection(pytestconfig: pytest.Config) -> set[str]:
    """The frameworks that were there before the first test ran."""
    return pytestconfig.stash[LOADED]


@pytest.fixture
def fusing_pytorch() -> None:
    """Leaves tests out where PyTorch computes without fused multiply-add, unlike on all newer processors."""
    if platform.machine() == "x86_64" and torch.backends.cpu.get_cpu_capability() == "DEFAULT":
        pytest.skip("this PyTorch computes without fused multiply-add")


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SDK tree, to compile programs with."""
    directory = tmp_path_factory.mktemp("sdk")
    sdk.write_tree(directory)
    return directory
