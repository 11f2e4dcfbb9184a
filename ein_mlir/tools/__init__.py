"""The command line tools, `ein-opt` and `ein-run`."""
