"""``raise-products``: loops that compute a product of matrices become one operation."""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.scopes import around, operations_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.loops.raise_products.raising import Emitter, Raiser, hoist, in_parts, result_of
from ein_mlir.passes.loops.raise_products.recognition import Product, products
from ein_mlir.passes.loops.raise_products.rows import is_worth_calls, raise_all, split_rows


def raise_products(root: Operation) -> None:
    """Raise the products of all parallel loops, the outermost first."""
    done = set[Operation]()
    for nest in operations_of(root, scf.ParallelOp):
        outer = list(around(nest.parent_op()))
        if not done.isdisjoint(outer):
            continue
        if split_rows(nest):
            done.add(nest)
        elif any(isinstance(each, scf.ParallelOp) for each in outer):
            _raise_inner(nest)
        else:
            _raise(nest)


def _raise(nest: scf.ParallelOp) -> None:
    """Raise the products of a nest that is in no other."""
    found = [product for product in products(nest) if len(product.loops) == 1]
    for product in found:
        hoist(product)
    parts = {index for index in map(Product.part, found) if index is not None}
    if len(parts) > 1:
        return  # the nest is taken in parts along one index
    results = list(map(result_of, found))
    own, is_sum = in_parts(nest, parts.pop(), found) if parts else (None, None)
    for product, result in zip(found, results, strict=True):
        Raiser(product, result, own, is_sum).run()


def _raise_inner(nest: scf.ParallelOp) -> None:
    """Raise the products of a nest in a step of another, if they are large when it runs."""
    found = list(products(nest))
    if not found or any(len(each.loops) > 1 or each.part() is not None for each in found):
        return
    for product in found:
        hoist(product)
    condition = is_worth_calls(Emitter(Builder(InsertPoint.before(nest))), found)
    version = copy_of(nest)
    then, otherwise = Block([version, scf.YieldOp()]), Block()
    choice = scf.IfOp(condition, [], Region(then), Region(otherwise))
    Rewriter.insert_op(choice, InsertPoint.before(nest))
    nest.detach()
    otherwise.add_ops((nest, scf.YieldOp()))
    raise_all(version)


class RaiseProductsPass(ModulePass):
    """Computes products of matrices in one operation, before the loop that reads their elements.

    Before::

        scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
          %s = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            %y = memref.load %b[%k, %j] : memref<?x?xf64>
            %z = arith.mulf %x, %y : f64
            %next = arith.addf %acc, %z : f64
            scf.yield %next : f64
          }
          %t = math.tanh %s : f64
          memref.store %t, %r[%i, %j] : memref<?x?xf64>
        }

    After::

        %sums = memref.alloc(%n, %m) : memref<?x?xf64>
        ...
        linalg.generic {indexing_maps = [(i, j, k) -> (i, k), (i, j, k) -> (k, j), ..]}
          ins(%a, %b) outs(%sums) { ... }
        scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
          %0 = memref.load %sums[%i, %j] : memref<?x?xf64>
          %s = arith.addf %zero, %0 : f64
          ...
        }

    ``convert-loops-to-llvm`` leaves a large product to the library of the host, which is faster
    than any loop here. Each factor has a variable of its own, and they may share others.

    Positions are linear in the variables: ``a[i, g*e + k]`` is an element of a view of the array
    (``memref.reinterpret_cast``). A factor at other positions, or one that is computed, as
    ``a[i, k] - m[i]`` or ``where(p < n, a[p], 0)``, is stored in an array first. So are both
    factors of nested sums: their counters are then one axis of these arrays, and so are the
    variables that only one factor has. The counters are the last axis of a factor whose neighbours
    in memory are read in steps of them: then it is copied in order.

    Sums that are all that a nest writes, to an array of their own, are computed in that array.

    The array of sums is no larger than that of the loop, since a sum varies with all of its
    variables. A factor may be larger than the arrays that it is computed from. Then the nest is
    taken in parts, so that it has about ``MOST_ELEMENTS`` elements::

        scf.for %start = %c0 to %n step %step {
          %count = min(%step, %n - %start)
          ...
          scf.parallel (%i) = (%start) to (%start + %count) step (%c1) { .. }
        }

    If the product has fewer elements than the factor that each part would copy again, as that of a
    gradient by weights, it is the sum of the products of parts of its terms instead.

    Products whose columns are those of an inner loop are rows: see ``split_rows``. In a step of
    another parallel loop, a product is a call on the thread of that step; the loops stay, for sizes
    that are small.

    A sum of more than a product stays a loop, and so does one in a nest that writes to a factor.
    """

    name = "raise-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise_products(op)
