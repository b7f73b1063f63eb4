"""Execute a notebook's cells in one namespace and store what they show, as Jupyter does.

`python -m tests.docs.notebooks.execution FILE` executes the file in its folder and replaces its outputs.
"""

from __future__ import annotations

import ast
import io
import json
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


def read(file: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return notebook


def write(file: Path, notebook: dict[str, Any]) -> None:
    file.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def execute(notebook: dict[str, Any]) -> None:
    """Replace the outputs of all code cells. An error in a cell ends the execution."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for count, cell in enumerate(code_cells(notebook), 1):
        cell["execution_count"] = count
        cell["outputs"] = _outputs("".join(cell["source"]), names, count)


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The printed text, then the value of the last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        shown = {"data": _forms(value), "execution_count": count, "metadata": {}}
        outputs.append({**shown, "output_type": "execute_result"})
    return outputs


def _forms(value: Any) -> dict[str, list[str]]:
    """A value by content type, as its class offers it to notebooks."""
    if hasattr(value, "_repr_mimebundle_"):
        forms = value._repr_mimebundle_()
    else:
        html = value._repr_html_() if hasattr(value, "_repr_html_") else None
        forms = {"text/html": html, "text/plain": repr(value)}
    return {kind: _lines(text) for kind, text in forms.items() if text is not None}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    place = Path(sys.argv[1]).absolute()
    os.chdir(place.parent)
    read_notebook = read(place)
    execute(read_notebook)
    write(place, read_notebook)
