"""A check that definitions dominate their uses, which xDSL's ``verify()`` does not do.

A value is visible from its definition to the end of its block, in the blocks that its block
dominates, and in the regions in between, except in those of an operation that is isolated from
above.
"""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written


def check_dominance(root: Operation) -> None:
    """Raise VerifyException if an operation inside ``root`` uses a value out of its scope.

    The time is linear in the size of ``root``.
    """
    for region in root.regions:
        _check_region(region, set())


def _check_region(region: Region, visible: set[SSAValue]) -> None:
    """Check a region in which ``visible`` values may be used; restore ``visible`` at the end."""
    first = region.first_block
    if first is None:
        return
    if first is region.last_block:
        visible.difference_update(_check_block(first, visible))
        return
    dominated = dominator_tree(region)
    pending: list[Block | list[SSAValue]] = list(dominated[None])
    while pending:
        match pending.pop():
            case Block() as block:
                pending.append(_check_block(block, visible))
                pending.extend(dominated[block])
            case added:
                visible.difference_update(added)


def _check_block(block: Block, visible: set[SSAValue]) -> list[SSAValue]:
    """Check a block and make its values visible; they are the result."""
    added: list[SSAValue] = list(block.args)
    visible.update(added)
    for op in block.ops:
        _check_operation(op, visible)
        added.extend(op.results)
        visible.update(op.results)
    return added


def _check_operation(op: Operation, visible: set[SSAValue]) -> None:
    for index, operand in enumerate(op.operands):
        if operand not in visible:
            raise VerifyException(
                f"{op.name}: operand {index}, {_describe(operand)}, is used where it is not defined"
                f"{where_written(op)}; {_definition(operand)}"
            )
    inner = set[SSAValue]() if op.has_trait(IsolatedFromAbove) else visible
    for region in op.regions:
        _check_region(region, inner)


def _describe(value: SSAValue) -> str:
    name = f"%{value.name_hint}, " if value.name_hint else ""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        return f"{name}an argument of {parent.name if parent else 'a block'}"
    assert isinstance(value.owner, Operation)
    return f"{name}a result of {value.owner.name}"


def _definition(value: SSAValue) -> str:
    if isinstance(value, BlockArgument):
        return "an argument is visible in its body only"
    assert isinstance(value.owner, Operation)
    return (
        f"its definition{where_written(value.owner)} must come before, in the same or an outer body"
    )


# Dominators -----------------------------------------------------------------------------------


def dominator_tree(region: Region) -> dict[Block | None, list[Block]]:
    """The blocks that each block of a region immediately dominates.

    Under None are the entry, and the blocks that it does not reach: these see no other block.
    The algorithm is that of Cooper, Harvey and Kennedy, linear for most programs.
    """
    order = _postorder(region)
    number = {block: k for k, block in enumerate(order)}
    dominators = _immediate_dominators(order, number)
    tree: dict[Block | None, list[Block]] = {None: [], **{block: [] for block in region.blocks}}
    for block in region.blocks:
        dominator = dominators.get(block)
        tree[None if dominator is block else dominator].append(block)
    return tree


def _postorder(region: Region) -> list[Block]:
    """The blocks that the entry reaches, each after its successors."""
    entry = region.blocks[0]
    order, seen, path = list[Block](), {entry}, [(entry, iter(_successors(entry)))]
    while path:
        block, successors = path[-1]
        following = next((s for s in successors if s not in seen), None)
        if following is None:
            order.append(block)
            path.pop()
        else:
            seen.add(following)
            path.append((following, iter(_successors(following))))
    return order


def _successors(block: Block) -> list[Block]:
    last = block.last_op
    return [] if last is None else [s for s in last.successors if s.parent is block.parent]


def _immediate_dominators(order: list[Block], number: dict[Block, int]) -> dict[Block, Block]:
    """The immediate dominator of each block in a postorder; the entry, the last, has itself."""
    predecessors: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            predecessors[successor].append(block)
    entry = order[-1]
    found = {entry: entry}
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            known = [p for p in predecessors[block] if p in found]
            dominator = known[0]
            for other in known[1:]:
                dominator = _common(dominator, other, found, number)
            changed |= found.get(block) is not dominator
            found[block] = dominator
    return found


def _common(a: Block, b: Block, found: dict[Block, Block], number: dict[Block, int]) -> Block:
    """The nearest block that dominates two blocks."""
    while a is not b:
        while number[a] < number[b]:
            a = found[a]
        while number[b] < number[a]:
            b = found[b]
    return a
