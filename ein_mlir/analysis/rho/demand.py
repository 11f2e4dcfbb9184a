"""Shape demand of rho: the inference of chapter 4 of the thesis.

The demand of a value is a propagation vector: for each level of information about the value of its
function, the level that is needed of it. An operand is needed for each of its uses, at the level
that the operation states (``RhoOp.propagation``) for the level of its result::

    demand(operand) = max over its uses of propagation(use)[demand(result)]

A call needs its arguments at the levels of the parameters of its function, and the values that the
function uses around it at theirs. A recursive function starts with no demand, which grows until it
is stable: there are four levels, so this ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import rho
from ein_mlir.dialects.rho import Vector


def composed(inner: Vector, outer: Vector) -> Vector:
    """The demand ``inner`` of an operand for a result that has the demand ``outer``.

    >>> composed(rho.vector(0, 2, 2, 3), rho.vector(0, 0, 1, 2)) == rho.vector(0, 0, 2, 2)
    True
    """
    none, dim, shape, full = (inner[level] for level in outer)
    return none, dim, shape, full


def joined(a: Vector, b: Vector) -> Vector:
    """The larger of two demands at each level."""
    none, dim, shape, full = map(max, a, b)
    return none, dim, shape, full


class Demand:
    """The demand of the values of a program, by the rules here or by those of the thesis."""

    def __init__(self, module: ModuleOp, by_thesis: bool = False):
        self._by_thesis = by_thesis
        operations = operations_in(module, bodies_first=True)
        self.scopes = [op for op in operations if isinstance(op, rho.ScopeOp)]
        """Functions and programs, callees first unless they call each other."""
        self.functions = {
            op.sym_name.data: op for op in operations if isinstance(op, rho.FunctionOp)
        }
        self._of = dict[rho.ScopeOp, Mapping[SSAValue, Vector]]()
        self._find()

    def of(self, scope: rho.ScopeOp, value: SSAValue) -> Vector:
        """The demand of a value, for the levels of the result of a function or program."""
        return self._of[scope].get(value, rho.NOTHING)

    def vectors(self, scope: rho.ScopeOp) -> Sequence[Vector]:
        """The propagation vectors of a function: the demands of its parameters."""
        return [self.of(scope, parameter) for parameter in scope.parameters]

    def _find(self) -> None:
        """Visit all functions until nothing changes: twice, unless there is recursion."""
        changed = True
        while changed:
            changed = False
            for scope in self.scopes:
                found = _Scope(self, scope).found
                changed |= self._of.get(scope) != found
                self._of[scope] = found

    def propagation(self, op: rho.RhoOp, operand: int) -> Vector:
        """The demand on an operand of an operation that is no call."""
        return (op.propagation_in_thesis if self._by_thesis else op.propagation)(operand)

    def is_constant(self, op: rho.RhoOp) -> bool:
        """Whether an operation needs an operand at levels that do not depend on its own demand."""
        return self._by_thesis and isinstance(op, rho.IfOp)

    def of_bounds(self, op: rho.GenOp, index: Vector) -> Vector:
        """The demand on the bounds of a generator beyond its own, by that on the index."""
        return index if self._by_thesis else rho.NOTHING

    def of_body(self, op: rho.RhoOp, demand: Vector) -> Vector:
        """The demand on the values that bodies yield."""
        is_whole = isinstance(op, rho.IfOp) or self._by_thesis
        return demand if is_whole else composed(rho.ONLY_FULL, demand)

    def around(self, name: str) -> Iterator[tuple[SSAValue, Vector]]:
        """The values that a function uses and does not define, with their demands."""
        function = self.functions[name]
        for value, demand in self._of.get(function, {}).items():
            if not is_within(value, function):
                yield value, demand

    def parameters(self, name: str) -> Sequence[Vector]:
        """The propagation vectors of a function, as far as they are known."""
        function = self.functions[name]
        found = self._of.get(function, {})
        return [found.get(parameter, rho.NOTHING) for parameter in function.parameters]


class _Scope:
    """The demands of the values in a function, and of those that it uses around it."""

    def __init__(self, whole: Demand, scope: rho.ScopeOp):
        self._whole = whole
        self.found = dict[SSAValue, Vector]()
        self._visit(scope.regions[0].block, rho.IDENTITY)

    def _need(self, value: SSAValue, demand: Vector) -> None:
        if demand != rho.NOTHING:
            self.found[value] = joined(self.found.get(value, rho.NOTHING), demand)

    def _visit(self, block: Block, demand: Vector) -> None:
        """The uses in a block whose value has a demand, last to first."""
        for op in reversed(list(block.ops)):
            if isinstance(op, rho.YieldOp):
                self._need(op.value, demand)
            elif op.results:
                assert isinstance(op, rho.RhoOp)
                self._uses(op, self.found.get(op.results[0], rho.NOTHING))

    def _uses(self, op: rho.RhoOp, demand: Vector) -> None:
        for region in op.regions:
            self._visit(region.block, self._whole.of_body(op, demand))
        if isinstance(op, rho.CallOp):
            self._call(op, demand)
            return
        for number, operand in enumerate(op.operands):
            needed = self._whole.propagation(op, number)
            is_constant = self._whole.is_constant(op)
            self._need(operand, needed if is_constant else composed(needed, demand))
        if isinstance(op, rho.GenOp):
            index = self._whole.of_bounds(op, self.found.get(op.index, rho.NOTHING))
            self._need(op.lower, index)
            self._need(op.upper, index)

    def _call(self, op: rho.CallOp, demand: Vector) -> None:
        parameters = self._whole.parameters(op.function)
        for argument, needed in zip(op.arguments, parameters, strict=True):
            self._need(argument, composed(needed, demand))
        for value, needed in self._whole.around(op.function):
            self._need(value, composed(needed, demand))


def level_text(vector: Vector) -> str:
    """A vector as the thesis writes it.

    >>> level_text(rho.vector(0, 2, 2, 3))
    '[0,2,2,3]'
    """
    return f"[{','.join(str(int(level)) for level in vector)}]"
