"""The dialects of the IR: ``phi``, ``yarr``, ``emitpy`` and ``sigma``."""

from ein_mlir.host.late_xdsl import load_xdsl

load_xdsl()  # before the modules of this package import it
