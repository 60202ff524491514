"""A table as Markdown, CSV, LaTeX or HTML."""

import csv
import html
import io
import math
from collections.abc import Callable

from paiad.benchmark.table import Mark, Table
from paiad.errors import SettingError


def rendered(table: Table, form: str) -> str:
    """The table as text in the named form."""
    if form not in FORMS:
        raise SettingError(f"no form is called {form!r}; there are {', '.join(FORMS)}")
    return FORMS[form](table)


def as_markdown(table: Table) -> str:
    """GitHub's tables; best in bold, second best underlined.

    >>> from paiad.benchmark.table import Column
    >>> print(as_markdown(Table("t", "Two", (Column("who"), Column("VUS-PR", 2)), (("a", 0.5),), ("n = 1",))))
    **Two**
    <BLANKLINE>
    | who | VUS-PR |
    |---|---:|
    | a | 0.50 |
    <BLANKLINE>
    n = 1
    """
    marks = {"": "{}", "best": "**{}**", "second": "<u>{}</u>"}
    lines = [
        "| " + " | ".join(_piped(column.name) for column in table.columns) + " |",
        "|" + "|".join("---" if column.digits is None else "---:" for column in table.columns) + "|",
    ]
    for row, row_marks in zip(table.written(), table.marks(), strict=True):
        cells = (marks[mark].format(_piped(cell)) for cell, mark in zip(row, row_marks, strict=True))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n\n".join([f"**{table.title}**", "\n".join(lines), *table.notes])


def as_csv(table: Table) -> str:
    """Full precision, nothing where there is no value; the notes follow as comments."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    for row in table.rows:
        writer.writerow(["" if _is_absent(value) else value for value in row])
    return text.getvalue() + "".join(f"# {note}\n" for note in (table.title, *table.notes))


def as_latex(table: Table) -> str:
    """A tabular for booktabs, with caption and notes."""
    marks = {"": "{}", "best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"}
    alignment = "".join("l" if column.digits is None else "r" for column in table.columns)
    header = " & ".join(_tex(column.name) for column in table.columns) + r" \\"
    body = [
        " & ".join(marks[mark].format(_tex(_minus(cell))) for cell, mark in zip(row, row_marks, strict=True))
        + r" \\"
        for row, row_marks in zip(table.written(), table.marks(), strict=True)
    ]
    notes = [rf"\par\footnotesize {_tex(note)}" for note in table.notes]
    return "\n".join(
        [
            r"\begin{table}[t]",
            r"\centering",
            rf"\caption{{{_tex(table.title)}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            header,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        ]
    )


def as_html(table: Table) -> str:
    """A table element whose cells carry their full value, for sorting."""
    marks: dict[Mark, str] = {"": "", "best": ' class="best"', "second": ' class="second"'}
    head = "".join(f"<th scope=col>{html.escape(column.name)}</th>" for column in table.columns)
    rows = []
    for values, row, row_marks in zip(table.rows, table.written(), table.marks(), strict=True):
        given = ["" if _is_absent(value) else html.escape(str(value)) for value in values]
        cells = (
            f'<td data-value="{value}"{marks[mark]}>{html.escape(cell)}</td>'
            for value, cell, mark in zip(given, row, row_marks, strict=True)
        )
        rows.append("<tr>" + "".join(cells) + "</tr>")
    notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in table.notes)
    body = "\n".join(rows)
    caption = f"<caption>{html.escape(table.title)}</caption>"
    return (
        f'<table id="table-{table.name}" class=sortable>{caption}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table>\n{notes}"
    )


FORMS: dict[str, Callable[[Table], str]] = {
    "markdown": as_markdown,
    "csv": as_csv,
    "latex": as_latex,
    "html": as_html,
}
SUFFIXES = {"markdown": ".md", "csv": ".csv", "latex": ".tex", "html": ".html"}

_TEX = {
    "\\": r"\textbackslash{}",
    "$": r"\$",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "&": r"\&",
    "%": r"\%",
    "_": r"\_",
    "#": r"\#",
    "–": "--",
    "Δ": r"$\Delta$",
    "ρ": r"$\rho$",
    "λ": r"$\lambda$",
}
_TEX |= {
    "<": "$<$",
    ">": "$>$",
    "±": r"$\pm$",
    "†": r"$\dagger$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "·": r"$\cdot$",
    "−": "$-$",
    "×": r"$\times$",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in text)


def _minus(cell: str) -> str:
    """A number's hyphen as the minus it is."""
    return f"−{cell[1:]}" if cell[:1] == "-" and cell[1:2].isdigit() else cell


def _piped(text: str) -> str:
    return text.replace("|", r"\|")


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
