"""Which library call stands for which operation, and how emitpy becomes Python source."""
