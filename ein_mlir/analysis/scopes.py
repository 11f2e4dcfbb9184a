"""Scopes of values, captured values of bodies, and dependents of a variable."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

OperationT = TypeVar("OperationT", bound=Operation)
Node = TypeVar("Node", bound=Hashable)

# Where values are defined ---------------------------------------------------------------------


def block_of(value: SSAValue) -> Block | None:
    """The block that defines a value, as an argument or by one of its operations."""
    owner = value.owner
    return owner if type(owner) is Block else owner.parent  # pyright: ignore[reportReturnType]


def home_of(found: SSAValue | Operation) -> Block:
    """The block that defines a value, or has an operation, of those that are in one."""
    block = found.parent if isinstance(found, Operation) else block_of(found)
    assert block is not None
    return block


def is_defined_in(value: SSAValue, block: Block) -> bool:
    """Whether a block itself defines a value, and not a body inside it."""
    return block_of(value) is block


def is_within(value: SSAValue, scope: Operation | Block) -> bool:
    """Whether a value is defined in a block or the regions of an operation, at any depth."""
    block = block_of(value)
    while block is not None and block is not scope:
        op = None if block.parent is None else block.parent.parent
        if op is None or op is scope:
            return op is not None
        block = op.parent
    return block is not None


def is_known_at(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined before an operation, in its block or in one around it."""
    block, owner = block_of(value), value.owner
    place = None if block is None else block.find_ancestor_op_in_block(op)
    if place is None or isinstance(owner, Block):
        return place is not None
    return owner.is_before_in_block(place)


def around(op: Operation | None) -> Iterator[Operation]:
    """An operation and its ancestors, innermost first."""
    while op is not None:
        yield op
        op = op.parent_op()


def ancestors(op: Operation, *kinds: type[OperationT]) -> Iterator[OperationT]:
    """The operations of some kinds around another one, innermost first."""
    return (each for each in around(op.parent_op()) if isinstance(each, kinds))


def depth_of(op: Operation) -> int:
    """The number of operations around an operation, and itself."""
    return sum(1 for _ in around(op))


def nesting(variable: BlockArgument) -> tuple[int, int]:
    """The place of a variable of a body among others: the outer ones come first."""
    return sum(1 for _ in around(variable.block.parent_op())), variable.index


def outermost_without(op: Operation, values: Iterable[SSAValue]) -> Operation:
    """The outermost of an operation and those around it that defines none of some values.

    It is in the same function. Before it, all of the values are known.
    """
    place, needed = op, list(values)
    for each in around(op):
        if isinstance(each, func.FuncOp) or any(is_within(value, each) for value in needed):
            break
        place = each
    return place


def blocks_around(op: Operation) -> list[Block]:
    """The blocks that contain an operation, outermost first."""
    return [each.parent for each in around(op) if each.parent is not None][::-1]


def values_in(root: Operation) -> Iterator[SSAValue]:
    """The values defined inside an operation, in textual order."""
    for op in root.walk():
        if op is not root:
            yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def operations_in(root: Operation, *, bodies_first: bool = False) -> list[Operation]:
    """An operation and those in its regions, each before its body; after it if ``bodies_first``.

    It is the list of xDSL's ``walk``, in a third of the time.
    """
    found = list[Operation]()
    _visit(root, found, bodies_first)
    return found


def _visit(op: Operation, found: list[Operation], bodies_first: bool) -> None:
    """Append an operation and those in its regions.

    A function inside of another would be garbage in a cycle, with the list, after each walk.
    """
    if not bodies_first:
        found.append(op)
    for region in op.regions:
        block = region._first_block
        while block is not None:
            inner = block._first_op
            while inner is not None:
                if inner.regions:
                    _visit(inner, found, bodies_first)
                else:
                    found.append(inner)
                inner = inner._next_op
            block = block._next_block
    if bodies_first:
        found.append(op)


def innermost_first(root: Operation, kind: type[OperationT]) -> list[OperationT]:
    """The operations of a kind in another, each before its ancestors; later ones first."""
    return of_kinds(operations_in(root), kind)[::-1]


def of_kinds(ops: Iterable[Operation], *kinds: type[OperationT]) -> list[OperationT]:
    """Those of some operations that are of one of several kinds, in order."""
    ops = list(ops)
    classes = classes_among(ops, *kinds)
    return cast("list[OperationT]", [op for op in ops if type(op) in classes])


def classes_among(ops: Iterable[Operation], *kinds: type[Operation]) -> set[type[Operation]]:
    """The classes of operations that are of one of several kinds.

    ``isinstance`` takes ten times as long for each operation: others may be registered as a class
    of xDSL.
    """
    return {cls for cls in set(map(type, ops)) if issubclass(cls, kinds)}


def operations_of(root: Operation, kind: type[OperationT]) -> list[OperationT]:
    """The operations of a class, and of no subclass, in another, in order."""
    return cast("list[OperationT]", [op for op in operations_in(root) if type(op) is kind])


