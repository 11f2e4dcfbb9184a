"""Loops."""

from __future__ import annotations

from xdsl.ir import Block, Region, SSAValue

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering


class LoopRules(PythonLowering):
    """Rules for loops: loops of Python."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.FoldOp: self.fold,
            yarr.WhileOp: self.while_,
        }

    def fold(self, op: yarr.FoldOp) -> None:
        """``for k in range(n):``"""
        self.loop(op)

    def while_(self, op: yarr.WhileOp) -> None:
        """``while more:``, or a loop over a limit that may end early."""
        self.loop(op)

    def loop(self, op: yarr.FoldOp | yarr.WhileOp) -> None:
        """A loop of Python."""
        count = self.value(op.count)
        accumulators = op.accumulators
        inits = [self.held(init, a) for init, a in zip(op.inits, accumulators, strict=True)]
        body = Block(arg_types=[OBJECT, *(init.type for init in op.inits)])
        for old, new in zip(op.body.block.args, body.args, strict=True):
            new.name_hint = old.name_hint
            self.values[old] = new
        self.counters.add(body.args[0])
        with self.build.emitting_into(body):
            self.block(op.body.block)
            terminator = op.body.block.last_op
            assert isinstance(terminator, yarr.YieldOp)
            steps = zip(terminator.values, accumulators, strict=True)
            self.build.insert(emitpy.YieldOp(*(self.held(value, a) for value, a in steps)))
        self.build.source = op
        is_conditional = isinstance(op, yarr.WhileOp)
        loop = self.build.insert(
            emitpy.ForOp(count, inits, Region(body), conditional=is_conditional)
        )
        for old, new in zip(op.res, loop.res, strict=True):
            self.bind(old, new)

    def held(self, value: SSAValue, accumulator: SSAValue) -> SSAValue:
        """A value as an accumulator of a loop holds it."""
        return self.array(value)
