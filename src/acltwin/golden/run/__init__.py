"""Running a kernel over cases: targets, child processes, the record of a run."""
