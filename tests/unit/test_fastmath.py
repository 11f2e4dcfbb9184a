"""The option ``fastmath``: names of laws, and the rewrites that they permit."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import EinValueError, Float, Vec, array, fold_sum, function
from ein_mlir.compiler import compile
from ein_mlir.host.fastmath import LAWS, laws_of
from ein_mlir.tools import ein_run


def scaled_sums(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: a[i] * b[k]))


TEXT = """
func.func @third(%x: !phi.vec<f64>) -> !phi.vec<f64> {
  %n = phi.size %x, 0 : !phi.vec<f64>
  %three = arith.constant 3.0 : f64
  %r = phi.array (%i < %n) -> !phi.vec<f64> {
    %k = arith.index_cast %i : index to i64
    %e = phi.get %x[%k] : !phi.vec<f64>[i64]
    %q = arith.divf %e, %three : f64
    phi.yield %q : f64
  }
  func.return %r : !phi.vec<f64>
}
"""


def test_names_of_laws():
    assert laws_of(None) == laws_of(False) == laws_of(()) == ()
    assert laws_of(True) == laws_of("fast") == laws_of(["nsz", "fast"]) == tuple(LAWS)
    assert laws_of({"nsz", "reassoc"}) == ("reassoc", "nsz")
    assert laws_of("arcp") == ("arcp",)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("quick", "fastmath: 'quick' is not a law; there are fast, reassoc, nnan"),
        ({"nsz", 3}, "fastmath: 3 is not a law"),
        (1.5, "fastmath: expected True, False or names of laws, got 1.5"),
    ],
)
def test_other_names(option: object, message: str):
    with pytest.raises(EinValueError, match=message):
        function(scaled_sums, fastmath=option)  # pyright: ignore
    with pytest.raises(EinValueError, match=message):
        compile(TEXT, fastmath=option)  # pyright: ignore[reportArgumentType]


def test_a_function_permits_regrouping_without_tests():
    strict = function(scaled_sums, backend="numpy")
    fast = function(strict, backend="numpy", fastmath={"reassoc"})
    assert "in_order(" in strict.source()
    assert "in_order(" not in fast.source()
    a, b = np.array([2.0, 3.0]), np.array([1.0, 0.5])
    np.testing.assert_array_equal(strict(a, b), fast(a, b))
    np.testing.assert_array_equal(strict(np.array([np.inf]), np.array([])), [0.0])
    assert np.isnan(fast(np.array([np.inf]), np.array([]))).all()


def test_the_option_of_the_compiler():
    assert "/ 3.0" in compile(TEXT).source
    assert "* 0.3333333333333333" in compile(TEXT, fastmath="arcp").source
    assert "/ 3.0" in compile(TEXT, fastmath={"nsz"}).source


def test_the_option_of_ein_run(tmp_path, capsys):
    file = tmp_path / "third.mlir"
    file.write_text(TEXT)
    ein_run.main([str(file), "--fastmath", "nsz,arcp", "--source"])
    assert "* 0.3333333333333333" in capsys.readouterr().out
    ein_run.main([str(file), "--source", "--fastmath"])
    assert "* 0.3333333333333333" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        ein_run.main([str(file), "--fastmath", "quick"])
    assert "fastmath: 'quick' is not a law" in capsys.readouterr().err


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax"])
def test_contraction_and_constants(backend: str):
    pytest.importorskip(backend)

    def program(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
        return array(lambda i: 0.5 * (2.0 * x[i]) + x[i] * y[i])

    strict = function(program, backend=backend)
    fast = function(program, backend=backend, fastmath=True)
    x, y = np.array([1.5, -2.0]), np.array([3.0, 0.25])
    np.testing.assert_allclose(np.asarray(fast.eval(x, y)), np.asarray(strict.eval(x, y)))
    if backend == "torch":
        assert "addcmul" in fast.source()
        assert "addcmul" not in strict.source()
    if backend == "jax":
        assert "-0.5 * -(2.0 * x)" in strict.source()
        assert "0.5 * (2.0 * x)" in fast.source()
