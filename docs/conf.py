"""Settings of the documentation: Sphinx, Markdown pages (MyST), the furo theme."""

import sys
from pathlib import Path

from acltwin import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "acltwin"
author = "acltwin contributors"
copyright = "acltwin contributors, Apache-2.0"  # noqa: A001 - Sphinx's name
version = release = __version__

extensions = [
    "myst_parser",
    "operator_tables",
    "optional_parts",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",  # a button that copies an example, without prompts and results
    "sphinx_design",  # tabs, and tables that unfold
]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
autodoc_typehints = "none"  # the descriptions say what each argument takes
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"acltwin {version}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["acltwin.css"]
