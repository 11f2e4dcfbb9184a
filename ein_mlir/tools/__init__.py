"""The command line tools, `ein-opt` and `ein-run`."""

from ein_mlir.host.late_xdsl import load_xdsl

load_xdsl()  # before the modules of this package import it
