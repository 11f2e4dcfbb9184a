"""The linearisation of extrinsics, by the functions that are registered as their derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.traits import SymbolTable

from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.calls import inlined
from ein_mlir.rewriting.phi.derivatives.tangents import (
    Linearization,
    NoDerivativeError,
    Tangents,
    is_differentiable,
    of_size,
    zeros,
)
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


def extern(lin: Linearization, op: phi.ExternOp, build: Inserter) -> None:
    """``f x  -->  f_jvp x, r, dx``, or the transpose of ``f_vjp x, r, _`` applied to ``dx``

    A derivative backwards prefers the latter, which needs no transposition of the rule.
    """
    tangents = [lin.of(argument) for argument in op.arguments]
    if not _has_floats(op.result.type) or not any(any(each) for each in tangents):
        return
    if op.vjp is not None and (lin.saves or op.jvp is None):
        lin.define(op.result, _by_cotangents(build, op, _function(op, op.vjp), tangents))
    elif op.jvp is not None:
        lin.define(op.result, _by_tangents(build, op, _function(op, op.jvp), tangents))
    else:
        raise NoDerivativeError(
            op, "it has no derivative; ext(.., jvp=..) or ext(.., vjp=..) gives it one"
        )


def _has_floats(type_: Attribute) -> bool:
    return any(map(is_differentiable, leaf_types(type_)))


def _function(op: phi.ExternOp, symbol: SymbolRefAttr) -> func.FuncOp:
    found = SymbolTable.lookup_symbol(op, symbol)
    if not isinstance(found, func.FuncOp) or found.is_declaration:
        raise NoDerivativeError(op, f"'{symbol}' is no function of the module")
    return found


def _by_tangents(
    build: Inserter, op: phi.ExternOp, rule: func.FuncOp, tangents: Sequence[Tangents]
) -> Tangents:
    directions: list[SSAValue] = []
    for argument, given in zip(op.arguments, tangents, strict=True):
        if _has_floats(argument.type):
            leaves = zip(given, build.leaves(argument), strict=True)
            found = [tangent or zeros(build, leaf) for tangent, leaf in leaves]
            directions.append(build.record(argument.type, found))
    (result,) = inlined(build, rule, [*op.arguments, op.result, *directions])
    pairs = zip(build.leaves(result), build.leaves(op.result), strict=True)
    return [
        of_size(build, tangent, leaf, "tangent") if is_differentiable(leaf.type) else None
        for tangent, leaf in pairs
    ]


def _by_cotangents(
    build: Inserter, op: phi.ExternOp, rule: func.FuncOp, tangents: Sequence[Tangents]
) -> Tangents:
    """``phi.transpose (ct = r) by dx { f_vjp x, r, ct }``"""
    like = [leaf for leaf in build.leaves(op.result) if is_differentiable(leaf.type)]
    block = Block(arg_types=[leaf.type for leaf in like])
    inner, cotangents = Builder.at_end(block), iter(block.args)
    given = [
        next(cotangents) if is_differentiable(leaf.type) else zeros(inner, leaf)
        for leaf in inner.leaves(op.result)
    ]
    direction = inner.record(op.result.type, given)
    (found,) = inlined(inner, rule, [*op.arguments, op.result, direction])
    results = iter(inner.leaves(found))
    active, wanted = list[SSAValue](), list[SSAValue]()
    for argument, own in zip(op.arguments, tangents, strict=True):
        if _has_floats(argument.type):
            for tangent, leaf in zip(own, inner.leaves(argument), strict=True):
                cotangent = next(results)
                if tangent is not None:
                    active.append(tangent)
                    wanted.append(of_size(inner, cotangent, leaf, "cotangent"))
    inner.yield_(inner.packed(wanted))
    linear = build.insert(phi.TransposeOp(like, build.packed(active), Region(block)))
    number = iter(range(len(like)))
    return [
        build.proj(linear.result, next(number)) if is_differentiable(type_) else None
        for type_ in leaf_types(op.result.type)
    ]
