"""Facts about pointful programs: sizes, ranges, dependence, cost."""
