"""What several passes share to edit phi."""
