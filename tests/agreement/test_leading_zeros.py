"""``math.ctlz`` agrees with Python's ``bit_length`` on every backend."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import compile
from tests.agreement.comparison import given
from tests.libraries import BACKENDS, in_64_bits, library_for

PROGRAM = """
func.func @f(%a: !phi.vec<i{0}>) -> (!phi.vec<i{0}>, i64) {{
  %n = phi.size %a, 0 : !phi.vec<i{0}>
  %r = phi.array (%i < %n) -> !phi.vec<i{0}> {{
    %x = phi.get %a[%i] : !phi.vec<i{0}>[index]
    %y = math.ctlz %x : i{0}
    phi.yield %y : i{0}
  }}
  %s = math.ctlz %n : i64
  func.return %r, %s : !phi.vec<i{0}>, i64
}}"""


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_leading_zeros(bits: int, backend: str) -> None:
    powers = [2**k for k in range(bits - 1)]
    numbers = [0, -1, -(2 ** (bits - 1)), *powers, *(each - 1 for each in powers)]
    a = np.array(numbers, f"int{bits}")
    expected = [0 if x < 0 else bits - x.bit_length() for x in numbers]
    with in_64_bits(backend):
        f = compile(PROGRAM.format(bits), backend=backend)
        zeros, of_size = f(given(a, library_for(backend)))
    np.testing.assert_array_equal(np.asarray(zeros), expected)
    assert int(of_size) == 64 - len(numbers).bit_length()
