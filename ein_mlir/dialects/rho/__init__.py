"""The rank-polymorphic language of the thesis on shape demand, named after APL's ``rho``, shape.

All values are arrays of numbers whose rank is decided at run time. A let binding is an SSA value.
A function is an operation in the block of its ``let``: it may use values around it, and is no value
itself. The program that shifts a vector by one position reads::

    rho.program (%v) {
      %s = rho.shape %v
      %zero = rho.scalar 0
      %one = rho.scalar 1
      %l = rho.stack [%one]
      %shifted = rho.gen %s, %zero with %l <= %iv < %s {
        %before = rho.arith "-" %iv, %one
        %x = rho.select %v[%before]
        rho.yield %x
      }
      rho.yield %shifted
    }
"""

from __future__ import annotations

from ein_mlir.dialects.rho.operations import *
