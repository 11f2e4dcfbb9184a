"""Expressions: the immutable graph that tracing builds and lowering reads.

A node refers to its operands, and operands never refer to their users. So releasing a value
releases the nodes that only it used, even if its inputs live longer. Sharing is by identity: a node
used twice is computed once. Each node stores its free bound variables; the set is shared with an
operand if possible.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, StrEnum
from itertools import count
from typing import Any, TypeAlias

from ein_mlir.frontend.types import I64, Number, RecordType, Type, element_of, resolve, vector_of
from ein_mlir.host.locations import Location, here

NOTHING_FREE: frozenset[Variable] = frozenset()


_serials = count()


class Expr:
    """A node: its type, its operands, its free variables, and its source location.

    ``name`` is the user's name for the value, for messages and IR. ``serial`` is the order of
    creation: a node created before a variable was bound is defined outside the body of its binder.
    """

    __slots__ = ("__weakref__", "_free", "location", "name", "operands", "serial", "type")

    def __init__(self, type_: Type, operands: tuple[Expr, ...] = (), name: str | None = None):
        self.type = type_
        self.operands = operands
        self.name = name
        self.serial = next(_serials)
        self.location: Location = here()
        self._free = free_in(operands)

    @property
    def free(self) -> frozenset[Variable]:
        """The free variables of the expression."""
        return self._free

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Restore a pickled node after its operands; serials are those of this process."""
        for name, value in state[1].items():
            object.__setattr__(self, name, value)
        self.serial = next(_serials)


def free_in(operands: Iterable[Expr]) -> frozenset[Variable]:
    """The free variables of some expressions; the set of one of them if it has all."""
    free = NOTHING_FREE
    for operand in operands:
        other = operand.free
        if other is free or other <= free:
            continue
        free = other if free <= other else free | other
    return free


# Leaves ---------------------------------------------------------------------------------------


class Constant(Expr):
    """A number."""

    __slots__ = ("value",)

    def __init__(self, value: Number, type_: Type):
        super().__init__(type_)
        self.value = value


class Input(Expr):
    """A wrapped array, or the nested tuple of arrays of an array of records.

    It is read when the program runs.
    """

    __slots__ = ("array",)

    def __init__(self, array: Any, type_: Type, name: str | None):
        super().__init__(type_, name=name)
        self.array = array


class Argument(Expr):
    """An argument of a function that is being traced.

    ``axes`` has the index sets of its axes, or None, and ``sizes`` sizes that index sets give.
    """

    __slots__ = ("axes", "sizes")

    def __init__(self, type_: Type, name: str, axes: Sequence[object] = ()):
        super().__init__(type_, name=name)
        self.axes = axes
        self.sizes: dict[int, Expr] = {}


Traced: TypeAlias = "tuple[Sequence[Argument], Expr]"
"""A function of arguments, and its result."""


class Role(Enum):
    """The role of a variable in the combinator that binds it."""

    INDEX = "index"
    COUNTER = "counter"
    ACCUMULATOR = "accumulator"
    ELEMENT = "element"
    PARAMETER = "parameter"


class Seen:
    """A use of an index in a position of an array, kept for size inference."""

    __slots__ = ("array", "axis", "direct", "location")

    def __init__(self, array: Expr, axis: int, direct: bool):
        self.array = array
        self.axis = axis
        self.direct = direct
        self.location = here()


class Variable(Expr):
    """A variable bound by a combinator.

    ``combinator`` is the name of its combinator in messages, if the role does not tell it. ``seen``
    collects the accesses at an index or counter while its combinator needs a size for it, and is
    None before and after. ``may_vary`` marks the accumulator of a loop that may end after another
    number of steps for each index; ``counts`` are those that depend on an accumulator.
    ``ends`` is an array of the ends of rows, where the row at an index ends at the next one.
    ``index_set`` is that of an index, ``set_name`` its name in messages, and ``own_size`` the size
    that it has itself; ``set_size`` is that of the arguments along its set.
    """

    __slots__ = (
        "combinator", "counts", "ends", "index_set", "may_vary", "own_size", "role", "seen",
        "set_name", "set_size",
    )  # fmt: skip

    def __init__(self, role: Role, name: str, type_: Type = I64):
        super().__init__(type_, name=name)
        self.role = role
        self.seen: list[Seen] | None = None
        self.may_vary = False
        self.counts: tuple[Expr, ...] = ()
        self.combinator: str | None = None
        self.ends: Expr | None = None
        self.index_set: object = None
        self.set_name: str | None = None
        self.own_size: Expr | None = None
        self.set_size: Expr | None = None

    @property
    def free(self) -> frozenset[Variable]:
        """The variable itself; not stored, which would be a reference cycle."""
        return frozenset((self,))


