"""Pictures of programs: SVG and PNG if Graphviz is installed, and inline in notebooks."""

from __future__ import annotations

import html
from functools import cached_property

from xdsl.ir import Operation

from ein_mlir.drawing.graph import dot
from ein_mlir.errors import EinError
from ein_mlir.host.dataclass import dataclass


class GraphvizNotFoundError(EinError):
    """The PyPI package ``graphviz`` or the program ``dot`` of Graphviz is not installed."""


@dataclass(frozen=True)
class Drawing:
    """A drawing of a program at the time of the call. A notebook shows it as a picture.

    Without Graphviz a notebook shows the DOT text.
    """

    dot: str

    def svg(self) -> str:
        """The picture as SVG; raises GraphvizNotFoundError."""
        return _render(self.dot, "svg").decode()

    def png(self) -> bytes:
        """The picture as PNG; raises GraphvizNotFoundError."""
        return _render(self.dot, "png")

    def __str__(self) -> str:
        return self.dot

    def picture_or_text(self) -> str:
        """The picture as SVG, or the DOT text if Graphviz is not installed."""
        return self.dot if self._inline is None else self._inline

    @cached_property
    def _inline(self) -> str | None:
        try:
            return self.svg()
        except GraphvizNotFoundError:
            return None

    def _repr_svg_(self) -> str | None:
        return self._inline

    def _repr_html_(self) -> str | None:
        """The DOT text if there is no picture: a notebook that receives both shows the text."""
        return f"<pre>{html.escape(self.dot)}</pre>" if self._inline is None else None


def draw(program: Operation) -> Drawing:
    """A drawing of a module, a function or any other operation, for notebooks."""
    return Drawing(dot(program))


def svg(program: Operation) -> str:
    """A picture of a program as SVG; raises GraphvizNotFoundError."""
    return draw(program).svg()


def png(program: Operation) -> bytes:
    """A picture of a program as PNG; raises GraphvizNotFoundError."""
    return draw(program).png()


def _render(text: str, format_: str) -> bytes:
    try:
        import graphviz  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise GraphvizNotFoundError(
            "pictures need the package graphviz: pip install 'ein-mlir[viz]'; "
            "the DOT text needs nothing: use dot()"
        ) from error
    try:
        return graphviz.Source(text).pipe(format_)
    except graphviz.ExecutableNotFound as error:
        raise GraphvizNotFoundError(
            "pictures need the program dot: install Graphviz with the system's package manager, "
            "for example apt-get install graphviz; the DOT text needs nothing: use dot()"
        ) from error