# Operands of bodies ---------------------------------------------------------------------------


def operations_within(block: Block) -> list[Operation]:
    """The operations of a block and of the bodies in it, as they are now."""
    found = list[Operation]()
    for op in block.ops:
        _visit(op, found, False)
    return found


def nested(block: Block) -> Iterator[Operation]:
    """The operations of a block and of the bodies in it."""
    for op in block.ops:
        if op.regions:
            yield from operations_in(op)
        else:
            yield op


def operands_within(op: Operation) -> Iterable[SSAValue]:
    """The operands of an operation and of those in its regions."""
    if not op.regions:
        return op._operands
    return (operand for inner in operations_in(op) for operand in inner._operands)


def makers(values: Iterable[SSAValue], block: Block | None) -> Iterator[Operation]:
    """The operations of a block that compute some of the values."""
    owners = (value.owner for value in values)
    return (cast(Operation, op) for op in owners if type(op) is not Block and op.parent is block)


def sources_within(value: SSAValue) -> Iterable[SSAValue]:
    """The operands of the operation that computes a value, and of those in its regions."""
    return operands_within(value.owner) if isinstance(value.owner, Operation) else ()


def captured(op: Operation) -> Iterator[SSAValue]:
    """The captured values of an operation: used in its regions and defined outside of it."""
    inside = (inner for region in op.regions for block in region.blocks for inner in nested(block))
    return (value for inner in inside for value in inner._operands if not is_within(value, op))


def sources(value: SSAValue) -> Sequence[SSAValue]:
    """The operands of the operation that computes a value; none of an argument of a block."""
    return value.owner.operands if isinstance(value.owner, Operation) else ()


def reached(nodes: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """Some nodes and all that follow from them, each once, those of the last node first.

    ``reached([x], sources)`` are the values that x depends on without bodies, and x itself.
    """
    pending, seen = list(nodes), set[Node]()
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            pending.extend(following(node))


def slice_within(place: Operation, values: Iterable[SSAValue]) -> list[Operation]:
    """The operations in the regions of an operation that values depend on, in order."""
    needed = needed_within(place, values)
    return [op for op in operations_in(place) if op in needed]


def needed_within(place: Operation, values: Iterable[SSAValue]) -> Collection[Operation]:
    """The operations of ``slice_within``, users first: the time is linear in their number."""
    needed, pending = dict[Operation, None](), list(values)
    while pending:
        value = pending.pop()
        owner = value.owner
        if isinstance(owner, Block) or owner in needed or not is_within(value, place):
            continue
        needed[owner] = None
        pending.extend(owner._operands)
        if owner.regions:
            pending.extend(captured(owner))
    return needed.keys()


def values_behind(
    values: Iterable[SSAValue], is_inside: Callable[[SSAValue], bool]
) -> Iterator[SSAValue]:
    """Values and those that they depend on, as far as these are inside of something."""
    pending, known = list(values), set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in known or not is_inside(value):
            continue
        known.add(value)
        yield value
        if isinstance(value.owner, Operation):
            pending.extend(operands_within(value.owner))


# Dependents of a variable ---------------------------------------------------------------------


def dependents(block: Block, *values: SSAValue) -> set[SSAValue]:
    """The values in a body that depend on its counter or accumulator, or on others of its values.

    These values are included, and so are variables of dependent inner loops. Comprehension indices
    are not: their values are the same for every value of a variable. The time is linear in the uses
    of the dependents.
    """
    dependent, seen, pending = set(values), set[Operation](), list(values)
    while pending:
        use = pending.pop().first_use
        while use is not None:
            op: Operation | None = use._operation
            while op is not None and op not in seen:
                seen.add(op)
                found = [*op.results, *_varying_variables(op)] if op.regions else op.results
                pending += found
                dependent.update(found)
                op = None if op.parent is block else op.parent_op()
            use = use._next_use
    return dependent


def _varying_variables(op: Operation) -> Iterator[BlockArgument]:
    """The variables of the bodies of an operation that are no indices."""
    arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
    return (arg for arg in arguments if not isinstance(arg.type, IndexType))


def dependents_among(ops: Iterable[Operation], *variables: SSAValue) -> set[SSAValue]:
    """The dependents among the results of operations in order, including the variables."""
    dependent = set[SSAValue](variables)
    for op in ops:
        operands = operands_within(op) if op.regions else op._operands
        if not dependent.isdisjoint(operands):
            dependent.update(op.results)
            dependent.update(_varying_variables(op))
    return dependent


def inputs_of(found: Operation | SSAValue) -> Sequence[SSAValue]:
    """The values that an operation, or that of a value, and its body depend on."""
    op = found.owner if isinstance(found, SSAValue) else found
    if isinstance(op, Block):
        return ()
    return [*op.operands, *(captured(op) if op.regions else ())]
