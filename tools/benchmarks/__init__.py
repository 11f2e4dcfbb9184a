"""The parts of ``tools/benchmark.py``: what is measured, how, and how it is shown."""
