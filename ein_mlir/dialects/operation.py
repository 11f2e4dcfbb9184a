"""Shared interfaces of all operations: diagnostics, laws, and the terminators of bodies."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedSegments,
    IRDLOperation,
    VariadicDef,
    VarIRConstruct,
)
from xdsl.irdl.operations import (
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    OptionalAttrAccessor,
    SingleAttrAccessor,
    UniqueVariadicAccessor,
    VariadicAttrAccessor,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, OpTrait
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects.creation import fill
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.direct_xdsl import ElementAccessor, Nominal, read_directly
from ein_mlir.host.late_xdsl import late_format

read_directly()

_Operand: TypeAlias = SSAValue | Operation
OperationT = TypeVar("OperationT", bound=IRDLOperation)


class EinOp(IRDLOperation, metaclass=Nominal):
    """An operation: its diagnostics, its drawing, and the roles of its body's arguments.

    All except the diagnostics have defaults that fit most operations.
    """

    NAMED_BY: ClassVar[str | None] = None
    """The property that a drawing shows in place of the name of the operation."""

    BINDS_OPERANDS: ClassVar[bool] = False
    """Whether the arguments of its body represent its operands, one for one."""

    def __init__(
        self,
        *,
        operands: Sequence[_Operand | Sequence[_Operand] | None] = (),
        result_types: Sequence[Attribute | Sequence[Attribute]] = (),
        properties: Mapping[str, Attribute | None] | None = None,
        regions: Sequence[Region] = (),
    ):
        """Initialise as IRDL does, but without its checks, which the verifier makes too.

        Half of the time of making an operation would be spent on them.
        """
        given = {k: v for k, v in (properties or {}).items() if v is not None}
        if _has_segments(type(self)):
            given[_SIZES] = _segment_sizes(tuple(map(_number_of, operands)))
        fill(self, _values(operands), _types(result_types), given, regions)
        Operation.__post_init__(self)  # an implicit builder inserts it

    def fail(self, message: str) -> VerifyException:
        """The error for an invalid operation."""
        return VerifyException(f"{self.name}: {message}{where_written(self)}")

    def counters(self) -> Sequence[BlockArgument]:
        """The indices of a comprehension or the counter of a loop, arguments of its body."""
        return ()

    def variables(self) -> Sequence[BlockArgument]:
        """The arguments of its body that hold the values yielded by earlier steps."""
        return ()

    def scalar_operation(self) -> Operation | None:
        """The only scalar operation of its body; None if there are more."""

    def label(self, terms: Sequence[str]) -> str | None:
        """The label of a drawing, given the names of its operands: ``a[i, k]``.

        None is the default: its name, its properties and, if they matter, its operands.
        """

    def literal(self) -> str | None:
        """The text of a drawing at each use of its result; None if it has a node."""


def op_definition(cls: type[OperationT]) -> type[OperationT]:
    """The definition of an operation: its format is parsed when it is first used, `late_format`."""
    late_format(cls)
    access_directly(cls)
    return cls


class _RegionAccessor(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Operation, objtype: object = None) -> Region:
        return obj.regions[self.idx]


class _OperandsAccessor(UniqueVariadicAccessor):
    def __get__(self, obj: Operation, objtype: object = None) -> Sequence[SSAValue]:
        operands = obj._operands  # pyright: ignore[reportPrivateUsage]
        return operands if self.num_defs == 1 else self.index(operands)


_SIZES = AttrSizedOperandSegments.attribute_name


def _in_segments(accessor: type[BaseAttrAccessor]) -> type[BaseAttrAccessor]:
    """An accessor of operands of which the operation has the number for each definition."""

    def get(self: BaseAttrAccessor, obj: Operation, objtype: object = None) -> Any:
        sizes = cast(DenseArrayBase, obj.properties[_SIZES])
        return self.index(_sizes_in(sizes.data.data), obj._operands)  # pyright: ignore[reportPrivateUsage]

    return type(accessor.__name__, (accessor,), {"__get__": get})


@cache
def _sizes_in(data: bytes) -> tuple[int, ...]:
    """The 32-bit numbers of a property."""
    return struct.unpack(f"<{len(data) // 4}i", data)


@cache
def _segment_sizes(sizes: Sequence[int]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, sizes)


def _number_of(operands: _Operand | Sequence[_Operand] | None) -> int:
    """The number of operands that are given for one definition."""
    if operands is None:
        return 0
    is_one = type(operands) in VALUES or isinstance(operands, Operation)
    return 1 if is_one else len(cast("Sequence[_Operand]", operands))


_Accessor: TypeAlias = type[BaseAccessor] | type[BaseAttrAccessor]

_ACCESSORS: dict[tuple[_Accessor, VarIRConstruct], _Accessor] = {
    (BeforeVariadicSingleAccessor, VarIRConstruct.REGION): _RegionAccessor,
    (UniqueVariadicAccessor, VarIRConstruct.OPERAND): _OperandsAccessor,
    **{
        (each, VarIRConstruct.OPERAND): _in_segments(each)
        for each in (SingleAttrAccessor, VariadicAttrAccessor, OptionalAttrAccessor)
    },
}
"""Accessors of several operands, and of single regions.

