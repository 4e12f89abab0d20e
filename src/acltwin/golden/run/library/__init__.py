"""Two ACL libraries side by side: the same calls through both, each in its own process, and what they say compared."""

from acltwin.golden.run.library.target import LibraryTarget

__all__ = ["LibraryTarget"]
