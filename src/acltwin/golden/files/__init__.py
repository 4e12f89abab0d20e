"""Cases and results on disk: tensors, sets with a manifest, vendors' formats."""
