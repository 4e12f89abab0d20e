"""Right implementations that differ from ours in the order of their additions alone."""
