"""The Phi calculus: pointful array programs (dissertation, section 3.1).

Arrays are defined by the element at each index. Scalars are ``i1``, ``i64``, ``f64`` and narrower
numbers; ``!phi.vec<T>`` is a vector of any phi type; builtin tuples are records. A comprehension
index is a block argument of type ``index``, which only ``phi.array`` introduces: that is the
calculus's separate index environment. Scalar operators are ``arith``, ``math`` and ``sigma``
operations, a let binding is an SSA value, and a program is a ``func.func``.

The distances between all pairs of rows of a matrix read::

    %d = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
      %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
        %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %y = phi.get %a[%j, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
        %0 = arith.subf %x, %y : f64
        %1 = math.absf %0 : f64
        %2 = arith.addf %acc, %1 : f64
        phi.yield %2 : f64
      }
      phi.yield %s : f64
    }
"""

from __future__ import annotations

from ein_mlir.dialects.operation import register_laws
from ein_mlir.dialects.phi.canonicalization import PATTERNS
from ein_mlir.dialects.phi.operations import *

register_laws(PATTERNS)
