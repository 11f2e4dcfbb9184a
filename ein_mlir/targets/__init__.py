"""What IR can be written as besides text."""
