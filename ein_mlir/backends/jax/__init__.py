"""JAX: tables of calls, carried helpers, runtime."""
