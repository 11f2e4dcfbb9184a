"""Yarr: the point-free array calculus (dissertation, section 3.6.1).

Values are builtin tensors: a scalar is a ``tensor<f64>``, a matrix a ``tensor<?x?xf64>``, a size a
``tensor<i64>``. There are no indices: programs consist of whole-array operations, as in NumPy.
Scalar operators appear in the region of ``yarr.elementwise``, as ``arith``, ``math`` and
``sigma`` operations. The distances between all pairs of rows of a matrix read::

    %d = yarr.fold (%k < %m, %acc = %zeros) -> tensor<?x?xf64> {
      %c = yarr.take %a, 1, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %x = yarr.unsqueeze %c, [1] : tensor<?xf64> -> tensor<?x1xf64>
      %y = yarr.unsqueeze %c, [0] : tensor<?xf64> -> tensor<1x?xf64>
      %0 = yarr.elementwise { arith.subf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> ...
      ...
    }
"""

from __future__ import annotations

from ein_mlir.dialects.operation import register_laws
from ein_mlir.dialects.yarr.canonicalization import PATTERNS
from ein_mlir.dialects.yarr.operations import *

register_laws(PATTERNS)
