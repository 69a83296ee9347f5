"""Each page's examples as a module, for type checkers: ``python docs/snippets.py FOLDER``.

To a type checker ``df.pu`` is a column. So ``x.pu`` is written as ``pu_accessor.pu(x)``, a call
that has types. What stands under ``try`` shows an error on purpose, and is left
out.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What others type too narrowly: a line with it is not checked.
NOT_OURS = (
    "np.where(",
    "split_row_groups",
    "[:, 1]",
    "from_prevalence(",
    "scorer(",
    "**",
    "ax=ax",
    "reference=way",  # a string of a loop
    "drawn.select(",  # of polars, which the types of a frame of pandas do not know
)


class Typed(ast.NodeTransformer):
    """Puts the typed function in the place of the accessor."""

    def visit_Try(self, node: ast.Try) -> None:
        """Leave out what shows an error."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Write ``x.pu(score=...)`` as ``pu_accessor.pu(x, score=...)``."""
        self.generic_visit(node)
        inner = node.func
        is_bound = isinstance(inner, ast.Call) and ast.unparse(inner.func) == "pu_accessor.pu"
        return ast.Call(inner.func, [*inner.args, *node.args], node.keywords) if is_bound else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Write ``x.pu`` as ``pu_accessor.pu(x)``."""
        self.generic_visit(node)
        is_package = isinstance(node.value, ast.Name) and node.value.id == "pu_accessor"
        if node.attr != "pu" or is_package:
            return node
        function = ast.Attribute(ast.Name("pu_accessor", ast.Load()), "pu", ast.Load())
        return ast.Call(function, [node.value], [])


def typed(page: Path) -> str:
    """Return the examples of a page, one after the other."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    tree = Typed().visit(ast.parse("\n".join(blocks)))
    lines = ast.unparse(ast.fix_missing_locations(tree)).splitlines()
    return "\n".join(
        f"{line}  # type: ignore" if any(text in line for text in NOT_OURS) else line
        for line in lines
    )


def main(folder: Path) -> None:
    """Write a module for each page that has examples."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        if text := typed(page).strip():
            head = "" if "import pu_accessor\n" in text else "import pu_accessor\n"
            (folder / f"{page.stem.lower()}_page.py").write_text(
                f"{head}{text}\n", encoding="utf-8"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
