"""PyTorch: tables of calls, carried helpers, runtime."""
