"""Records, calls and results."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.lowering import PythonLowering


class RecordRules(PythonLowering):
    """Tuples, calls of other functions, and returned values."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules |= {
            yarr.TupleOp: self.tuple,
            yarr.ProjOp: self.proj,
            yarr.ExternOp: self.extern,
            func.CallOp: self.call,
            func.ReturnOp: self.return_,
        }

    def tuple(self, op: yarr.TupleOp) -> None:
        """``(a, b)``"""
        fields = [self.array(field) for field in op.fields]
        self.bind(op.result, self.build.tuple(fields, op.result.type))

    def proj(self, op: yarr.ProjOp) -> None:
        """``t[0]``"""
        record, field = self.value(op.record), op.field.value.data
        if isinstance(record.owner, emitpy.TupleOp):
            return self.bind(op.result, record.owner.fields[field])
        index = self.build.literal(field)
        return self.bind(op.result, self.build.subscript(record, [index], op.result.type))

    def extern(self, op: yarr.ExternOp) -> None:
        """A call of an extrinsic; it may return its argument."""
        arguments = [self.array(argument) for argument in op.arguments]
        call = emitpy.ExternOp(op.callee, arguments, op.result.type, view=True)
        self.bind(op.result, self.build.insert(call).result)

    def call(self, op: func.CallOp) -> None:
        """A call of another function of the module, whose results are fresh."""
        arguments = [self.array(argument) for argument in op.arguments]
        call = self.build.insert(
            func.CallOp(op.callee, arguments, [result.type for result in op.results])
        )
        for old, new in zip(op.results, call.results, strict=True):
            self.bind(old, new)

    def return_(self, op: func.ReturnOp) -> None:
        """``return a, b``, if no value aliases an argument or another result."""
        memory, returned = Memory(self.scalars_are_views), set[SSAValue]()
        results = [
            self._own(self.array(value), value.type, seen, memory, returned)
            for value, seen in zip(op.arguments, self.host_results, strict=True)
        ]
        seen = [
            self.scalars.converted(*each) for each in zip(results, self.host_results, strict=True)
        ]
        self.build.insert(func.ReturnOp(*seen))

    def _own(
        self,
        value: SSAValue,
        type_: Attribute,
        seen: Attribute,
        memory: Memory,
        returned: set[SSAValue],
    ) -> SSAValue:
        """The value, or a copy if it has aliases; parts of complex numbers are copied anyway."""
        if isa(type_, TupleType):
            if not isa(seen, TupleType):
                return value
            fields = [
                self._own(self._field(value, k), field, part, memory, returned)
                for k, (field, part) in enumerate(zip(type_.types, seen.types, strict=True))
            ]
            return self.build.tuple(fields, type_)
        roots = memory.roots(value)
        if (
            roots.isdisjoint(returned)
            and not any(_is_argument(root) for root in roots)
            and not memory.is_overlapping(value)
        ):
            returned.update(roots)
            return value
        return self.copy(value)

    def _field(self, record: SSAValue, field: int) -> SSAValue:
        assert isa(record.type, TupleType)
        if isinstance(record.owner, emitpy.TupleOp):
            return record.owner.fields[field]
        index = self.build.literal(field)
        return self.build.subscript(record, [index], record.type.types.data[field])


def _is_argument(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), func.FuncOp)
