"""What can be wrong in max pooling and its gradient: windows and maxima."""