Those of IRDL make a view of all operands first, in five calls, and read the number of operands of
each definition from bytes.
"""

_BY_NUMBER = (VarIRConstruct.OPERAND, VarIRConstruct.RESULT)
"""The constructs that are read one by one, without a function in Python."""


def access_directly(cls: type[IRDLOperation]) -> None:
    """Read operands, results and regions by their numbers."""
    operands = cls.get_irdl_definition().operands
    first = next((k for k, (_, each) in enumerate(operands) if isinstance(each, VariadicDef)), 0)
    for name, old in list(vars(cls).items()):
        is_known = isinstance(old, BaseAccessor | BaseAttrAccessor)
        is_before = isinstance(old, SingleAttrAccessor) and old.idx < first
        is_single = is_before or type(old) is BeforeVariadicSingleAccessor
        if is_single and old.construct in _BY_NUMBER:
            setattr(cls, name, ElementAccessor(old.construct, old.idx))
        elif is_known and (type(old), old.construct) in _ACCESSORS:
            direct = _ACCESSORS[type(old), old.construct]
            setattr(cls, name, direct(*(getattr(old, f.name) for f in fields(old))))


@cache
def _has_segments(op: type[IRDLOperation]) -> bool:
    """Whether operations of a class record how many operands each of their variadic ones has."""
    options = op.get_irdl_definition().options
    return any(isinstance(option, AttrSizedSegments) for option in options)


def _values(operands: Iterable[_Operand | Sequence[_Operand] | None]) -> list[SSAValue]:
    found = list[Any]()
    for operand in operands:
        if type(operand) in VALUES:
            found.append(operand)
        elif isinstance(operand, Operation):
            found.append(value_of(operand))
        elif operand is not None:
            found += map(value_of, operand)  # pyright: ignore[reportArgumentType]
    return found


def value_of(operand: _Operand) -> SSAValue:
    """A value, or the result of an operation with one."""
    return operand if type(operand) in VALUES else SSAValue.get(operand)  # pyright: ignore[reportReturnType]


VALUES = (OpResult, BlockArgument)
"""The classes of values: ``isinstance`` of their base takes ten times as long."""


def _types(types: Iterable[Attribute | Sequence[Attribute]]) -> list[Attribute]:
    found = list[Any]()
    for type_ in types:
        if isinstance(type_, Attribute):
            found.append(type_)
        else:
            found += type_
    return found


def subscripted(terms: Sequence[str]) -> str:
    """The label of an indexing.

    >>> subscripted(["a", "i", "k"])
    'a[i, k]'
    """
    return f"{terms[0]}[{', '.join(terms[1:])}]"


def shortened(text: str) -> str:
    """A text, shortened to the length of a label."""
    return text if len(text) <= 50 else f"{text[:47]}..."


_LAWS: dict[type[Operation], tuple[RewritePattern, ...]] = {}


def register_laws(laws: Mapping[type[Operation], tuple[RewritePattern, ...]]) -> None:
    """Register the laws of the operations of a dialect that have the trait `Canonical`."""
    _LAWS.update(laws)


class Canonical(HasCanonicalizationPatternsTrait):
    """The operation has laws, which ``canonicalize`` applies; its dialect registers them."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return _LAWS.get(op, ())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return tuple(pattern for patterns in _LAWS.values() for pattern in patterns)


@dataclass(frozen=True)
class EndsBody(OpTrait):
    """The operation ends the body of an operation of a class."""

    parent: type[Operation]
    parents: str
    """The names of the operations of the class in a diagnostic."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and not isinstance(parent, self.parent):
            raise VerifyException(
                f"{op.name}: it ends the body of {self.parents}, not of {parent.name}"
                + where_written(op)
            )
