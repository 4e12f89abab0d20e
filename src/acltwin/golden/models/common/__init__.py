"""What can be wrong in any operator: arithmetic, rounding, special values, layout, memory."""
