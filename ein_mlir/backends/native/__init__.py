"""Machine code for the host, by LLVM: arrays of NumPy in and out."""
