"""What can be wrong where indices are given: how a place in a plane is read."""
