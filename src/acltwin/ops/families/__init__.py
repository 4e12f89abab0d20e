"""What the operators of a family share, whatever their spatial axes: an operator is one call of its family."""
