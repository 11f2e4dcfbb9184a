"""What several passes share to edit emitpy."""
