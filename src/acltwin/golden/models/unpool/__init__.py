"""What can be wrong in max unpooling and its gradient."""
