"""Facts about loops over memory."""
