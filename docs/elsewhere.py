"""Where the manuals of other projects say what ours speaks of, so that no build needs a network.

Sphinx reads such addresses from an inventory of each project. These are written from the table
below, with the few names that our pages and docstrings link to.
"""

import zlib
from pathlib import Path

# Of each project the address of its manual, and the page of each object, which $ stands for.
AT = {
    "matplotlib": (
        "https://matplotlib.org/stable/",
        {
            "matplotlib.axes.Axes": "api/_as_gen/$.html",
            "matplotlib.colors.Colormap": "api/_as_gen/$.html",
            "matplotlib.figure.Figure": "api/figure_api.html",
        },
    ),
    "numpy": (
        "https://numpy.org/doc/stable/",
        {
            "numpy.random.Generator": "reference/random/generator.html",
            "numpy.ndarray": "reference/generated/$.html",
        },
    ),
    "pandas": (
        "https://pandas.pydata.org/docs/",
        {
            "pandas.DataFrame": "reference/api/$.html",
            "pandas.Interval": "reference/api/$.html",
            "pandas.Series": "reference/api/$.html",
            "pandas.DataFrame.groupby": "reference/api/$.html",
        },
    ),
    "seaborn": ("https://seaborn.pydata.org/", {"seaborn.FacetGrid": "generated/$.html"}),
    "sklearn": (
        "https://scikit-learn.org/stable/",
        {
            "sklearn.metrics.roc_auc_score": "modules/generated/$.html",
            "sklearn.metrics.average_precision_score": "modules/generated/$.html",
            "sklearn.metrics.roc_curve": "modules/generated/$.html",
            "sklearn.metrics.precision_recall_curve": "modules/generated/$.html",
            "sklearn.model_selection.GridSearchCV": "modules/generated/$.html",
            "sklearn.model_selection.cross_val_score": "modules/generated/$.html",
            "sklearn.model_selection.cross_validate": "modules/generated/$.html",
            "sklearn.model_selection.StratifiedKFold": "modules/generated/$.html",
            "sklearn.calibration.CalibratedClassifierCV": "modules/generated/$.html",
        },
    ),
    "xarray": (
        "https://docs.xarray.dev/en/stable/",
        {"xarray.Dataset": "generated/$.html", "xarray.DataArray": "generated/$.html"},
    ),
}
# What docstrings call them.
SHORT = {
    name.rpartition(".")[2]: name
    for _, objects in AT.values()
    for name in objects
    if name.rpartition(".")[2][0].isupper() and name.split(".")[0] != "sklearn"
}


def write_inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory for each project.

    Parameters
    ----------
    folder : Path
        Where to.

    Returns
    -------
    dict
        As Sphinx wants it: of each project the address and the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for project, (address, objects) in AT.items():
        lines = [f"{name} py:{_kind(name)} 1 {page}#$ -" for name, page in objects.items()]
        lines = [line.replace("$.html", f"{line.split()[0]}.html") for line in lines]
        head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
        head += "# The remainder of this file is compressed using zlib.\n"
        path = folder / f"{project}.inv"
        path.write_bytes(head.encode() + zlib.compress("\n".join([*lines, ""]).encode()))
        mapping[project] = (address, str(path))
    return mapping


def _kind(name: str) -> str:
    """Return what an object is to Sphinx."""
    *_, owner, last = name.split(".")
    if last[0].isupper() or last == "ndarray":
        return "class"
    return "method" if owner[0].isupper() else "function"
