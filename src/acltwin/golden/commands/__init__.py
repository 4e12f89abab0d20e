"""The subcommands ``golden``, ``verify`` and ``compare`` of ``acltwin``: one module each."""
