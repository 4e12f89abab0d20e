"""Parts of pages that need a library which the documentation's own requirements do not have."""

from __future__ import annotations

from importlib.util import find_spec

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Needs(SphinxDirective):
    """``{needs} torch``: the content if the library is installed, else a sentence."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        library = self.arguments[0]
        if find_spec(library):
            return self.parse_content_to_nodes()
        return self.parse_text_to_nodes(f"(This part is only written where {library} is installed.)")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("needs", Needs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
