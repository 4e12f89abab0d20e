"""Wrong max poolings and gradients of max poolings."""
