"""What the pages of operators say of each, read from the declarations: what the core checks is what the page says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from acltwin.ops import INTERFACES, OPERATORS
from acltwin.ops.spec import NULL_POINTER, Argument, OpSpec, Rule


def table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [heading, ("---",) * len(heading), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def names(words: Iterable[object]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def plain(words: str) -> str:
    """Words in which a star is a star."""
    return words.replace("*", r"\*")


def dtypes(argument: Argument) -> str:
    extra = f"; arrays also {names(argument.array_dtypes)}" if argument.array_dtypes else ""
    return names(argument.dtypes) + extra


def python_name(spec: OpSpec, argument: Argument) -> str:
    """The name in the array function, where two results are a pair."""
    if len(spec.results) > 1 and argument in spec.results:
        return f"out[{spec.results.index(argument)}]"
    return argument.python_name


def argument_row(spec: OpSpec, argument: Argument) -> tuple[str, ...]:
    ranks = " or ".join(f"{rank}-D" for rank in argument.ranks)
    return (
        *([] if spec.c_only else ["" if argument.c_only else f"`{python_name(spec, argument)}`"]),
        f"`{argument.name}`",
        plain(argument.doc),
        dtypes(argument) or argument.kind.replace("_", " "),
        names(argument.formats),
        ranks,
    )


def arguments(spec: OpSpec) -> list[str]:
    heading = (*([] if spec.c_only else ["Python"]), "C", "meaning", "type", "formats", "rank")
    return table(heading, (argument_row(spec, argument) for argument in spec.arguments))


def support(spec: OpSpec) -> list[str]:
    device = f"; under the device profile also {names(spec.device_socs)}" if spec.device_socs else ""
    rows = (
        ("C", f"`{spec.phase1_name}`, `{spec.c_name}`"),
        ("header", f"`aclnnop/{spec.header}`"),
        ("chips", names(spec.socs) + device),
    )
    return table(("", ""), rows)


def entry(spec: OpSpec) -> list[str]:
    """An operator's own part of the page of its family; what is long unfolds."""
    function = [] if spec.c_only else ["```{eval-rst}", f".. autofunction:: acltwin.{spec.name}", "```"]
    return [
        *support(spec),
        "",
        *function,
        "",
        *folded("Arguments, in C and in Python", arguments(spec)),
        "",
        *folded(f"{len(spec.rules)} rules, in the order in which they are checked", rules(spec)),
    ]


def folded(title: str, lines: list[str]) -> list[str]:
    return [f":::{{dropdown}} {title}", *lines, ":::"]


def c_answer(rule: Rule) -> str:
    """What the C interface returns, and under which profile if not under both."""
    profiles = [profile for profile in ("documented", "device") if profile in rule.judges]
    if not profiles:
        return ""
    return f"{rule.code}" if len(profiles) == 2 else f"{rule.code}, {profiles[0]} profile"


def rule_row(rule: Rule) -> tuple[str, ...]:
    raised = f"`{rule.raises.__name__}`" if "array" in rule.judges else ""
    return (f"`{rule.id}`", plain(rule.sentence), raised, c_answer(rule))


def rules(spec: OpSpec) -> list[str]:
    return table(("rule", "what must hold", "Python raises", "C returns"), map(rule_row, spec.rules))


def c_only_rules() -> list[str]:
    """What the C interface refuses and the array functions do not, null pointers aside."""
    operators_of: dict[tuple[str, str], list[str]] = {}
    for spec in INTERFACES.values():
        for rule in spec.rules:
            if "array" not in rule.judges and rule.code != NULL_POINTER:
                operators_of.setdefault((plain(rule.sentence), c_answer(rule)), []).append(spec.name)
    rows = ((sentence, answer, names(operators)) for (sentence, answer), operators in operators_of.items())
    return table(("what must hold", "C returns", "operators"), rows)


def array_dtypes() -> list[str]:
    """What the array functions take."""

    def taken(argument: Argument) -> str:
        dtypes = {*argument.dtypes, *argument.array_dtypes}
        return names(sorted(dtypes, key=lambda name: (name == "bool", "int" in name, name)))

    def indices(spec: OpSpec) -> str:
        return "".join(taken(argument) for argument in spec.arguments if argument.name == "indices")

    functions_of: dict[tuple[str, str], list[str]] = {}
    for spec in OPERATORS.values():
        functions_of.setdefault((taken(spec.inputs[0]), indices(spec)), []).append(spec.name)
    return table(("functions", "values", "indices"), ((names(names_of), *of) for of, names_of in functions_of.items()))


def for_one_operator(lines_of: Callable[[OpSpec], list[str]]) -> type[SphinxDirective]:
    class OneOperator(SphinxDirective):
        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            return self.parse_text_to_nodes("\n".join(lines_of(INTERFACES[self.arguments[0]])))

    return OneOperator


def for_all_operators(lines_of: Callable[[], list[str]]) -> type[SphinxDirective]:
    class AllOperators(SphinxDirective):
        def run(self) -> list[nodes.Node]:
            return self.parse_text_to_nodes("\n".join(lines_of()))

    return AllOperators


def redirect(app: Sphinx, exception: Exception | None) -> None:
    """``operators/NAME.html``, one page per operator, was the address in version 0.2."""
    if exception or app.builder.format != "html":
        return
    for spec in INTERFACES.values():
        target = f"{spec.family}.html#{nodes.make_id(spec.title)}"
        page = f'<!doctype html><meta http-equiv="refresh" content="0; url={target}"><a href="{target}">moved</a>'
        (Path(app.outdir) / "operators" / f"{spec.name}.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("operator", for_one_operator(entry))
    app.add_directive("array-dtypes", for_all_operators(array_dtypes))
    app.add_directive("rules-of-c-alone", for_all_operators(c_only_rules))
    app.connect("build-finished", redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