# Operations -----------------------------------------------------------------------------------


class Op(StrEnum):
    """The scalar operators, for all types that they act on; the value is their notation."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    FLOORDIV = "//"
    MOD = "%"
    POW = "**"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHL = "<<"
    SHR = ">>"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    MIN = "min"
    MAX = "max"
    ATAN2 = "atan2"
    NEG = "unary -"
    NOT = "~"
    ABS = "abs"
    SIGN = "sign"
    FLOOR = "floor"
    CEIL = "ceil"
    ROUND = "round"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    ASIN = "asin"
    ACOS = "acos"
    ATAN = "atan"
    SINH = "sinh"
    COSH = "cosh"
    TANH = "tanh"
    EXP = "exp"
    EXP2 = "exp2"
    EXPM1 = "expm1"
    LOG = "log"
    LOG2 = "log2"
    LOG10 = "log10"
    LOG1P = "log1p"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    CBRT = "cbrt"
    ERF = "erf"
    SELECT = "where"
    CONVERT = "conversion"


class Apply(Expr):
    """A scalar operator applied to scalars. ``CONVERT`` converts to the type of the node."""

    __slots__ = ("op",)

    def __init__(self, op: Op, operands: tuple[Expr, ...], type_: Type):
        super().__init__(type_, operands)
        self.op = op


class Get(Expr):
    """Indexing from the outermost axis: operands are the array and its positions."""

    __slots__ = ()

    def __init__(self, array: Expr, positions: tuple[Expr, ...]):
        super().__init__(element_of(array.type, len(positions)), (array, *positions))

    @property
    def array(self) -> Expr:
        """The array that is indexed."""
        return self.operands[0]

    @property
    def positions(self) -> tuple[Expr, ...]:
        """The positions along the outermost axes."""
        return self.operands[1:]


class Size(Expr):
    """The size of an array along an axis."""

    __slots__ = ("axis",)

    def __init__(self, array: Expr, axis: int):
        super().__init__(I64, (array,), f"size{axis}_{array.name}" if array.name else None)
        self.axis = axis


class AssertEqual(Expr):
    """The first of two Ints that are asserted to be equal when the program runs."""

    __slots__ = ("message",)

    def __init__(self, lhs: Expr, rhs: Expr, message: str):
        super().__init__(I64, (lhs, rhs), lhs.name)
        self.message = message


class Argsort(Expr):
    """The positions of the elements of a vector of scalars in increasing order."""

    __slots__ = ()

    def __init__(self, vector: Expr):
        super().__init__(vector_of(I64, 1), (vector,))


class Concat(Expr):
    """Two vectors end to end; ``length`` is the sum of their sizes."""

    __slots__ = ("length",)

    def __init__(self, lhs: Expr, rhs: Expr, length: Expr):
        super().__init__(lhs.type, (lhs, rhs))
        self.length = length


class Record(Expr):
    """A record of its operands, all in the order of the fields of its type."""

    __slots__ = ()

    def __init__(self, fields: tuple[Expr, ...], type_: RecordType):
        super().__init__(type_, fields)


class Field(Expr):
    """A field of a record."""

    __slots__ = ("index",)

    def __init__(self, record: Expr, index: int):
        type_ = resolve(record.type)
        assert isinstance(type_, RecordType)
        name = None if type_.container is tuple else type_.names[index]
        super().__init__(type_.fields[index], (record,), name)
        self.index = index


def field_of(record: Expr, index: int) -> Expr:
    """``proj(tuple(..., x, ...), k) --> x``, or the projection."""
    return record.operands[index] if isinstance(record, Record) else Field(record, index)


class Extern(Expr):
    """A call of a function of the embedding program.

    ``called`` is the name of the function in messages; equal ``key``s mean the same function.
    ``rules`` trace its derivatives, as functions of the parameters that they return.
    """

    __slots__ = ("called", "function", "key", "rules")

    def __init__(
        self,
        arguments: tuple[Expr, ...],
        type_: Type,
        function: Callable[..., Any],
        key: Hashable,
        called: str,
        rules: Mapping[str, Callable[[], Traced]],
    ):
        super().__init__(type_, arguments)
        self.rules = rules
        self.function = function
        self.key = key
        self.called = called


# Binders --------------------------------------------------------------------------------------


class Binder(Expr):
    """An operation with a body in which variables are bound; they are not free outside.

    ``known_sizes`` caches the sizes of the result by axis.
    """

    __slots__ = ("body", "known_sizes", "variables")

    def __init__(
        self,
        type_: Type,
        operands: tuple[Expr, ...],
        variables: tuple[Variable, ...],
        body: Expr,
    ):
        super().__init__(type_, operands)
        self.variables = variables
        self.body = body
        self.known_sizes: dict[int, Expr] = {}
        inner = body.free.difference(variables)
        if not inner <= self._free:
            self._free = inner if self._free <= inner else self._free | inner


class Array(Binder):
    """A comprehension: operands are the sizes of its indices, outermost first."""

    __slots__ = ()

    def __init__(self, indices: tuple[Variable, ...], sizes: tuple[Expr, ...], body: Expr):
        super().__init__(vector_of(body.type, len(indices)), sizes, indices, body)


class Accumulation(Binder):
    """Values combined at positions: operands are the counts of the indices, then the sizes.

    The body is the record of the positions and of the value. With several kinds it is the record of
    several such records, all with the same sizes, and the result is the record of their arrays.
    """

    __slots__ = ("kinds",)

    def __init__(
        self,
        indices: tuple[Variable, ...],
        counts: tuple[Expr, ...],
        extents: tuple[Expr, ...],
        kinds: tuple[str, ...],
        body: Record,
    ):
        self.kinds = kinds
        records = [body] if len(kinds) == 1 else body.operands
        types = [vector_of(record.operands[-1].type, len(extents)) for record in records]
        names = tuple(map(str, range(len(types))))
        type_ = types[0] if len(types) == 1 else RecordType(tuple, names, tuple(types))
        super().__init__(type_, (*counts, *extents), indices, body)

    @property
    def extents(self) -> tuple[Expr, ...]:
        """The sizes of the axes of the positions."""
        return self.operands[len(self.variables) :]


class Fold(Binder):
    """A loop: operands are its count and initial value, variables its counter and accumulator."""

    __slots__ = ()

    def __init__(self, count: Expr, init: Expr, variables: tuple[Variable, Variable], body: Expr):
        super().__init__(init.type, (count, init), variables, body)


class While(Fold):
    """A loop that ends: the accumulator is a record, and field 0 tells whether a step runs."""

    __slots__ = ()


class Reduce(Binder):
    """An associative reduction: operands are the vector and the identity."""

    __slots__ = ()

    def __init__(
        self, vector: Expr, identity: Expr, variables: tuple[Variable, Variable], body: Expr
    ):
        super().__init__(identity.type, (vector, identity), variables, body)


class Derivative(Binder):
    """A derivative of a function of one parameter: operands are a point and a direction.

    It is the record of the value and of the derivative.
    """

    __slots__ = ()

    def __init__(self, point: Expr, direction: Expr, parameter: Variable, body: Expr, type_: Type):
        record = RecordType(tuple, ("0", "1"), (body.type, type_))
        super().__init__(record, (point, direction), (parameter,), body)


class Jvp(Derivative):
    """The derivative of the result in the direction of a tangent of the point."""

    __slots__ = ()

    def __init__(self, point: Expr, tangent: Expr, parameter: Variable, body: Expr):
        super().__init__(point, tangent, parameter, body, body.type)


class Vjp(Derivative):
    """The cotangent of the point for a cotangent of the result."""

    __slots__ = ("checkpoint",)

    def __init__(
        self,
        point: Expr,
        cotangent: Expr,
        parameter: Variable,
        body: Expr,
        checkpoint: int | None = None,
    ):
        super().__init__(point, cotangent, parameter, body, point.type)
        self.checkpoint = checkpoint


def children(expr: Expr) -> Sequence[Expr]:
    """The operands of a node, and its body."""
    return (*expr.operands, expr.body) if isinstance(expr, Binder) else expr.operands


def operands_first(result: Expr) -> Iterator[Expr]:
    """Every node of the program of a result, once, after its operands and its body."""
    done, stack = set[Expr](), [result]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        pending = [child for child in children(node) if child not in done]
        if pending:
            stack.extend(reversed(pending))
        else:
            stack.pop()
            done.add(node)
            yield node
