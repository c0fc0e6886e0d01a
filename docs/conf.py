"""What Sphinx does with the pages that ``docs/build.py`` collects."""

from __future__ import annotations

import builtins
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["GRADWALK_PURE"] = "1"  # functions of the Python engine have signatures to show
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docutils import nodes  # noqa: E402
from latex2mathml.converter import convert  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

import gradwalk  # noqa: E402

del os.environ["GRADWALK_PURE"]  # tutorials run on the native engine
from docs import try_it  # noqa: E402
from docs.docstrings import reread  # noqa: E402
from gradwalk.core.primitive import Primitive  # noqa: E402

PYTHONS = {*dir(builtins), "Parameter"}
"""Names in types that are not the functions and classes of gradwalk that have these names."""

project = "gradwalk"
author = copyright = "The gradwalk developers"
release = version = gradwalk.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
nb_execution_mode = "force"  # of tutorials, which are notebooks; other pages are not
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
default_role = "py:obj"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"gradwalk {release}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_math_renderer = "mathml"
html_search_scorer = str(ROOT / "docs" / "search.js")
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "default", "github-dark"


def formula(self: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw without a script from elsewhere."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    self.body.append(convert(node.astext(), display=display))
    raise nodes.SkipNode


def docstring(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Rewrite a docstring. Formulas of the table are set from its TeX, not from their text."""
    primitive = _primitive(thing)
    formula = f"y = {primitive.tex}" if primitive is not None else ""
    reread(lines, formula, _bound(thing) if what == "method" else "")


def _primitive(function: Any) -> Primitive | None:
    """Return the primitive that a function of the table applies."""
    found = getattr(function, "primitive", None)
    return found if isinstance(found, Primitive) and found.tex else None


def _bound(method: Any) -> str:
    """Return the name of the argument that a function, which is a method too, takes before others.

    Its docstring describes it, and the signature of the method leaves it out.
    """
    if (primitive := _primitive(method)) is not None:
        return primitive.params[0]
    try:
        return next(iter(inspect.signature(method).parameters), "")
    except (TypeError, ValueError):
        return ""


def unlinked(app: Sphinx, tree: Any) -> None:
    """Take the links from names in types that Python means, such as bool."""
    from sphinx.addnodes import desc_signature, pending_xref

    for link in list(tree.findall(pending_xref)):
        if link["reftarget"] in PYTHONS and any(
            isinstance(above, desc_signature) for above in _above(link)
        ):
            link.replace_self(nodes.Text(link["reftarget"]))


def _above(node: Any) -> Iterator[Any]:
    while node.parent is not None:
        node = node.parent
        yield node


def setup(app: Sphinx) -> None:
    """Add the formulas, how docstrings are read, and the buttons of examples."""
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    app.connect("autodoc-process-docstring", docstring)
    app.connect("doctree-read", unlinked)
    try_it.setup(app)
