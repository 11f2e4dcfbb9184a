"""Settings of all tests.

Modules whose examples need a library that is not installed are left out. Tests leave no files of
compiled programs. Random tests take the same examples in every run, or in every run of a turn,
unless ``--hypothesis-profile random`` is given. Compiled programs are dropped after each module.
Searches for garbage are rare, and skip what exists before the first test.
"""

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import core, settings
from hypothesis.internal.conjecture import providers

from ein_mlir import clear_cache
from tests.libraries import OPTIONAL, missing
from tests.selection import IS_WHOLE, PARTS, TURN, TURNS, next_turn, this_turn

os.environ.setdefault("EIN_CACHE_DIR", "")
if not IS_WHOLE:
    quick = (
        "--xla_cpu_use_fusion_emitters=false",
        "--xla_backend_optimization_level=0",
        "--xla_cpu_parallel_codegen_split_count=1",
    )
    os.environ["XLA_FLAGS"] = " ".join([os.environ.get("XLA_FLAGS", ""), *quick]).lstrip()
gc.set_threshold(2_000_000, 20, 100)  # the objects of compiled programs stay: searches find little

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("random", deadline=None)
settings.register_profile("turn", deadline=None, database=None, max_examples=100 // PARTS)
settings.load_profile("fixed" if TURN is None else "turn")
core.global_force_seed = TURN  # each turn has other examples
providers.is_local_module_file = lambda path: False  # numbers in the sources are no better examples

collect_ignore = [f"ein_mlir/backends/{library}" for library in missing(*OPTIONAL)]


def pytest_configure(config: pytest.Config) -> None:
    """Set the libraries up; a process that distributes or lists tests loads none of them."""
    distributes = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if distributes or config.getoption("collectonly"):
        return
    if not IS_WHOLE and not missing("native"):
        from ein_mlir.backends.native import machine

        machine.CODE_LEVEL = 0  # registers and instructions; LLVM's passes run as for users
    if not missing("torch"):
        from ein_mlir.backends.torch import runtime

        runtime.FEW = 0  # programs on small tensors run as those on large ones


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Search no doctests in the files without one: most of them, and pytest inspects each name."""
    found = yield
    if found and b">>> " not in file_path.read_bytes():
        return [each for each in found if type(each).__name__ != "DoctestModule"]
    return found


def pytest_report_header() -> str | None:
    """How to repeat a run by turns."""
    return None if TURN is None else f"turn {TURN} of {TURNS}: EIN_TESTS=turns EIN_TURN={TURN}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A run by turns leaves out some combinations of a program and a backend.

    It does so first: to order all tests by their fixtures takes longer than to run fifty of them.
    """
    if TURN is None:
        return
    slow = {test: None for test in items if test.get_closest_marker("one_turn") is not None}
    drawn = {test: None for test in items if test not in slow and _is_drawn(test)}
    others = [test for test in items if test not in slow and test not in drawn and _may_wait(test)]
    left = drawn.keys() - this_turn(drawn, TURN) | next_turn(others, TURN)
    left |= slow.keys() - {*[*slow][TURN % PARTS :: PARTS]}
    config.hook.pytest_deselected(items=[*left])
    items[:] = [test for test in items if test not in left]


def _may_wait(test: pytest.Item) -> bool:
    return test.get_closest_marker("every_turn") is None


def _is_drawn(test: pytest.Item) -> bool:
    """Whether a test is one of whole programs, or runs on a backend or in a dtype among others."""
    parameters = getattr(test, "fixturenames", ())
    is_of_programs = "agreement" in test.path.parts or not {"backend", "dtype"}.isdisjoint(
        parameters
    )
    return is_of_programs and _may_wait(test)


def pytest_collection_finish() -> None:
    """Searches for garbage skip the libraries and the tests."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def _no_code_is_kept() -> Iterator[None]:
    """Drop what a module has compiled: a process has the memory of its largest module."""
    yield
    clear_cache()
    if "jax" in sys.modules and TURN is None:  # few programs of a module are in a turn
        sys.modules["jax"].clear_caches()
