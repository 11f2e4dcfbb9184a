"""Helper functions that emitted PyTorch programs carry with them, as PyTorch has no such function.

They are ordinary functions, and tested as such. The printer copies the source of those that a
program needs into it, in the order of the files here. So they use only each other and the modules
that their files import. None overwrites a tensor that gradients are recorded for, so gradients flow
through all of them.
"""

# Emitted programs have the helpers in this order.
# isort: off
from ein_mlir.backends.torch.prelude.indexing import *
from ein_mlir.backends.torch.prelude.joins import *
from ein_mlir.backends.torch.prelude.updates import *
from ein_mlir.backends.torch.prelude.windows import *
from ein_mlir.backends.torch.prelude.reductions import *
from ein_mlir.backends.torch.prelude.searches import *
from ein_mlir.backends.torch.prelude.sorting import *
from ein_mlir.backends.shared_prelude import *
from ein_mlir.backends.torch.prelude.contractions import *
from ein_mlir.backends.torch.prelude.averages import *
from ein_mlir.backends.torch.prelude.guards import *
from ein_mlir.backends.torch.prelude.selections import *
from ein_mlir.backends.torch.prelude.correlations import *
from ein_mlir.backends.torch.prelude.scans import *
from ein_mlir.backends.torch.prelude.segments import *
from ein_mlir.backends.torch.prelude.overlaps import *
from ein_mlir.backends.torch.prelude.scalars import *
from ein_mlir.backends.torch.prelude.powers import *
