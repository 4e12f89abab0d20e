"""Wrong max unpoolings and gradients of max unpoolings."""
