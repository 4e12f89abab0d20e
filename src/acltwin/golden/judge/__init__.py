"""Whether an output is right: what is expected, what a rule allows, and the verdict."""
