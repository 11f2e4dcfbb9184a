"""NumPy: tables of calls, carried helpers, runtime."""
