"""The combinators: `array`, `fold`, `fold_while`, `where` and `concat`.

Combinators that bind variables call the user's function once, on fresh variables named after its
parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar, cast, overload

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend import operators
from ein_mlir.frontend.complex_numbers import as_complex_numbers, is_complex
from ein_mlir.frontend.expr import (
    Array,
    Concat,
    Constant,
    Expr,
    Fold,
    Record,
    Role,
    Variable,
    While,
    field_of,
)
from ein_mlir.frontend.index_sets import Along, Over, Pair, bind, parts_of_product
from ein_mlir.frontend.indexing import INDEX_NAMES, check_vector, get
from ein_mlir.frontend.integers import add, int_constant
from ein_mlir.frontend.records import parts_of, rebuild_staged
from ein_mlir.frontend.signatures import names_its_arguments, parameter_names
from ein_mlir.frontend.size_inference import (
    explicit_size,
    index_in,
    infer_size,
    note_ends,
    quantity,
    size_of,
)
from ein_mlir.frontend.types import (
    BOOL,
    I64,
    Mismatch,
    RecordType,
    WeakType,
    conversion,
    describe,
    describe_pair,
    kind_of,
    rank_of,
    resolve,
    settle,
    unify,
)
from ein_mlir.frontend.values import (
    Bool,
    Int,
    Scalar,
    Vec,
    decode,
    encode,
    int_expr,
    is_vector,
    weak,
    weak_float,
    with_complex_literals,
)
from ein_mlir.frontend.varying_counts import TracedLoop, decides_varying_counts, note_count
from ein_mlir.host.arrays import is_numpy_scalar
from ein_mlir.host.locations import at

T = TypeVar("T")
N = TypeVar("N")
M = TypeVar("M")
K = TypeVar("K")
S = TypeVar("S", bound=Scalar)

Size: TypeAlias = "Int | int | None"
"""A size or count; None if it is inferred."""

# array ----------------------------------------------------------------------------------------


@overload
def array(f: Callable[[Int], T], size: Size | tuple[Size] = None) -> Vec[T]: ...
@overload
def array(f: Callable[[Int, Int], T], size: tuple[Size, Size] | None = None) -> Vec[Vec[T]]: ...
@overload
def array(
    f: Callable[[Int, Int, Int], T], size: tuple[Size, Size, Size] | None = None
) -> Vec[Vec[Vec[T]]]: ...
@overload
def array(
    f: Callable[[Int, Int, Int, Int], T], size: tuple[Size, Size, Size, Size] | None = None
) -> Vec[Vec[Vec[Vec[T]]]]: ...
@overload
def array(
    f: Callable[[Int, Int, Int, Int, Int], Any] | Callable[[Int, Int, Int, Int, Int, Int], Any],
    size: tuple[Size, ...] | None = None,
) -> Vec[Vec[Vec[Vec[Any]]]]: ...
@overload
def array(f: Callable[[N], T], size: Over[N]) -> Along[N, T]: ...
@overload
def array(f: Callable[[N, M], T], size: tuple[Over[N], Over[M]]) -> Along[N, Along[M, T]]: ...
@overload
def array(
    f: Callable[[N, M, K], T], size: tuple[Over[N], Over[M], Over[K]]
) -> Along[N, Along[M, Along[K, T]]]: ...
@names_its_arguments
def array(f: Callable[..., Any], size: Any = None) -> Any:
    """The array whose element at i is ``f(i)``; with several parameters, an array of arrays.

    ``size`` has a number or an `Index` set for each index, or None.

    An index without a size takes that of the arrays that it indexes directly, as in ``a[i]``; the
    sizes of several arrays are asserted to be equal. Float literals as elements take the width of
    the Floats that they meet.

    >>> array(lambda i, j: 10 * i + j, size=(2, 3)).eval(backend="naive")
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    names = parameter_names(f, "the body of array()", "array(lambda i: ...)")
    if parts := parts_of_product(size):
        return _array_of_pairs(f, names, parts)
    return array_named(f, names, size)


