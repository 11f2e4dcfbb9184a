"""What several passes share to edit IR: builders, emission, positions."""
