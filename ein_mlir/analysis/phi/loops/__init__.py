"""The theory of loops: the writes, reads and combinations of the steps of a fold.

- `writes`: the elements of a carried array that a step writes.
- `dependence`: the steps between a write of an element and another access to it.
- `combinations`: the operations by which a step combines the value before it with other values.
- `summary`: the class of a fold over an array, which follows from these.
"""
