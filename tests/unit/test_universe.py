"""The tables that `ein-opt` and the stock `xdsl-opt` load the package's parts from."""

import subprocess
import sys

import pytest
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from ein_mlir.analysis.manager import name_of_class
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.universe import BESIDE, DIALECTS, LOOKS_FOR, PASSES, TARGETS


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


def test_passes_are_imported_late_by_what_they_look_for():
    for flag, names in LOOKS_FOR.items():
        pass_class = PASSES[flag]()
        assert issubclass(pass_class, FunctionPass)
        assert {name_of_class(cls) for cls in pass_class.looks_for} == names, flag
        beside = BESIDE.get(flag, frozenset[str]())
        assert {name_of_class(cls) for cls in pass_class.beside} == beside, flag


PROGRAM = """
import sys
import numpy as np
from ein_mlir import array, exp, function
f = function(lambda a: array(lambda i: exp(a[i])))
assert (f(np.zeros(3)) == 1).all()
print(*(name for name in sys.modules if name.startswith("ein_mlir.passes.phi")))
"""


@pytest.mark.one_turn
def test_passes_without_work_are_not_imported():
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    imported = {name.split(".")[-1] for name in run.stdout.split()}
    assert "simplify_arithmetic" in imported
    assert imported.isdisjoint({"raise_scans", "raise_counted_loops", "scalarize_small_arrays"})
