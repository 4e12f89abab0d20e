"""The subcommands of ``acltwin`` that work with golden cases: one module each."""
