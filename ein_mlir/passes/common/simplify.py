"""``simplify``: laws, constant folding and dead code elimination, to a fixpoint.

A faster ``canonicalize`` of xDSL for regions of one block: rules are found by the class of an
operation, and an operation without users is dead, which needs no liveness analysis.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import (
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
)
from xdsl.transforms.canonicalization_patterns.arith import (
    FoldConstConstOp,
    FoldConstsByReassociation,
    SignlessIntegerBinaryOperationConstantProp,
    SignlessIntegerBinaryOperationZeroOrUnitRight,
)

from ein_mlir.rewriting import constant_folding
from ein_mlir.rewriting.passes import FixpointPass
from ein_mlir.rewriting.worklist import Rules, Simplifier


@cache
def canonical_rules(op: type[Operation]) -> Rules:
    """The rules of a class of operations: those of ``canonicalize``, and constant folding."""
    rules = laws(op)
    folding = constant_folding.PATTERNS.get(op)
    patterns = rules.patterns if folding is None else (*rules.patterns, folding)
    of_constants = all(isinstance(each, _OF_CONSTANTS) for each in patterns)
    if rules.folds:
        of_constants &= issubclass(op, arith.SignlessIntegerBinaryOperation)
    return replace(rules, patterns=patterns, of_constants=of_constants)


_OF_CONSTANTS = (
    FoldConstConstOp,
    FoldConstsByReassociation,
    SignlessIntegerBinaryOperationConstantProp,
    SignlessIntegerBinaryOperationZeroOrUnitRight,
    *({*map(type, constant_folding.PATTERNS.values())} - {constant_folding.Logic}),
)
"""Patterns that rewrite operations of constants alone."""


@cache
def laws(op: type[Operation]) -> Rules:
    """The laws of a class of operations, and whether xDSL folds them."""
    traits = op.get_traits_of_type(HasCanonicalizationPatternsTrait)
    patterns = tuple(pattern for trait in traits for pattern in trait.get_patterns(op))
    folds = op.has_trait(HasFolder, value_if_unregistered=False) and not op.has_trait(
        ConstantLike, value_if_unregistered=True
    )
    return Rules(patterns, folds)


class SimplifyPass(FixpointPass):
    """Applies the laws of the dialects, folds constants, and removes dead code, to a fixpoint.

    Before::

        %one = arith.constant 1 : i64
        %two = arith.addi %one, %one : i64
        %t = phi.tuple (%x, %two) : tuple<f64, i64>
        %y = phi.proj %t, 0 : tuple<f64, i64> -> f64
        func.return %y : f64

    After::

        func.return %x : f64

    The laws are those of ``canonicalize``, of which this is a faster version: it takes regions of
    one block, as ours are. It also folds operations that xDSL does not fold, such as quotients,
    extremes and comparisons of Ints.
    """

    name = "simplify"

    def rewrite(self, ctx: Context, module: ModuleOp) -> bool:
        return Simplifier(ctx, canonical_rules).simplify(module)
