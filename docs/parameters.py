"""What parameters mean that several methods share: ``python docs/parameters.py`` writes it.

Editors show docstrings as they stand in the source. So each method says in full what its
parameters mean; what several of them say is kept in ``parameters.toml``. In a docstring the first
paragraph below a head is the one from there; after a blank line the method may add to it, and the
head may go on with a default. ``[own]`` has what means something else in one method.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

PACKAGE = Path(__file__).parent.parent / "pu_accessor"
FILES = [
    *(
        PACKAGE / "accessors" / f"{name}.py"
        for name in (
            "accessor",
            "assumptions",
            "bounds",
            "comparison",
            "constructors",
            "estimates",
            "planning",
            "plots",
            "prior",
            "table_plots",
            "tables",
            "utility",
            "utility_plots",
        )
    ),
    PACKAGE / "inference" / "prior" / "labeling.py",
    PACKAGE / "questions" / "prior.py",
    PACKAGE / "report" / "report.py",
    PACKAGE / "sklearn.py",
]
WIDTH = 99
SECTIONS = ("Parameters", "Returns")


@dataclass(frozen=True)
class Paragraph:
    """What stands under one head, in docstrings that have some other parameters beside it.

    Parameters
    ----------
    head : str
        Name and type. What stands after the type, such as a default, is each docstring's own.
    text : str
        It is wrapped where it is written.
    beside : tuple of str, optional
        Parameters that the docstring has, too, of "joint|models" one or the other; of several
        paragraphs the first that fits is taken.
    """

    head: str
    text: str
    beside: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return what a head begins with."""
        return self.head.split(" : ")[0]


TEXTS = tomllib.loads((Path(__file__).parent / "parameters.toml").read_text(encoding="utf-8"))
PARAGRAPHS = [
    Paragraph(one["head"], " ".join(one["text"].split()), tuple(one.get("beside", ())))
    for one in TEXTS["paragraph"]
]
REFERENCES = [" ".join(one["text"].split()) for one in TEXTS["reference"]]
OWN = {name: {*heads} for name, heads in TEXTS["own"].items()}
_REFERENCE = re.compile(r"\.\. \[(\d+)\] ")
_AUTHOR = 11  # letters by which a reference is known


def written(source: str) -> str:
    """Return a file with each shared paragraph as it stands here.

    Parameters
    ----------
    source : str
        Python.

    Returns
    -------
    str
    """
    lines = source.splitlines()
    for function in sorted(_documented(ast.parse(source)), key=lambda one: -one.lineno):
        first, last = function.body[0].lineno - 1, function.body[0].end_lineno
        lines[first:last] = _fill(lines[first:last], function)
    return "\n".join([*lines, ""])


def _documented(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Find the functions with a docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            yield node


def _fill(lines: list[str], function: ast.FunctionDef) -> list[str]:
    """Return a docstring with its shared paragraphs."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    blocks = list(_blocks(lines, indent))
    heads = {
        name
        for section, block in blocks
        if section == "Parameters"
        for name in block[0].split(" : ")[0].strip().split(", ")
    }
    own = OWN.get(function.name, set())
    filled: list[str] = []
    for section, block in blocks:
        if section in SECTIONS:
            filled += _entry(block, heads, own, indent)
        elif section == "References":
            filled += _reference(block, indent)
        else:
            filled += block
    return filled


def _blocks(lines: list[str], indent: str) -> Iterator[tuple[str, list[str]]]:
    """Split a docstring into the entries of its sections, heads of sections apart."""
    section, block = "", list[str]()
    for place, line in enumerate(lines):
        at_margin = line.startswith(indent) and line[len(indent) :][:1].strip() != ""
        is_rule = at_margin and set(line.strip()) == {"-"}
        starts = place + 1 < len(lines) and set(lines[place + 1].strip()) == {"-"}
        if block and (at_margin or is_rule):
            yield section, block
            block = []
        if starts:
            section = ""
        block.append(line)
        if is_rule:
            yield "", block
            section, block = lines[place - 1].strip(), []
    if block:
        yield section, block


def _entry(block: list[str], heads: set[str], own: set[str], indent: str) -> list[str]:
    """Return one entry of a section, its shared paragraph as it stands here."""
    head = block[0].strip()
    name = head.split(" : ")[0]
    found = _paragraph(name, heads)
    if found is None or name in own:
        return block
    tail = re.search(r", (optional|default .*)$", head) if " : " in head else None
    body = [line.strip() and line for line in block[1:]]
    rest = body[body.index("") :] if "" in body else []
    inner = f"{indent}    "
    text = wrap(found.text, WIDTH - len(inner), break_on_hyphens=False, break_long_words=False)
    return [
        f"{indent}{found.head}{tail[0] if tail else ''}",
        *(inner + line for line in text),
        *rest,
    ]


def _paragraph(name: str, heads: Iterable[str]) -> Paragraph | None:
    """Return what is shared of a name beside these parameters."""
    there = {*heads}
    for one in PARAGRAPHS:
        if one.name == name and all(there & {*names.split("|")} for names in one.beside):
            return one
    return None


def _reference(block: list[str], indent: str) -> list[str]:
    """Return a reference, in the words that are here if it is known."""
    number = _REFERENCE.match(block[0].strip())
    if number is None:
        return block
    author = block[0].strip()[number.end() :][:_AUTHOR]
    known = next((one for one in REFERENCES if one.startswith(author)), None)
    if known is None:
        return block
    text = wrap(
        f".. [{number[1]}] {known}",
        WIDTH - len(indent),
        subsequent_indent="   ",
        break_on_hyphens=False,
    )
    own = [line.strip() and line for line in block[1:]]
    return [*(indent + line for line in text), *(own[own.index("") :] if "" in own else [])]


def main() -> None:
    """Write each file that says something else."""
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        if written(source) != source:
            path.write_text(written(source), encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(PACKAGE.parent)}\n")


if __name__ == "__main__":
    main()
