"""Parts of programs of xDSL, read and compared without functions in Python.

xDSL reads the type of a value, the next operation, and operands by their names with properties and
accessors in Python. A program of the benchmark reads 20,000 of them: a tenth of compile time. The
classes are the same afterwards, and so is what they return.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    TupleType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue, Use
from xdsl.ir.core import (
    BlockOps,
    IRNode,
    IRUses,
    IRWithName,
    IRWithUses,
    OpOperands,
    RegionBlocks,
    SSAValues,
    _IRNode,
)
from xdsl.irdl import IRDLOperation
from xdsl.irdl.operations import (
    BaseAccessor,
    BeforeVariadicSingleAccessor,
    VarIRConstruct,
    get_op_constructs,
)
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import ConstantLike, OpTrait


class Nominal(ABCMeta):
    """The metaclass of classes that have subclasses only: an instance is recognised by its bases.

    ``ABCMeta`` also finds registered classes, for twice the time; passes test millions of classes.
    """

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__


item_of = cast("Callable[[object, int], Any]", tuple.__getitem__)  # pyright: ignore[reportUnknownMemberType]
"""An element of a tuple, by its number, also where a class of tuples returns slices of its own."""


class _Elements(NamedTuple):
    """Its fields are descriptors that read an element of any tuple."""

    element0: Any
    element1: Any
    element2: Any
    element3: Any
    element4: Any
    element5: Any
    element6: Any
    element7: Any


class ElementAccessor(property, BeforeVariadicSingleAccessor):
    """An operand or a result by its number, ``op._operands[0]``: an accessor and a property."""

    def __init__(self, construct: VarIRConstruct, number: int):
        assert number < len(_Elements._fields)
        field = {VarIRConstruct.OPERAND: "_operands", VarIRConstruct.RESULT: "results"}[construct]
        property.__init__(self, attrgetter(f"{field}.element{number}"))
        object.__setattr__(self, "construct", construct)  # it is frozen
        object.__setattr__(self, "idx", number)


def read_directly() -> None:
    """Let the classes of xDSL read their parts directly."""
    # Values and the parts of programs are equal to themselves only.
    for cls in (SSAValue, Use, Operation, IRDLOperation, Block, Region):
        for method in ("__eq__", "__hash__"):
            setattr(cls, method, getattr(object, method))
    for cls, name, field in _FIELDS:
        setattr(cls, name, property(attrgetter(field), vars(cls)[name].fset))
    for cls, name, view in _VIEWS:
        setattr(cls, name, property(view, vars(cls)[name].fset))
    Operation.parent_op = _parent_op
    _IRNode.is_ancestor = _is_ancestor
    ConstantLike.get_constant_value = staticmethod(_constant_value)
    Operation.result_types = property(_result_types)  # pyright: ignore[reportAttributeAccessIssue]
    for base in _BASES:
        _make_nominal(base)
    SSAValue.replace_all_uses_with = _replace_all_uses_with
    SSAValue.erase = _erase_value
    OpOperands.__setitem__ = _set_operand
    valid_name = vars(IRWithName)["extract_valid_name"].__func__
    IRWithName.extract_valid_name = classmethod(lru_cache(4096)(valid_name))  # pyright: ignore[reportAttributeAccessIssue]
    BlockOps.__len__ = _number_of_operations
    BlockOps.__iter__ = _operations  # pyright: ignore[reportAttributeAccessIssue]
    SSAValues.__getitem__ = _element  # pyright: ignore[reportAttributeAccessIssue]
    for attribute in _HASHED:
        hash_once(attribute)
    for name in _Elements._fields:
        setattr(SSAValues, name, getattr(_Elements, name))
    BaseAccessor.__get__ = _accessed
    BeforeVariadicSingleAccessor.__get__ = _accessed_single


_BASES = (SSAValue, Operation, Region, Block, Attribute, OpTrait, RewritePattern, ModulePass)
"""Classes that have subclasses only."""

_FIELDS = (
    (SSAValue, "type", "_type"),
    (Use, "operation", "_operation"),
    (IRWithName, "name_hint", "_name"),
    (OpResult, "owner", "op"),
    (BlockArgument, "owner", "block"),
    (Operation, "next_op", "_next_op"),
    (Operation, "prev_op", "_prev_op"),
    (Block, "args", "_args"),
    (Block, "first_op", "_first_op"),
    (Block, "last_op", "_last_op"),
    (Block, "next_block", "_next_block"),
    (Region, "first_block", "_first_block"),
    (Region, "last_block", "_last_block"),
)
"""Properties that are the value of a field."""

_HASHED = (
    *(Float32Type, Float64Type, FloatAttr, IndexType, IntegerAttr, IntegerType),
    *(TensorType, TupleType),
)
"""The classes of types and numbers, keys of most dictionaries."""

_VIEWS: tuple[tuple[type, str, Callable[[Any], object]], ...] = (
    (Operation, "operands", OpOperands),
    (IRWithUses, "uses", IRUses),
    (Block, "ops", BlockOps),
    (Region, "blocks", RegionBlocks),
)
"""Properties that are a view of their object."""


def hash_once(cls: type[Attribute]) -> None:
    """Let attributes of a class keep their hash: that of a type is one of five parts in Python."""
    computed = cls.__hash__

    def hashed(self: Any) -> int:
        kept = self.__dict__
        if "_hash" not in kept:
            kept["_hash"] = computed(self)
        return kept["_hash"]

    cls.__hash__ = hashed
    cls.__getstate__ = _without_hash


def _without_hash(self: Attribute) -> dict[str, object]:
    """What is pickled: in another process strings have another hash."""
    return {name: part for name, part in vars(self).items() if name != "_hash"}


def _make_nominal(base: type) -> None:
    """Let a class of xDSL, and those that inherit from it, recognise instances by their bases."""
    pending = [base]
    while pending:
        cls = pending.pop()
        if type(cls) is ABCMeta:
            cls.__class__ = Nominal
        pending.extend(cls.__subclasses__())


def _operations(block: BlockOps) -> Iterator[Operation]:
    """The operations of a block; the next one is known before a user of the iterator moves one."""
    op = block.block._first_op
    while op is not None:
        following = op._next_op
        yield op
        op = following


def _number_of_operations(self: BlockOps) -> int:
    """Python asks for it before it makes a list of them, too."""
    number, op = 0, self.block._first_op
    while op is not None:
        number, op = number + 1, op._next_op
    return number


def _parent_op(self: Operation) -> Operation | None:
    block = self.parent
    region = None if block is None else block.parent
    return None if region is None else region.parent


def _is_ancestor(self: _IRNode, op: IRNode) -> bool:
    node: IRNode | None = op
    while node is not None:
        if node is self:
            return True
        node = node.parent
    return False


def _replace_all_uses_with(self: SSAValue, value: SSAValue) -> None:
    if value is self:
        return
    use = self.first_use
    self.first_use = None
    while use is not None:
        op, following = use._operation, use._next_use
        operands = list(op._operands)
        operands[use._index] = value
        op._operands = SSAValues(operands)
        value.add_use(use)
        use = following
    if value._name is None and self._name is not None:
        value.name_hint = self._name


def _set_operand(self: OpOperands, idx: int, operand: SSAValue) -> None:
    op = self._op
    operands, use = list(op._operands), op._operand_uses[idx]
    operands[idx].remove_use(use)
    operand.add_use(use)
    operands[idx] = operand
    op._operands = SSAValues(operands)


_erase_used_value = SSAValue.erase


def _erase_value(self: SSAValue, safe_erase: bool = True) -> None:
    """The end of most values, which have no users to be told of it."""
    if self.first_use is not None:
        _erase_used_value(self, safe_erase)


_value_of_constant = ConstantLike.get_constant_value


def _constant_value(ssa_value: SSAValue) -> Attribute | None:
    """None for most values, whose operations are of classes without the trait."""
    return _value_of_constant(ssa_value) if _is_constant(type(ssa_value.owner)) else None


@cache
def _is_constant(owner: type[Operation | Block]) -> bool:
    return issubclass(owner, Operation) and owner.has_trait(ConstantLike)


def _result_types(self: Operation) -> tuple[Attribute, ...]:
    return tuple([result._type for result in self.results])


def _element(values: SSAValues, index: int | slice) -> Any:
    found = item_of(values, index)  # pyright: ignore[reportArgumentType]
    return SSAValues(found) if type(index) is slice else found


def _accessed(self: BaseAccessor, obj: Operation, objtype: object = None) -> Any:
    construct = self.construct
    if construct is VarIRConstruct.OPERAND:
        return self.index(obj._operands)
    return self.index(get_op_constructs(obj, construct))


def _accessed_single(
    self: BeforeVariadicSingleAccessor, obj: Operation, objtype: object = None
) -> Any:
    construct = self.construct
    if construct is VarIRConstruct.OPERAND:
        return item_of(obj._operands, self.idx)
    if construct is VarIRConstruct.RESULT:
        return item_of(obj.results, self.idx)
    return self.index(get_op_constructs(obj, construct))
