"""Facts about programs of rho: demand, ranks."""
