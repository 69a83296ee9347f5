"""The recipe of the conda package asks for what pyproject.toml asks for."""

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
RECIPE = yaml.safe_load((ROOT / "docs" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The same package under another name: without a window system, without what is not used.
NAMES = {"matplotlib": "matplotlib-base", "seaborn": "seaborn-base"}


def test_the_recipe_is_that_of_the_project() -> None:
    run = "\n".join(RECIPE["requirements"]["run"])
    for name, value in RECIPE["context"].items():
        run = run.replace(f"${{{{ {name} }}}}", value)
    needed = [one.partition(">=") for one in PROJECT["dependencies"]]
    wanted = [f"{NAMES.get(name, name)} >={version}" for name, _, version in needed]
    assert sorted(run.split("\n")) == sorted([f"python {PROJECT['requires-python']}", *wanted])
    about = RECIPE["about"]
    found = [RECIPE["context"]["version"], about["summary"], about["license"]]
    assert found == [PROJECT[name] for name in ("version", "description", "license")]
    files = [about["license_file"], *RECIPE["tests"][1]["files"]["source"]]
    assert [name for name in files if not (ROOT / name).is_file()] == []
