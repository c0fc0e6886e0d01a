"""The colours of the pictures, for light and dark screens.

Every rule is scoped to ``.gradwalk``, so that a picture does not restyle the notebook around it.
There are no CSS variables, because converters to PNG and PDF do not support them.
"""

from __future__ import annotations

__all__ = ["CHARTS", "STYLE"]

CHART_ROLES = """
.plain, .name {{ fill: {ink} }}
.faint, .small {{ fill: {faint} }}
.track {{ fill: {line}; fill-opacity: .15 }}
.positive, .good {{ fill: {leaf_line} }}
.negative, .bad {{ fill: {root_line} }}
.rest {{ fill: {line} }}
.frame {{ fill: none; stroke: {line}; stroke-opacity: .5 }}
.grid {{ stroke: {line}; stroke-opacity: .25 }}
.mark {{ stroke: {grad}; stroke-width: 1; stroke-dasharray: 4 3 }}
.marked {{ fill: {grad} }}
.box.source {{ fill: {leaf}; stroke: {leaf_line} }}
.box.cause {{ fill: {root}; stroke: {grad}; stroke-width: 2.5 }}
.box.end {{ fill: {group}; stroke: {group_line} }}
.arrow {{ stroke: {edge}; stroke-width: 1.5; fill: none }}
.tip {{ fill: {edge} }}
"""
CHART_LINES = "#2563eb", "#ea7a0c", "#059669", "#c026d3", "#64748b", "#dc2626"

FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

ROLES = """
.paper {{ fill: {paper} }}
.box {{ fill: {box}; stroke: {line}; stroke-width: 1.2 }}
.rule {{ stroke: {line}; stroke-width: 1; stroke-opacity: .55 }}
.leaf .box {{ fill: {leaf}; stroke: {leaf_line} }}
.root .box {{ fill: {root}; stroke: {root_line}; stroke-width: 2 }}
.group .box, .group .behind {{ fill: {group}; stroke: {group_line} }}
.constant .box {{ fill: none; stroke: {line}; stroke-dasharray: 3 3 }}
.op .round {{ fill: {op}; stroke: none }}
.op text {{ fill: {op_text} }}
.name, .data {{ fill: {ink} }}
.caption, .note, .constant .data {{ fill: {faint} }}
.grad {{ fill: {grad} }}
.edge path {{ fill: none; stroke: {edge}; stroke-width: 1.5 }}
.edge path.tip {{ fill: {edge}; stroke: none }}
.edge.constant path.line {{ stroke-opacity: .45 }}
.edge.blocked path.line {{ stroke-dasharray: 2 4 }}
.edge:hover path.line {{ stroke: {grad}; stroke-width: 2.5 }}
.edge:hover path.tip {{ fill: {grad} }}
"""

LIGHT = {
    "paper": "#ffffff", "box": "#ffffff", "line": "#94a3b8",
    "leaf": "#eff6ff", "leaf_line": "#3b82f6", "root": "#fff7ed", "root_line": "#ea7a0c",
    "group": "#f5f3ff", "group_line": "#8b5cf6", "op": "#334155", "op_text": "#f8fafc",
    "ink": "#0f172a", "faint": "#64748b", "grad": "#c2410c", "edge": "#94a3b8",
}  # fmt: skip
DARK = {
    "paper": "#0f1720", "box": "#18222e", "line": "#56657a",
    "leaf": "#12294a", "leaf_line": "#5b9df9", "root": "#3a2410", "root_line": "#f59e42",
    "group": "#261f45", "group_line": "#a78bfa", "op": "#cbd5e1", "op_text": "#0f172a",
    "ink": "#f1f5f9", "faint": "#94a3b8", "grad": "#fb923c", "edge": "#64748b",
}  # fmt: skip

TEXT = f"""
text {{ font: 13px {FONT} }}
.name {{ font-weight: 700 }}
.caption, .note, .group .data, .group .grad {{ font-size: 10px }}
.caption {{ font-size: 9px }}
.sign {{ font-size: 17px }}
.edge path.hit {{ stroke: transparent; stroke-width: 12 }}
"""


def _scoped(rules: str) -> str:
    """Scope each selector of each rule to the class of the picture."""
    lines = []
    for line in filter(None, rules.splitlines()):
        selectors, body = line.split(" {", 1)
        scoped = ", ".join(f".gradwalk {selector}" for selector in selectors.split(", "))
        lines.append(f"{scoped} {{{body}")
    return "\n".join(lines)


STYLE = (
    f"\n{_scoped(ROLES.format(**LIGHT))}\n{_scoped(TEXT)}\n"
    f"@media (prefers-color-scheme: dark) {{\n{_scoped(ROLES.format(**DARK))}\n}}\n"
)

CHARTS = (
    f"{_scoped(CHART_ROLES.format(**LIGHT))}\n"
    + "\n".join(
        f".gradwalk .line{k} {{ stroke: {colour}; fill: {colour} }}"
        for k, colour in enumerate(CHART_LINES)
    )
    + """
.gradwalk.chart text { font-size: 12px }
.gradwalk.chart .small { font-size: 11px }
.gradwalk .curve { fill: none; stroke-width: 2; stroke-linejoin: round }
.gradwalk .key { stroke: none }
"""
    f"@media (prefers-color-scheme: dark) {{\n{_scoped(CHART_ROLES.format(**DARK))}\n}}\n"
)
"""The rules of charts, beside those of graphs."""
