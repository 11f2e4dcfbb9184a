"""The tables that `ein-opt` and the stock `xdsl-opt` load the package's parts from."""

import subprocess
import sys

import pytest
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from ein_mlir.universe import DIALECTS, PASSES, TARGETS


@pytest.mark.parametrize("name", DIALECTS)
def test_dialect_loads(name: str):
    dialect = DIALECTS[name]()
    assert isinstance(dialect, Dialect)
    assert dialect.name == name


@pytest.mark.parametrize("name", PASSES)
def test_pass_loads(name: str):
    pass_class = PASSES[name]()
    assert issubclass(pass_class, ModulePass)
    assert pass_class.name == name


@pytest.mark.parametrize("name", TARGETS)
def test_target_loads(name: str):
    target_class = TARGETS[name]()
    assert issubclass(target_class, Target)
    assert target_class.name == name


def test_xdsl_finds_the_plug_in():
    multiverse = Universe.get_multiverse()
    assert DIALECTS.items() <= multiverse.all_dialects.items()
    assert PASSES.items() <= multiverse.all_passes.items()
    assert TARGETS.items() <= multiverse.all_targets.items()


@pytest.mark.parametrize(
    ("module", "lazy"),
    [
        ("ein_mlir", ("xdsl", "torch", "jax")),
        ("ein_mlir.universe", ("ein_mlir.dialects", "ein_mlir.passes", "ein_mlir.backends")),
    ],
)
def test_importing_loads_nothing_else(module: str, lazy: tuple[str, ...]):
    program = f"import sys, {module}; print([m for m in {lazy} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
