"""``-t llvm-ir``: functions of the ``llvm`` dialect as text that LLVM reads."""
