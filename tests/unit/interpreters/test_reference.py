"""Finding the function to run."""

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ein_mlir.interpreters import run


def test_unknown_function():
    module = ModuleOp([func.FuncOp.external("g", [], []), func.FuncOp.external("h", [], [])])
    with pytest.raises(ValueError, match="no function '@f' in the module; there are: @g, @h"):
        run(module, "f", [])
    with pytest.raises(ValueError, match="there are: none"):
        run(ModuleOp([]), "f", [])
