"""What several passes share to edit yarr."""
