"""Wrong upsamplings and gradients of upsamplings."""
