"""What a kernel is tested on: geometries, data and calls, made when they are asked for."""
