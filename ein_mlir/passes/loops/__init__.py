"""Transformations of loops over memory, in dialects of MLIR."""
