"""What several test folders share: cases of every operator, memory layouts, oracles, child processes."""
