"""The parts of ``tools/benchmark.py``: its subjects, the measurements and the reports."""
