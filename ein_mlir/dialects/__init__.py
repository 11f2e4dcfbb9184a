"""What the IR is: the dialects ``phi``, ``yarr``, ``emitpy`` and ``sigma``."""
