"""What environments hold.

Run ``python tests/support/versions.py lowest``, ``pins lock.json``, ``row newest``.

``lowest`` prints each minimum that ``pyproject.toml`` names as the one version that will do,
``pins`` what pip would install, ``row`` the line of this environment for ``docs/support.md``.
"""

import json
import platform
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TOLD = ["numpy", "scipy", "pandas", "xarray", "matplotlib", "seaborn", "dask", "scikit-learn"]
# Without these the lowest matplotlib and zarr would not go: later ones changed under them.
OF_THEIR_TIME = ["pyparsing<3.3", "numcodecs<0.14"]
MINIMUM = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^]]*\])?>=([^,;\s]+)")


def requirements(project: dict[str, Any], groups: dict[str, list[Any]]) -> Iterator[str]:
    """Go through all that users and tests need; tools that check the code may be new."""
    yield from project["dependencies"]
    for extra in project["optional-dependencies"].values():
        yield from extra
    for group in ("demo", "test"):
        yield from (one for one in groups[group] if isinstance(one, str))


def lowest() -> list[str]:
    """Return pins of the lowest versions that are allowed."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = requirements(settings["project"], settings["dependency-groups"])
    found = (MINIMUM.match(one) for one in named)
    return sorted({f"{one[1]}=={one[2]}" for one in found if one} | {*OF_THEIR_TIME})


def pins(report: str) -> list[str]:
    """Return a pin for each package of a report of pip, but for this one."""
    found = json.loads(Path(report).read_text(encoding="utf-8"))["install"]
    parts = [one["metadata"] for one in found if not one["is_direct"]]
    return sorted((f"{part['name']}=={part['version']}" for part in parts), key=str.lower)


def row(name: str) -> str:
    """Return a line of the table."""
    cells = [name, platform.python_version(), *map(version, TOLD)]
    return f"| {' | '.join(cells)} |"


def main(command: str, *arguments: str) -> None:
    """Print what is asked for."""
    commands = {"lowest": lowest, "pins": pins, "row": lambda name: [row(name)]}
    print("\n".join(commands[command](*arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
