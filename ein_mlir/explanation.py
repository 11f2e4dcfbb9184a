"""The explanation of a program: the decisions of passes, and the parts that take most time.

The same texts are those of the warnings about long loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.notes import Note, SlowPart, name_of
from ein_mlir.analysis.phi.costs import Cost, Costs, Fold, Size, is_computed
from ein_mlir.analysis.scopes import around
from ein_mlir.dialects import emitpy, phi
from ein_mlir.host.dataclass import dataclass

Run: TypeAlias = Callable[[ModuleOp, Sequence[str], Note], None]
"""Runs passes on a module, and gives their notes to a function."""

CONVERSION = "convert-phi-to-yarr"
CONDITIONAL = "the fold with a condition"
PYTHON, COMPILED = "steps of Python", "steps of a compiled loop"
"""The steps of loops that call a library, and of those that JAX compiles."""
MACHINE_CODE = "backend='native' runs it as machine code"
VIEWS = "positions that are sums and multiples of indices would be views"


@dataclass(frozen=True)
class Place:
    """The counter and the place of a loop: most loops differ in one of them."""

    counter: str
    where: str


def place_of(loop: Operation, counter: SSAValue) -> Place:
    """The place of a loop at any level."""
    return Place(name_of(counter), where_written(loop))


def over(place: Place) -> str:
    """A fold, by its counter."""
    return f"the fold over {place.counter}"


@dataclass(frozen=True)
class Loop:
    """A loop that is left, with the reason and a rewrite."""

    place: Place
    cost: Cost
    reason: str
    hint: str
    what: str

    @property
    def times(self) -> str:
        """The number of steps as far as it is known."""
        if self.what != CONDITIONAL:
            return str(self.cost.times)
        return f"at most {self.cost.times}" if self.cost.limited else "any number of"

    def text(self, steps: str) -> str:
        """The loop in an explanation and in a warning."""
        why = f": {self.reason}" if self.reason else ""
        return f"{self.what} takes {steps}{why}{self.place.where}; {self.hint}"


class Explanation:
    """The notes of the passes of a pipeline on a function, and the costs of its slow parts."""

    def __init__(
        self,
        module: ModuleOp,
        entry: str,
        pipeline: Sequence[str],
        run: Run,
        given: Sequence[Any] | None = None,
        steps: str = PYTHON,
    ):
        self.notes = dict[str, None]()
        self._steps = steps
        self.loops = list[Loop]()
        self._reasons = dict[Place, tuple[str, str]]()
        self._gathered = list[tuple[Cost, str]]()
        end = next((k for k, each in enumerate(pipeline) if each.startswith(CONVERSION)), None)
        if end is None:
            run(module, pipeline, self.note)
            return
        run(module, pipeline[:end], self.note)
        function = next(
            op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == entry
        )
        self._costs = Costs(function, given)
        folds = [op for op in function.walk() if isinstance(op, Fold)]
        self.loops = [self._loop(op) for op in folds]
        run(module, pipeline[end:], self.note)

    def note(self, op: Operation, text: str) -> None:
        """Keep the decision of a pass."""
        self.notes[text + where_written(op)] = None
        if isinstance(text, SlowPart) and isinstance(op, phi.FoldOp):
            reason = text.partition(" is a loop: ")[2]
            self._reasons[place_of(op, op.counter)] = reason, text.hint
        elif isinstance(text, SlowPart) and isinstance(op, phi.GetOp):
            self._gather(op, text)

    def _loop(self, op: Fold) -> Loop:
        place = place_of(op, op.counter)
        reason, hint = self._reasons.get(place, ("", ""))
        what = CONDITIONAL if isinstance(op, phi.WhileOp) else over(place)
        return Loop(place, self._costs.of_loop(op), reason, hint or MACHINE_CODE, what)

    def _gather(self, op: phi.GetOp, text: str) -> None:
        cost = self._costs.of_elements(op)
        hint = f"; {VIEWS}" if is_computed(op) else ""
        what = f"{text.partition(': ')[0]} gathers {cost.times} elements"
        self._gathered.append((cost, f"{what}{where_written(op)}{hint}"))

    def slow_parts(self) -> list[str]:
        """The loops and the gathered elements, in the order of their estimated time."""
        parts = [(loop.cost, loop.text(f"{loop.times} {self._steps}")) for loop in self.loops]
        parts = sorted([*parts, *self._gathered], key=lambda part: -part[0].time)
        return [text for _, text in parts]

    def text(self) -> str:
        """The notes, and then the slow parts."""
        slow = self.slow_parts()
        title = ["by estimated time:"] if slow else []
        return "\n".join([*self.notes, *title, *(f"  {part}" for part in slow)]) + "\n"

    def of_loop(self, loop: emitpy.ForOp, steps: int) -> str:
        """The text about an emitted loop with some steps; about its fold, if that is found.

        A fold is found by its place; without one of this counter, it is another at the same line.
        """
        place = place_of(loop, loop.counter)
        found = [fold for fold in self.loops if fold.place == place]
        found += [fold for fold in self.loops if fold.place.where == place.where]
        reason, hint = (found[0].reason, found[0].hint) if found else ("", MACHINE_CODE)
        is_conditional = loop.conditional is not None
        what = CONDITIONAL if is_conditional else over(place)
        times = f"more than {steps - 1}" if is_conditional else str(steps)
        return Loop(place, Cost(Size("?"), 0), reason, hint, what).text(f"{times} {PYTHON}")


def loops_of_python(function: func.FuncOp) -> list[emitpy.ForOp]:
    """The loops ``for k in range(n)`` of an emitted function, in order: not those over blocks."""
    loops = [op for op in function.walk() if isinstance(op, emitpy.ForOp) and op.step is None]
    return [op for op in loops if not any(isinstance(each, emitpy.DefOp) for each in around(op))]
