"""What can be wrong in upsampling and its gradient: which cell belongs to which."""
