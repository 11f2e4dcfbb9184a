"""Facts about Python code: memory, shapes, order of evaluation."""
