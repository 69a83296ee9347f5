"""The recipe of the conda package asks for what pyproject.toml asks for."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml: Any = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
RECIPE = yaml.safe_load((ROOT / "docs" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
# The same package under another name: without a window system, without what is not used.
NAMES = {"matplotlib": "matplotlib-base", "seaborn": "seaborn-base"}


def requirement(text: str) -> str:
    """Write a requirement of pip as conda does."""
    name, _, version = text.partition(">=")
    return f"{NAMES.get(name, name)} >={version}" if version else NAMES.get(name, name)


def told(part: str) -> list[str]:
    """Return what a part of the recipe asks for, sorted, with the numbers of its context."""
    text = "\n".join(RECIPE["requirements"][part])
    for name, value in RECIPE["context"].items():
        text = text.replace(f"${{{{ {name} }}}}", value)
    return sorted(text.split("\n"))


def test_what_runs_and_what_builds_is_that_of_the_project() -> None:
    python = PROJECT["requires-python"]
    assert told("run") == sorted([f"python {python}", *map(requirement, PROJECT["dependencies"])])
    needed = map(requirement, SETTINGS["build-system"]["requires"])
    assert told("host") == sorted([f"python {python.removeprefix('>=')}.*", "pip", *needed])


def test_the_recipe_is_of_this_version_and_its_files_are_there() -> None:
    about = RECIPE["about"]
    assert RECIPE["context"]["version"] == PROJECT["version"]
    assert RECIPE["package"]["name"] == PROJECT["name"]
    assert about["summary"] == PROJECT["description"]
    assert about["license"] == PROJECT["license"] and about["homepage"] in PROJECT["urls"].values()
    files = [about["license_file"], *RECIPE["tests"][1]["files"]["source"]]
    assert [name for name in files if not (ROOT / name).is_file()] == []
    packed = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {Path(name).parts[0] for name in files} <= {*packed}
