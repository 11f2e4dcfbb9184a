"""The dialects of the IR: ``phi``, ``yarr``, ``emitpy`` and ``sigma``."""
