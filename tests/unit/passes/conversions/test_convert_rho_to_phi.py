"""Programs of rho on phi: random ones against the interpreter, and one on every backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.verification import verify
from ein_mlir.compiler import compile
from ein_mlir.interpreters.rho import run
from ein_mlir.pipelines import run_pipeline
from ein_mlir.sources.rho.parser import parse
from tests.fuzzing.rho import Shape, programs
from tests.libraries import BACKENDS
from tests.selection import examples


@settings(
    max_examples=examples(450),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(programs())
def test_random_programs(program: tuple[str, Shape]) -> None:
    text, _ = program
    try:
        value = run(parse(text))
    except ValueError:
        assume(False)
        return
    try:
        module = run_pipeline(parse(text), ["rewrite-by-demand", "convert-rho-to-phi"])
    except PassFailedException as error:
        event(f"fails: {str(error).partition(':')[0]}")
        return
    event("is converted")
    verify(module)
    found = compile(module, backend="naive")()
    assert np.shape(found) == value.shape
    np.testing.assert_array_equal(found, value)


SHIFT = r"""
let take = \n.\arr.
  let ofs = if n > 0 then 0 else (shape arr).([0]) + n in
  gen [|n|] 0 with [n * 0] <= iv < [|n|] in arr.(iv + ofs)
in
let drop = \n.\arr.
  if n > 0 then take (n - (shape arr).([0])) arr
  else take ((shape arr).([0]) + n) arr
in
let shift = \n.\arr.
  let pad = gen (shape (take n arr)) 0 in
  let xs = drop (-n) arr in
  if n > 0 then pad ++ xs else xs ++ pad
in
\n.\arr. shift n arr
"""


@pytest.mark.one_turn
@pytest.mark.parametrize("passes", [[], ["rewrite-by-demand"]])
@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
def test_backends(backend: str, passes: list[str]) -> None:
    """The example of the thesis; the branches of its choices have different sizes."""
    module = run_pipeline(parse(SHIFT), [*passes, "convert-rho-to-phi{ranks=0,1}"])
    compiled = compile(module, backend=backend)
    given = np.arange(1.0, 8.0)
    array = given
    if backend == "torch":
        import torch

        array = torch.tensor(given)
    for n in (3.0, -2.0, 0.0, 7.0, -7.0):
        expected = run(parse(SHIFT), [n, given])
        np.testing.assert_array_equal(np.asarray(compiled(n, array)), expected)
