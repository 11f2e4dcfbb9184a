"""Random programs of phi: all operations and types, records, every form of indexing.

Programs are well typed and regular, but may fail: sizes can be negative and assertions wrong, in
loops that run and in loops that do not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

INT, BOOL = "i64", "i1"


def vec(element: str) -> str:
    return f"!phi.vec<{element}>"


def element_of(type_: str) -> str:
    """The type of the elements of a vector."""
    return type_.removeprefix("!phi.vec<")[:-1]


BINARY_FLOATS = (
    *("arith.addf", "arith.mulf", "arith.subf", "arith.maximumf", "arith.minimumf") * 4,
    *("arith.divf", "arith.maxnumf", "arith.minnumf", "math.copysign", "sigma.floormod"),
    *("math.atan2", "math.powf"),
)
UNARY_FLOATS = (
    *("arith.negf", "math.absf", "math.floor", "math.sqrt") * 3,
    *("math.ceil", "math.trunc", "math.roundeven", "math.round", "sigma.sign", "math.rsqrt"),
    *("math.cbrt", "math.exp", "math.exp2", "math.expm1", "math.log", "math.log2", "math.log10"),
    *("math.log1p", "math.sin", "math.cos", "math.tan", "math.asin", "math.acos", "math.atan"),
    *("math.sinh", "math.cosh", "math.tanh", "math.asinh", "math.acosh", "math.atanh"),
    "math.erf",
)
BINARY_INTS = (
    *("arith.addi", "arith.subi", "arith.minsi", "arith.maxsi", "arith.muli") * 4,
    *("arith.floordivsi", "sigma.floormod") * 2,
    *("arith.ceildivsi", "arith.divsi", "arith.remsi", "arith.divui"),
    *("arith.remui", "arith.minui", "arith.maxui", "arith.andi", "arith.ori", "arith.xori"),
    *("arith.shli", "arith.shrui", "arith.shrsi", "math.ipowi"),
)
UNARY_INTS = ("math.absi", "sigma.sign")
BOOLS = ("arith.andi", "arith.ori", "arith.xori")
INT_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge") * 3 + ("ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    *("olt", "ole", "ogt", "oge", "oeq") * 3,
    *("one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"),
)
INTS = (*range(4), *range(4), -1, -2, 5, 7)
EXTREME_INTS = (2**63 - 1, -(2**63), 2**62, 2**32)
NARROW = ("i8", "i16", "i32")
"""The types of Ints with fewer bits; a program has one of them."""
FLOATS = ("0.0", "1.0", "-1.0", "2.0", "-0.0", "1.5", "3.0", "0.5")

IDENTITIES: dict[str, Callable[[str], str]] = {
    "arith.addf": lambda t: "0.0",
    "arith.mulf": lambda t: "1.0",
    "arith.maximumf": lambda t: "0xFFF0000000000000" if t == "f64" else "0xFF800000",
    "arith.minimumf": lambda t: "0x7FF0000000000000" if t == "f64" else "0x7F800000",
    "arith.addi": lambda t: "0",
    "arith.muli": lambda t: "1",
    "arith.maxsi": lambda t: str(-(2 ** (int(t[1:]) - 1))),
    "arith.minsi": lambda t: str(2 ** (int(t[1:]) - 1) - 1),
    "arith.andi": lambda t: "true" if t == BOOL else "-1",
    "arith.ori": lambda t: "false" if t == BOOL else "0",
}
"""The operations of reductions, and their identities by type."""
UNORDERED_FLOATS = ("arith.addf", "arith.maximumf", "arith.minimumf")
"""The operations of which small whole numbers give the same result in any order."""


@dataclass
class Writer:
    """Writes statements; ``values`` and ``sizes`` are the names that are in scope."""

    rng: random.Random
    values: dict[str, list[str]]
    sizes: list[str]
    """The Ints without free indices."""
    float_type: str = "f64"
    any_reductions: bool = False
    """Whether reductions have any body, also one that is not associative."""
    indices: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    count: list[int] = field(default_factory=lambda: [0])
    depth: int = 0

    def __post_init__(self) -> None:
        other = "f32" if self.float_type == "f64" else "f64"
        self.pair = f"tuple<{self.float_type}, {INT}>"
        self.narrow = self.pick(NARROW)
        self.scalars = (*(self.float_type,) * 6, *(INT,) * 5, BOOL, BOOL, self.narrow, other)
        self.elements = (*(self.float_type,) * 4, INT, INT, self.pair, self.pair, BOOL, self.narrow)

    def fresh(self) -> str:
        self.count[0] += 1
        return f"%v{self.count[0]}"

    def pick(self, options: Sequence[Any]) -> Any:
        return self.rng.choice(options)

    def is_likely(self, probability: float) -> bool:
        return self.rng.random() < probability

    def emit(self, text: str, type_: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        self.values.setdefault(type_, []).append(name)
        return name

    def constant(self, value: object, type_: str) -> str:
        if type_ == BOOL:
            return self.emit(f"arith.constant {value}", BOOL)
        return self.emit(f"arith.constant {value} : {type_}", type_)

    def value(self, type_: str) -> str:
        """A value of a type that is in scope, mostly one of the last, or else a new one."""
        known = self.values.get(type_)
        if known:
            return self.pick(known[-3:] if self.is_likely(0.6) else known)
        return self.new_value(type_)

    def new_value(self, type_: str) -> str:
        if type_.startswith("tuple<"):
            types = fields_of(type_)
            fields = ", ".join(map(self.value, types))
            return self.emit(f"phi.tuple ({fields}) : {type_}", type_)
        if type_ in ("f32", "f64"):
            return self.constant(self.pick(FLOATS), type_)
        if type_ == BOOL:
            return self.constant(self.pick(["true", "false"]), BOOL)
        if type_ == INT:
            return self.size()
        if type_ in NARROW:
            return self.constant(self.pick(INTS), type_)
        return self.array(type_)

    def size(self) -> str:
        if self.sizes and self.is_likely(0.6):
            return self.pick(self.sizes)
        if self.is_likely(0.4):
            return self.length()
        self.sizes.append(self.constant(self.pick([0, 1, 2, 3, -1]), INT))
        return self.sizes[-1]

    def integer(self) -> str:
        """An Int, which may be a literal."""
        if self.is_likely(0.15):
            numbers = EXTREME_INTS if self.is_likely(0.1) else INTS
            return self.constant(self.pick(numbers), INT)
        return self.value(INT)

    def position(self) -> tuple[str, str]:
        """A position and its type."""
        if self.indices and self.is_likely(0.5):
            return self.pick(self.indices[-2:]), "index"
        if self.narrow == "i32" and self.is_likely(0.2):
            return self.value("i32"), "i32"
        return self.integer(), INT

    def vector(self, *elements: str) -> tuple[str, str]:
        """A vector, and the type of its elements: one of those given, if any is."""
        element = self.pick(elements or self.elements)
        return self.value(vec(element)), element

    def body(
        self,
        result: str,
        variables: Sequence[tuple[str, str]],
        prefix: Sequence[str] = (),
        indices: Sequence[str] = (),
        finish: Callable[[Writer], str] | None = None,
    ) -> str:
        """A block that binds variables and yields a value of a type, which ``finish`` may write."""
        inner = replace(
            self,
            values={type_: list(names) for type_, names in self.values.items()},
            sizes=list(self.sizes),
            indices=[*self.indices, *indices],
            lines=list(prefix),
            depth=self.depth + 1,
        )
        for name, type_ in variables:
            inner.values.setdefault(type_, []).append(name)
        inner.statements(self.rng.randint(0, 4))
        value = finish(inner) if finish is not None else inner.value(result)
        lines = [*inner.lines, f"phi.yield {value} : {result}"]
        return "{\n" + "\n".join(lines) + "\n}"

    # Loops

    def array(self, type_: str) -> str:
        """A comprehension over one index, or two."""
        rank = 2 if type_.startswith("!phi.vec<!phi.vec<") and self.is_likely(0.8) else 1
        element = type_
        for _ in range(rank):
            element = element_of(element)
        sizes = [self.size() for _ in range(rank)]
        indices = [self.fresh() for _ in range(rank)]
        casts = [self.fresh() for _ in range(rank)]
        prefix = [
            f"{cast} = arith.index_cast {index} : index to i64"
            for cast, index in zip(casts, indices, strict=True)
        ]
        body = self.body(element, [(cast, INT) for cast in casts], prefix, indices)
        bound = ", ".join(f"{i} < {n}" for i, n in zip(indices, sizes, strict=True))
        return self.emit(f"phi.array ({bound}) -> {type_} {body}", type_)

    def any_array(self) -> None:
        element = self.pick((*self.elements, vec(self.float_type), vec(INT), "i32"))
        self.array(vec(element))

    def fold(self) -> None:
        vector = vec(self.float_type)
        type_ = self.pick(
            [self.float_type, self.float_type, INT, BOOL, self.pair, vector, vector, vec(INT),
             vec(self.pair), vec(vector), f"tuple<{vector}, {INT}>", f"tuple<{vector}, {vector}>"]
        )  # fmt: skip
        count, init = self.size(), self.value(type_)
        counter, accumulator = self.fresh(), self.fresh()
        prefix, fields = list[str](), [(counter, INT), (accumulator, type_)]
        if type_.startswith("tuple<"):
            for k, field_type in enumerate(fields_of(type_)):
                fields.append((self.fresh(), field_type))
                prefix.append(
                    f"{fields[-1][0]} = phi.proj {accumulator}, {k} : {type_} -> {field_type}"
                )
        body = self.body(type_, fields, prefix)
        self.emit(
            f"phi.fold ({counter} < {count}, {accumulator} = {init}) -> {type_} {body}", type_
        )

    def while_loop(self) -> None:
        """A loop by any condition, of at most a few steps."""
        field_type = self.pick([self.float_type, INT, self.pair, vec(self.float_type)])
        type_ = f"tuple<{BOOL}, {field_type}>"
        limit, init = self.size(), self.value(type_)
        counter, state, going, old = (self.fresh() for _ in range(4))
        prefix = [
            f"{going} = phi.proj {state}, 0 : {type_} -> {BOOL}",
            f"{old} = phi.proj {state}, 1 : {type_} -> {field_type}",
        ]
        fields = [(counter, INT), (going, BOOL), (old, field_type)]
        body = self.body(type_, fields, prefix, finish=lambda inner: inner.next_state(type_))
        text = f"phi.while ({counter} < {limit}, {state} = {init}) -> {type_} {body}"
        self.field_of(self.emit(text, type_), 1, type_)

    def next_state(self, type_: str) -> str:
        """A record of a condition and a value."""
        go, value = self.comparison(), self.value(fields_of(type_)[1])
        return self.emit(f"phi.tuple ({go}, {value}) : {type_}", type_)

    def field_of(self, record: str, number: int, type_: str) -> str:
        field_type = fields_of(type_)[number]
        return self.emit(f"phi.proj {record}, {number} : {type_} -> {field_type}", field_type)

    def counted_loop(self) -> None:
        """A loop that counts to an end, which may vary with an index."""
        field_type = self.pick([self.float_type, self.float_type, INT])
        type_ = f"tuple<{BOOL}, {INT}, {field_type}>"
        limit, zero, one, most = (self.constant(n, INT) for n in (2**44, 0, 1, 5))
        start = self.pick([zero, zero, one])
        end = self.emit(f"arith.minsi {self.integer()}, {most} : i64", INT)
        some = self.emit(f"arith.cmpi slt, {start}, {end} : i64", BOOL)
        first = self.value(field_type)
        init = self.emit(f"phi.tuple ({some}, {start}, {first}) : {type_}", type_)
        counter, state, place, old = (self.fresh() for _ in range(4))
        prefix = [
            f"{place} = phi.proj {state}, 1 : {type_} -> {INT}",
            f"{old} = phi.proj {state}, 2 : {type_} -> {field_type}",
        ]

        def finish(inner: Writer) -> str:
            value = inner.value(field_type)
            if inner.is_likely(0.7):
                names = IDENTITIES if field_type == INT else UNORDERED_FLOATS
                name = self.pick([name for name in names if combines(name, field_type)])
                value = inner.emit(f"{name} {old}, {value} : {field_type}", field_type)
            following = inner.emit(f"arith.addi {place}, {one} : i64", INT)
            more = inner.emit(f"arith.cmpi slt, {following}, {end} : i64", BOOL)
            return inner.emit(f"phi.tuple ({more}, {following}, {value}) : {type_}", type_)

        body = self.body(type_, [(place, INT), (old, field_type)], prefix, finish=finish)
        text = f"phi.while ({counter} < {limit}, {state} = {init}) -> {type_} {body}"
        self.field_of(self.emit(text, type_), 2, type_)

    def reduce(self) -> None:
        vector, type_ = self.vector()
        if self.any_reductions or type_ == self.pair:
            self.reduce_by_body(vector, type_)
            return
        operation = self.pick([name for name in IDENTITIES if combines(name, type_)])
        identity = self.value(type_)
        if self.is_likely(0.8):
            identity = self.constant(IDENTITIES[operation](type_), type_)
        self.emit(f"phi.reduce {vector} identity {identity} by {{ {operation} }} -> {type_}", type_)

    def reduce_by_body(self, vector: str, type_: str) -> None:
        """A reduction of records: of each field by an operation, or by any body."""
        x, y = self.fresh(), self.fresh()
        if self.any_reductions:
            identity = self.value(type_)
            body = self.body(type_, [(x, type_), (y, type_)])
        else:
            body, identity = self.fieldwise(type_, x, y)
        self.emit(f"phi.reduce {vector} identity {identity} by ({x}, {y}) -> {type_} {body}", type_)

    def fieldwise(self, type_: str, x: str, y: str) -> tuple[str, str]:
        """A body that combines each field of two records, and its identity."""
        lines, results, neutral = list[str](), list[str](), list[str]()
        for k, field_type in enumerate(fields_of(type_)):
            operation = self.pick([name for name in IDENTITIES if combines(name, field_type)])
            neutral.append(self.constant(IDENTITIES[operation](field_type), field_type))
            a, b, c = self.fresh(), self.fresh(), self.fresh()
            lines += [
                f"{a} = phi.proj {x}, {k} : {type_} -> {field_type}",
                f"{b} = phi.proj {y}, {k} : {type_} -> {field_type}",
                f"{c} = {operation} {a}, {b} : {field_type}",
            ]
            results.append(c)
        record = self.fresh()
        lines += [
            f"{record} = phi.tuple ({', '.join(results)}) : {type_}",
            f"phi.yield {record} : {type_}",
        ]
        identity = self.emit(f"phi.tuple ({', '.join(neutral)}) : {type_}", type_)
        return "{\n" + "\n".join(lines) + "\n}", identity

    # Searches, scans and segments

    def search(self) -> None:
        vector, type_ = self.vector(self.float_type, INT)
        predicate = self.pick(["<", "<=", ">", ">="])
        self.emit(f'phi.argreduce {vector} by "{predicate}" : {vec(type_)}', INT)

    def sort(self) -> None:
        """The sorted elements, or their order, which is stable."""
        vector, type_ = self.vector(self.float_type, INT, self.narrow, BOOL)
        if self.is_likely(0.5):
            self.emit(f"phi.argsort {vector} : {vec(type_)}", vec(INT))
        else:
            self.emit(f"phi.sort {vector} : {vec(type_)}", vec(type_))

    def top_k(self) -> None:
        vector, type_ = self.vector(self.float_type, INT)
        text = f'phi.top_k {vector}, {self.size()} by "{self.pick("<>")}" : {vec(type_)}'
        self.emit(text, vec(INT))

    def scan(self) -> None:
        vector, type_ = self.vector(self.float_type, INT, BOOL)
        kind = self.pick(["and", "or"] if type_ == BOOL else ["add", "add", "mul", "min", "max"])
        suffixes = self.pick(["", " suffixes"])
        self.emit(f'phi.scan "{kind}" {vector}{suffixes} : {vec(type_)}', vec(type_))

    def weighted_scan(self) -> None:
        (vector, type_), (weights, other) = (
            self.vector(self.float_type, INT, BOOL),
            self.vector(BOOL),
        )
        kind = self.pick(["and", "or"] if type_ == BOOL else ["add", "min", "max"])
        types = f"{vec(type_)} by {vec(other)}"
        self.emit(f'phi.weighted_scan "{kind}" {vector} by {weights} : {types}', vec(type_))

    def propagate_nan(self) -> None:
        (x, type_), (y, other) = self.vector(self.float_type), self.vector(self.float_type)
        text = f"phi.propagate_nan {x} from {y} : {vec(type_)} from {vec(other)}"
        self.emit(text, vec(type_))

    def accumulate(self) -> None:
        element = self.pick([self.float_type, self.float_type, INT, BOOL, vec(self.float_type)])
        kind = self.pick(["and", "or"] if element == BOOL else ["add", "add", "min", "max"])
        rank, result = self.pick([0, 1, 1, 1, 2]), element
        for _ in range(rank):
            result = vec(result)
        sizes = [self.size() for _ in range(self.pick([1, 1, 2]))]
        extents = [self.size() for _ in range(rank)]
        indices, casts = [self.fresh() for _ in sizes], [self.fresh() for _ in sizes]
        prefix = [
            f"{cast} = arith.index_cast {index} : index to i64"
            for cast, index in zip(casts, indices, strict=True)
        ]
        yielded = f"tuple<{', '.join([*[INT] * rank, element])}>"
        body = self.body(yielded, [(cast, INT) for cast in casts], prefix, indices)
        bound = ", ".join(f"{i} < {n}" for i, n in zip(indices, sizes, strict=True))
        into = f'"{kind}" ({", ".join(extents)})'
        self.emit(f"phi.accumulate ({bound}) into {into} -> {result} {body}", result)

    # Indexing and updates

    def get(self) -> None:
        vector, type_ = self.vector(*self.elements, vec(self.float_type))
        places, types = [], []
        for _ in range(2 if type_.startswith("!phi.vec") and self.is_likely(0.7) else 1):
            place, place_type = self.position()
            places.append(place)
            types.append(place_type)
        result = element_of(type_) if len(places) == 2 else type_
        listed = f"[{', '.join(places)}] : {vec(type_)}[{', '.join(types)}]"
        self.emit(f"phi.get {vector}{listed}", result)

    def update(self) -> None:
        vector, type_ = self.vector()
        (place, place_type), new = self.position(), self.value(type_)
        types = f"({vec(type_)}, {place_type}, {type_}) -> {vec(type_)}"
        self.emit(f"phi.update {vector}[{place}], {new} : {types}", vec(type_))

    def update_of_matrix(self) -> None:
        row = vec(self.float_type)
        matrix, (i, i_type) = self.value(vec(row)), self.position()
        if self.is_likely(0.5):
            (k, k_type), new = self.position(), self.value(self.float_type)
            types = f"({vec(row)}, {i_type}, {k_type}, {self.float_type}) -> {vec(row)}"
            self.emit(f"phi.update {matrix}[{i}, {k}], {new} : {types}", vec(row))
            return
        at = self.integer()
        new = self.emit(f"phi.get {matrix}[{at}] : {vec(row)}[i64]", row)
        types = f"({vec(row)}, {i_type}, {row}) -> {vec(row)}"
        self.emit(f"phi.update {matrix}[{i}], {new} : {types}", vec(row))

    def update_slice(self) -> None:
        """Other elements at positions that are in bounds."""
        vector, type_ = self.vector(self.float_type, INT, BOOL)
        start, step = self.pick([0, 0, 1, 2]), self.pick([1, 2, 3])
        n = self.emit(f"phi.size {vector}, 0 : {vec(type_)}", INT)
        lead, stride = self.constant(start, INT), self.constant(step, INT)
        zero, most = self.constant(0, INT), self.constant(step - 1 - start, INT)
        total = self.emit(f"arith.addi {n}, {most} : i64", INT)
        count = self.emit(f"arith.floordivsi {total}, {stride} : i64", INT)
        self.sizes.append(self.emit(f"arith.maxsi {count}, {zero} : i64", INT))
        size, index, place = self.sizes[-1], self.fresh(), self.fresh()
        prefix = [f"{place} = arith.index_cast {index} : index to i64"]
        body = self.body(type_, [(place, INT)], prefix, [index])
        new = self.emit(f"phi.array ({index} < {size}) -> {vec(type_)} {body}", vec(type_))
        text = f"phi.update_slice {vector}[{lead} by {stride}], {new} : {vec(type_)}"
        self.emit(text, vec(type_))

    # Other statements

    def length(self) -> str:
        vector, type_ = self.vector()
        self.sizes.append(self.emit(f"phi.size {vector}, 0 : {vec(type_)}", INT))
        return self.sizes[-1]

    def assertion(self) -> None:
        lhs, rhs = self.size(), self.size()
        self.sizes.append(self.emit(f'phi.assert_eq {lhs}, {rhs}, "m"', INT))

    def clipped_size(self) -> None:
        """A small size from a size: sums, extrema, halves."""
        n, low, high = self.size(), self.constant(0, INT), self.constant(4, INT)
        operation = self.pick(["arith.addi", "arith.subi", "arith.maxsi", "arith.floordivsi"])
        text = f"{operation} {n}, {self.pick([self.size(), self.constant(1, INT)])} : i64"
        small = self.emit(f"arith.minsi {self.emit(text, INT)}, {high} : i64", INT)
        self.sizes.append(self.emit(f"arith.maxsi {small}, {low} : i64", INT))

    def concat(self) -> None:
        (lhs, type_) = self.vector()
        rhs = self.value(vec(type_))
        self.emit(f"phi.concat {lhs}, {rhs} : {vec(type_)}", vec(type_))

    def comparison(self) -> str:
        if self.is_likely(0.6):
            predicate, lhs, rhs = self.pick(INT_PREDICATES), self.integer(), self.integer()
            return self.emit(f"arith.cmpi {predicate}, {lhs}, {rhs} : i64", BOOL)
        type_, predicate = self.float_type, self.pick(FLOAT_PREDICATES)
        values = f"{self.value(type_)}, {self.value(type_)}"
        return self.emit(f"arith.cmpf {predicate}, {values} : {type_}", BOOL)

    def select(self) -> None:
        condition = self.comparison() if self.is_likely(0.8) else self.value(BOOL)
        type_ = self.pick((*self.scalars, self.pair, self.pair, vec(self.float_type)))
        self.emit(
            f"arith.select {condition}, {self.value(type_)}, {self.value(type_)} : {type_}", type_
        )

    def scalar(self) -> None:
        type_ = self.pick(self.scalars)
        if self.is_likely(0.1):
            self.conversion()
        elif type_ == BOOL:
            self.emit(f"{self.pick(BOOLS)} {self.value(BOOL)}, {self.value(BOOL)} : i1", BOOL)
        elif type_[0] == "i":
            self.emit(self.int_operation(type_), type_)
        else:
            self.emit(self.float_operation(type_), type_)

    def int_operation(self, type_: str) -> str:
        if self.is_likely(0.1):
            return f"{self.pick(UNARY_INTS)} {self.value(type_)} : {type_}"
        second = self.integer() if type_ == INT else self.value(type_)
        return f"{self.pick(BINARY_INTS)} {self.value(type_)}, {second} : {type_}"

    def float_operation(self, type_: str) -> str:
        x, y = self.value(type_), self.value(type_)
        if self.is_likely(0.2):
            return f"{self.pick(UNARY_FLOATS)} {x} : {type_}"
        if self.is_likely(0.05):
            return f"math.fma {x}, {y}, {self.value(type_)} : {type_}"
        if self.is_likely(0.05):
            return f"math.fpowi {x}, {self.constant(self.pick(INTS), INT)} : {type_}, i64"
        return f"{self.pick(BINARY_FLOATS)} {x}, {y} : {type_}"

    def conversion(self) -> None:
        narrow, wide, short = "f32", "f64", self.narrow
        name, source, target = self.pick(
            [("arith.sitofp", INT, self.float_type), ("arith.uitofp", INT, self.float_type),
             ("arith.extui", BOOL, INT), ("arith.extsi", BOOL, INT), ("arith.extsi", short, INT),
             ("arith.extui", short, INT), ("arith.trunci", INT, short),
             ("arith.sitofp", short, wide), ("arith.uitofp", short, wide),
             ("arith.extf", narrow, wide), ("arith.truncf", wide, narrow),
             ("arith.fptosi", self.float_type, INT), ("arith.uitofp", BOOL, self.float_type)]
        )  # fmt: skip
        value = self.value(source)
        if name == "arith.fptosi":
            low, high = self.constant("-99.0", source), self.constant("99.0", source)
            value = self.emit(f"arith.maxnumf {value}, {low} : {source}", source)
            value = self.emit(f"arith.minnumf {value}, {high} : {source}", source)
        self.emit(f"{name} {value} : {source} to {target}", target)

    def project(self) -> None:
        k = self.pick([0, 1])
        type_ = fields_of(self.pair)[k]
        self.emit(f"phi.proj {self.value(self.pair)}, {k} : {self.pair} -> {type_}", type_)

    def make_pair(self) -> None:
        self.emit(
            f"phi.tuple ({self.value(self.float_type)}, {self.value(INT)}) : {self.pair}", self.pair
        )

    def statements(self, count: int) -> None:
        simple: list[Callable[[], object]] = [
            *(self.scalar, self.get, self.get, self.select) * 2,
            *(self.project, self.make_pair, self.length, self.assertion, self.concat),
            *(self.update, self.clipped_size, self.search, self.scan),
        ]
        rare: list[Callable[[], object]] = [
            *(self.top_k, self.sort, self.propagate_nan, self.accumulate, self.weighted_scan),
            *(self.update_of_matrix, self.reduce),
        ]
        loops: list[Callable[[], object]] = [
            *(self.any_array, self.fold) * 4,
            *(self.reduce, self.update_slice, self.while_loop, self.counted_loop),
        ]
        options = simple + rare + (loops if self.depth < 3 else [])
        for _ in range(count):
            self.pick(options)()


def combines(operation: str, type_: str) -> bool:
    """Whether a reduction of a type may be by an operation."""
    if type_ == BOOL:
        return operation in ("arith.andi", "arith.ori")
    return (operation[-1] == "f") == (type_[0] == "f")


def fields_of(type_: str) -> list[str]:
    """The types of the fields of a record.

    >>> fields_of("tuple<!phi.vec<tuple<f64, i64>>, i64>")
    ['!phi.vec<tuple<f64, i64>>', 'i64']
    """
    fields, depth = [""], 0
    for character in type_.removeprefix("tuple<")[:-1]:
        depth += (character == "<") - (character == ">")
        if character == "," and not depth:
            fields.append("")
        else:
            fields[-1] += character
    return [each.strip() for each in fields]


ARGUMENTS = {
    "v": "!phi.vec<f64>", "p": "!phi.vec<tuple<f64, i64>>", "x": "f64", "n": "i64",
    "w": "!phi.vec<f64>", "m": "!phi.vec<!phi.vec<f64>>", "q": "!phi.vec<i64>", "b": "!phi.vec<i1>",
}  # fmt: skip
"""The parameters of programs, and their types."""


def write_program(rng: random.Random, float_type: str = "f64", any_reductions: bool = False) -> str:
    """A function ``@f`` of ``ARGUMENTS`` that returns values defined outside of bodies."""
    values: dict[str, list[str]] = {}
    types_of = {name: type_.replace("f64", float_type) for name, type_ in ARGUMENTS.items()}
    for name, type_ in types_of.items():
        values.setdefault(type_, []).append(f"%{name}")
    writer = Writer(rng, values, ["%n"], float_type, any_reductions)
    writer.statements(rng.randint(1, 8))
    results = [
        (name, type_)
        for type_, names in writer.values.items()
        for name in names
        if name.startswith("%v") and name != "%v"
    ]
    results.sort(key=lambda result: int(result[0][2:]))
    if rng.random() < 0.5:
        results = results[-2:]
    header = ", ".join(f"%{name}: {type_}" for name, type_ in types_of.items())
    types = ", ".join(type_ for _, type_ in results)
    names = ", ".join(name for name, _ in results)
    lines = [
        f"func.func @f({header}) -> ({types}) {{",
        *writer.lines,
        f"func.return {names} : {types}" if results else "func.return",
        "}",
    ]
    return "\n".join(lines)


def programs(any_reductions: bool = True) -> st.SearchStrategy[str]:
    """Programs on f64, drawn by hypothesis."""
    return st.randoms(use_true_random=False).map(
        lambda rng: write_program(rng, any_reductions=any_reductions)
    )


def arguments(size: int, n: int) -> list[object]:
    """Arguments of ``@f``: vectors of a size, and numbers."""
    floats = np.linspace(-1.0, 2.0, size)
    ints = np.arange(size)
    return [
        *(floats, (floats * 2, ints), 0.5, n),
        *(floats[::-1].copy(), np.outer(floats, floats), ints - 1, floats > 0),
    ]


def fingerprint(value: object) -> object:
    """A key that is equal for equal results: dtypes, shapes, and every bit."""
    if isinstance(value, tuple):
        return tuple(map(fingerprint, value))
    array = np.asarray(value)
    return array.dtype, array.shape, array.tobytes()
