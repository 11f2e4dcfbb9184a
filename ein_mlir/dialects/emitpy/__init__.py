"""emitpy: Python code as IR; it is to Python what MLIR's ``emitc`` is to C.

An array, or a NumPy scalar of exactly that element type, has a builtin ``tensor`` type, and builtin
``tuple`` types are records: passes know rank and element type. Any other Python object, such as an
int, a slice or a tuple of axes, is an ``!emitpy.object``. Each operation is one expression or
statement of Python; functions are ``func.func``. The printer decides about the nesting of
expressions and the names of variables.

The names that operations can use are a closed vocabulary (``emitpy.names``): text in IR never
becomes arbitrary Python. The row sums of a matrix, added to each row, read::

    func.func @f(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
      %axis = emitpy.literal 1 : i64
      %s = emitpy.method %a "sum"(axis = %axis)
        : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
      %all = emitpy.slice
      %none = emitpy.literal unit
      %c = emitpy.subscript %s[%all, %none]
        : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
      %r = emitpy.binary %a "+" %c
        : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
      func.return %r : tensor<?x?xf64>
    }

and are printed as::

    def f(a):
        return a + a.sum(axis=1)[:, None]
"""

from __future__ import annotations

from ein_mlir.dialects.emitpy.operations import *
