"""emitpy as Python source."""
