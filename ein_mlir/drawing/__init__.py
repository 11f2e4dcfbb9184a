"""Drawings of programs as term graphs: DOT text, and pictures if Graphviz is installed."""

from ein_mlir.drawing.graph import dot
from ein_mlir.drawing.picture import Drawing, GraphvizNotFoundError, draw, png, svg

__all__ = ["Drawing", "GraphvizNotFoundError", "dot", "draw", "png", "svg"]