def _array_of_pairs(f: Callable[..., Any], names: tuple[str, ...], parts: Sequence[Any]) -> Any:
    """The rows of an array over two index sets, end to end."""
    sizes_by_name(None if len(names) == 1 else (parts,), names)
    inner = f"{names[0]}.first", f"{names[0]}.second"

    def element(first: Int, second: Int) -> Any:
        return f(Pair(first, second))

    rows = array_named(element, inner, tuple(parts))
    width = rows.size(1)

    def end_to_end(k: Int) -> Any:
        return rows[k // width, k % width]

    return array_named(end_to_end, names, rows.size(0) * width)


def array_named(f: Callable[..., Any], names: tuple[str, ...], size: Any) -> Any:
    """`array` with given names of indices."""
    sizes = sizes_by_name(size, names)
    indices = tuple(Variable(Role.INDEX, name) for name in names)
    for index, given in zip(indices, sizes, strict=True):
        bind(index, given)
    body = encode(f(*map(Int, indices)), leaf=weak_float)
    found = [_size(given, index, indices[0]) for given, index in zip(sizes, indices, strict=True)]
    return decode(Array(indices, tuple(found), body))


def sizes_by_name(given: object, names: tuple[str, ...], argument: str = "size") -> Sequence[Any]:
    """The size or count given for each index or counter; None for those to be inferred."""
    if given is None:
        return (None,) * len(names)
    sizes = cast(Sequence[object], given) if isinstance(given, tuple) else (given,)
    if isinstance(given, list) and len(names) > 1:
        raise EinTypeError(f"{argument}: {argument}s are a tuple, not a list{at()}")
    if len(sizes) != len(names):
        raise EinTypeError(f"{_wrong_number_of_sizes(len(sizes), names, argument)}{at()}")
    return sizes


def _wrong_number_of_sizes(given: int, names: tuple[str, ...], argument: str) -> str:
    one, several = ("index", "indices") if argument == "size" else ("counter", "counters")
    if len(names) == 1:
        return (
            f"the {one} {names[0]} needs 1 {argument}, not {given}: {argument}=n_{names[0]}; "
            f"for {given} {argument}s name {given} {several}, as in lambda i, j: ..."
        )
    expected = ", ".join(f"n_{name}" for name in names)
    return (
        f"the {several} {', '.join(names)} need {len(names)} {argument}s, not {given}: "
        f"{argument}=({expected})"
    )


def _size(given: object, variable: Variable, bound_first: Variable) -> Expr:
    """The size of an index or count of a counter, given or inferred."""
    if given is not None and variable.index_set is None:
        return explicit_size(int_expr(given, quantity(variable)), variable)
    size = infer_size(variable, bound_first)
    variable.seen = None
    return size


# fold -----------------------------------------------------------------------------------------


@overload
def fold(init: bool, step: Callable[[Int, Bool], Bool], count: Size = None) -> Bool: ...
@overload
def fold(init: float, step: Callable[[Int, Any], S], count: Size = None) -> S: ...
@overload
def fold(
    init: tuple[Any, ...] | dict[str, Any], step: Callable[[Int, Any], T], count: Size = None
) -> T: ...
@overload
def fold(init: float, step: Callable[[N, Any], S], count: Over[N]) -> S: ...
@overload
def fold(init: T, step: Callable[[N, T], T], count: Over[N]) -> T: ...
@overload
def fold(init: T, step: Callable[[Int, T], T], count: Size = None) -> T: ...
@names_its_arguments
def fold(init: Any, step: Callable[..., Any], count: Any = None) -> Any:
    """The accumulator after ``acc = step(k, acc)`` for k from 0 to count - 1, in this order.

    The accumulator has the same type before and after a step. A number in ``init`` takes the type
    that the step needs, or if the step leaves the width of a Float open, that of later partners.
    The count is inferred like the size of an index. In a comprehension it may depend on the index:
    each element takes its own number of steps, and none if the count is negative.

    >>> from ein_mlir import wrap
    >>> a = wrap([1.0, 2.0, 3.0])
    >>> fold(0, lambda k, acc: acc + a[k]).eval(backend="naive")
    np.float64(6.0)
    """
    counter, accumulator = parameter_names(
        step, "the step of fold()", "fold(0, lambda k, acc: ...)", 2
    )
    return fold_named(init, step, (counter, accumulator), count)


def fold_named(
    init: Any, step: Callable[[Int, Any], Any], names: tuple[str, str], count: Any
) -> Any:
    """`fold` with given names of counter and accumulator."""
    if parts := parts_of_product(count):
        return _fold_of_pairs(init, step, names, parts)
    if isinstance(count, Scalar):
        if index_in(count.expr, accumulators=True) is not None:
            note_ends(count.expr)
            return _ragged_fold(
                init, step, Int(cast(Expr, int_expr(count, f"count of {names[0]}")))
            )
        note_count(count.expr)
    start = encode(init, leaf=weak)
    loop = TracedLoop.current()
    counter, accumulator, body = _traced_step(step, names, start, count, loop)
    if (complete := with_complex_literals(start, body.type)) is not start:
        start = complete
        counter, accumulator, body = _traced_step(step, names, start, count, loop)
    while loop.is_traced_again():
        counter, accumulator, body = _traced_step(step, names, start, count, loop)
    mismatch = unify(start.type, body.type)
    if mismatch is not None:
        raise EinTypeError(_changed("fold", f"the accumulator {names[1]}", mismatch))
    n = _size(count, counter, counter)
    settle(type_ for type_ in _weak_types(start) if kind_of(type_) == "int")
    return decode(Fold(n, start, (counter, accumulator), body))


def _traced_step(
    step: Callable[[Int, Any], Any],
    names: tuple[str, str],
    start: Expr,
    count: Any,
    loop: TracedLoop,
) -> tuple[Variable, Variable, Expr]:
    """A new counter and accumulator, and the accumulator after a step."""
    counter = Variable(Role.COUNTER, names[0])
    accumulator = Variable(Role.ACCUMULATOR, names[1], start.type)
    accumulator.may_vary = loop.has_varying_counts
    bind(counter, count)
    with loop.step():
        body = encode(step(Int(counter), decode(accumulator)), like=start.type)
    if decides_varying_counts(accumulator, start, body):
        loop.varies()
    return counter, accumulator, body


def _fold_of_pairs(
    init: Any, step: Callable[[Int, Any], Any], names: tuple[str, str], parts: Sequence[Any]
) -> Any:
    """A fold over the second index set in one over the first."""
    counter, accumulator = names

    def outer(first: Int, before: Any) -> Any:
        def inner(second: Int, acc: Any) -> Any:
            return step(Pair(first, second), acc)

        return fold_named(before, inner, (f"{counter}.second", accumulator), parts[1])

    return fold_named(init, outer, (f"{counter}.first", accumulator), parts[0])


def _ragged_fold(init: Any, step: Callable[[Int, Any], Any], count: Int) -> Any:
    """A fold whose count varies with an index: each element takes its own number of steps."""
    if resolve(count.expr.type) is not I64:
        raise EinTypeError(f"count: expected an Int, not {describe(count.expr.type)}{at()}")

    def next_of(state: tuple[Int, Any]) -> tuple[Int, Any]:
        k, accumulator = state
        return k + 1, step(k, accumulator)

    first: Any = Int(int_constant(0))
    return fold_while((first, init), lambda state: state[0] < count, next_of)[1]


def _weak_types(init: Expr) -> list[WeakType]:
    """The types of the numbers in an initial value."""
    pending, found = [init], list[WeakType]()
    while pending:
        expr = pending.pop()
        if isinstance(expr, Constant) and isinstance(expr.type, WeakType):
            found.append(expr.type)
        elif isinstance(expr, Record):
            pending.extend(expr.operands)
    return found


def _changed(combinator: str, what: str, mismatch: Mismatch) -> str:
    before, after = describe_pair(mismatch.lhs, mismatch.rhs)
    field = f"{what}{mismatch.path}" if mismatch.path else what
    convert = conversion(mismatch.rhs, mismatch.lhs)
    hint = f"; write `x{convert}` on the step's result" if convert and not mismatch.path else ""
    if is_complex(mismatch.rhs) and kind_of(mismatch.lhs) == "float":
        hint = "; write `x + 0j` for its initial value x"
    reason = f" ({mismatch.reason})" if mismatch.reason else ""
    return (
        f"{combinator}: {field} changes its type: {before} before a step, "
        f"{after} after it{reason}{hint}{at()}"
    )


# fold_while -----------------------------------------------------------------------------------

UNLIMITED = 1 << 44
"""The limit of a loop without one: no run has so many steps."""


@overload
def fold_while(
    init: bool, cond: Callable[[Bool], Any], step: Callable[[Bool], Bool], limit: Size = None
) -> Bool: ...
@overload
def fold_while(
    init: float, cond: Callable[[Any], Any], step: Callable[[Any], S], limit: Size = None
) -> S: ...
@overload
def fold_while(
    init: tuple[Any, ...] | dict[str, Any],
    cond: Callable[[Any], Any],
    step: Callable[[Any], T],
    limit: Size = None,
) -> T: ...
@overload
def fold_while(
    init: T, cond: Callable[[T], Any], step: Callable[[T], T], limit: Size = None
) -> T: ...
@names_its_arguments
def fold_while(
    init: Any, cond: Callable[[Any], Any], step: Callable[[Any], Any], limit: Size = None
) -> Any:
    """The accumulator after ``acc = step(acc)`` while ``cond(acc)`` holds, at most ``limit`` times.

    The accumulator has the same type before and after a step, and its arrays keep their sizes. In
    a comprehension each element takes its own number of steps.

    >>> fold_while(1, lambda x: x < 100, lambda x: 3 * x).eval(backend="naive")
    np.int64(243)
    """
    (name,) = parameter_names(step, "the step of fold_while()", _WHILE, 1)
    parameter_names(cond, "the condition of fold_while()", _WHILE, 1)
    start = encode(init, leaf=weak)
    type_ = RecordType(tuple, ("0", "1"), (BOOL, start.type))
    counter = Variable(Role.COUNTER, "steps")
    accumulator = Variable(Role.ACCUMULATOR, name, type_)
    accumulator.may_vary = True
    carried = field_of(accumulator, 1)
    carried.name = name
    body = encode(step(decode(carried)), like=start.type)
    if (complete := with_complex_literals(start, body.type)) is not start:
        return fold_while(decode(complete), cond, step, limit)
    mismatch = unify(start.type, body.type)
    if mismatch is not None:
        raise EinTypeError(_changed("fold_while", f"the accumulator {name}", mismatch))
    before, after = (_condition(cond, value) for value in (start, body))
    count = int_constant(UNLIMITED) if limit is None else _limit(limit, counter)
    settle(type_ for type_ in _weak_types(start) if kind_of(type_) == "int")
    init, body = Record((before, start), type_), Record((after, body), type_)
    return decode(field_of(While(count, init, (counter, accumulator), body), 1))


_WHILE = "fold_while(1, lambda acc: acc < 9, lambda acc: 2 * acc)"


def _condition(cond: Callable[[Any], Any], value: Expr) -> Expr:
    """Whether a step runs from an accumulator."""
    found = encode(cond(decode(value)))
    if kind_of(found.type) != "bool":
        raise EinTypeError(
            f"fold_while: the condition must be a Bool, not {describe(found.type)}; "
            f"compare it, for example `x != 0`{at()}"
        )
    return found


def _limit(limit: object, counter: Variable) -> Expr:
    return explicit_size(int_expr(limit, "limit of fold_while"), counter, "limit of fold_while")


# where ----------------------------------------------------------------------------------------


@overload
def where(condition: Bool | bool, a: S, b: S | float) -> S: ...
@overload
def where(condition: Bool | bool, a: float, b: S) -> S: ...
@overload
def where(condition: Bool | bool, a: float, b: float) -> Any: ...
@overload
def where(condition: Bool | bool, a: T, b: T) -> T: ...
@names_its_arguments
def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` if the condition holds, else ``b``. Both are evaluated.

    Records are chosen by field, vectors by element; vectors must have equal sizes.

    >>> from ein_mlir import wrap
    >>> x = wrap(-2.0)
    >>> where(x < 0, -x, x).eval(backend="naive")
    np.float64(2.0)
    """
    condition = encode(condition)
    operators.as_condition(condition)
    return _where(condition, a, b)


def _where(condition: Expr, a: Any, b: Any) -> Any:
    if a is None or b is None:
        raise EinTypeError(f"where: a branch is None, and both are values{at()}")
    a, b = as_complex_numbers(a, b)
    if is_vector(a) and is_vector(b):
        return _where_vectors(condition, a, b)
    left, right = parts_of(a), parts_of(b)
    if left is not None and right is not None:
        if left.container is not right.container or set(left.names) != set(right.names):
            raise EinTypeError(f"where: the branches are different records: {_two(a, b)}{at()}")
        others = dict(zip(right.names, right.values, strict=True))
        chosen = [
            _where(condition, value, others[name])
            for name, value in zip(left.names, left.values, strict=True)
        ]
        return rebuild_staged(left.container, left.names, chosen)
    if is_vector(a) or is_vector(b) or left is not None or right is not None:
        raise EinTypeError(f"where: the branches have different types: {_two(a, b)}{at()}")
    lhs, rhs = _branch(a), _branch(b)
    return decode(operators.select(condition, lhs, rhs))


def _two(a: object, b: object) -> str:
    left, right = describe_pair(encode(a).type, encode(b).type)
    return f"{left} and {right}"


def _branch(value: Any) -> Expr | bool | int | float:
    """A branch of a ``where``; a Python number is unchanged, to take the type of the other one."""
    if isinstance(value, bool | int | float) and not is_numpy_scalar(value):
        return value
    return encode(value)


def _where_vectors(condition: Expr, a: Vec[Any], b: Vec[Any]) -> Vec[Any]:
    rank = rank_of(a.expr.type)
    if rank != rank_of(b.expr.type):
        raise EinTypeError(f"where: the branches have different ranks: {_two(a, b)}{at()}")
    indices = tuple(Variable(Role.INDEX, name) for name in INDEX_NAMES[:rank])
    for index in indices:
        index.seen = []
    lhs, rhs = (decode(get(vec.expr, indices)) for vec in (a, b))
    body = encode(_where(condition, lhs, rhs))
    sizes = tuple(_size(None, index, indices[0]) for index in indices)
    return decode(Array(indices, sizes, body))


# concat ---------------------------------------------------------------------------------------


@names_its_arguments
def concat(first: Vec[T], *others: Vec[T]) -> Vec[T]:
    """Vectors end to end.

    >>> from ein_mlir import wrap
    >>> concat(wrap([1, 2]), wrap([3])).eval(backend="naive")
    array([1, 2, 3])
    """
    for part in (first, *others):
        if isinstance(part, list | tuple):
            raise EinTypeError(f"concat takes the vectors one by one, as in concat(a, b){at()}")
        check_vector(encode(part), "concat")
    joined = first.expr
    for part in others:
        mismatch = unify(joined.type, part.expr.type)
        if mismatch is not None:
            left, right = describe_pair(joined.type, part.expr.type)
            raise EinTypeError(f"concat: the vectors have different types: {left}, {right}{at()}")
        length = add(size_of(joined, 0), size_of(part.expr, 0))
        joined = Concat(joined, part.expr, length)
    return decode(joined)
