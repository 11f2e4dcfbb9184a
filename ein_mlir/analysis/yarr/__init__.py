"""Facts about array programs: parallel axes, layout, memory."""
