"""Paragraphs that several docstrings share: each is written once, and stands in every help()."""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["fill"]

_PARAGRAPHS: Mapping[str, str] = MappingProxyType(
    {
        "beta": """\
beta : float, array-like of float; mapping, Series or DataArray of float by group; or DataFrame
    Fraction of positives among the unlabeled, in [0, 1]. 0 treats them as negative. Or an estimate
    of it, as `estimate_beta` and `pu_accessor.beta_from_labels` return it: intervals then hold
    jointly, for the ranking and for beta; tables, curves and pictures take one of a higher level
    than their own, and get an envelope.""",
        "joint": """\
joint : {"approximate", "guaranteed"}, default "approximate"
    How an estimate of beta counts: by the squares of both errors, which holds about as often as
    the level says if they are independent; or as the envelope over the interval of beta, which
    holds at least so often. That takes an estimate of a higher level, and is wider.""",
        "target": """\
target : {"population", "examples"}, default "population"
    What the interval is about: new examples, from where these come from; or these examples, once
    all their labels were known.""",
        "band": """\
level : float, default 0.95
    Probability with which a band covers, in (0, 1): at each cutoff for "exact" and
    "bootstrap", at all cutoffs jointly for "simultaneous" and "dkw".
band : {"exact", "simultaneous", "bootstrap", "dkw"}, callable or pair, default "exact"
    Bounds on the latent positives in the head, given the known ones there. A callable
    ``(n, m, level) -> (lower, upper)`` gets the numbers of known and of latent positives, and
    returns two integer arrays with an entry for each k = 0..n known positives in the head. A pair
    ``(lower, upper)`` bounds their share among the first r examples, from whatever you know: two
    arrays over r = 0, 1, ..., DataArrays over "rank" (and models), or functions of an array of r.
reference : {"positives", "negatives", "tightest", "both"}, default "positives"
    Which known examples the band starts from. Known negatives, a random sample of the
    negatives, bound the latent ones below each cutoff. "tightest" takes, for each beta, the kind
    that gives the narrower range of AUROC, before it is cut to what is possible; "both" what two
    bands at half of 1 - level have in common.
selection_odds : float, default 1
    By which factor the odds of being labeled may differ between any two positives (of negatives,
    with known ones), in any way: 1 for labels at random, infinite for nothing known about them.
    Above 1 the band is "exact" or "simultaneous"; both then hold for every such selection.""",
        "odds": """\
selection_odds : float, default 1
    By which factor the odds of being labeled may differ between any two positives, in any way: 1
    for labels at random, infinite for nothing known about them. Above 1 the columns range_lower
    and range_upper are what the estimate can be for such a selection, and the interval holds for
    all of them.""",
        "quantity": """\
quantity : str or callable
    "auroc", "average_precision", or a metric, whose conclusion is that it is above a value; or
    "difference", of the AUROC of models that ranked the same examples, whose conclusion is that
    one is better than the other.""",
        "conclusion": """\
above : float, default 0.5
    The conclusion is that the lower limit is above this. Not for a difference, which is to be
    other than 0.
at : int, mapping of str to float, or {"youden", "maximum"}, optional
    The cutoff of a metric, as in `metric`.
target : {"population", "examples"}, optional
    What the numbers are about: new examples by default, but for a metric, which is about these.
level : float, default 0.95
    Probability with which intervals cover, in (0, 1).
band, reference
    For a metric: how it is bounded, as in `metric`; the band "exact" or "simultaneous".""",
        "interval": """\
beta_interval : (float, float), or mapping, Series or DataFrame of them by group, optional
    Where beta may lie, around the point that is passed: curves, metrics and areas of the tables
    get an envelope, which is drawn hatched. A DataFrame has the columns low and high.""",
        "metric": """\
name : str or callable
    One of accuracy, balanced_accuracy, f1, fdr, fnr, fpr, informedness, jaccard, kappa, lift, mcc,
    npv, precision, recall, tnr and tpr; `pu_accessor.fbeta(2)` and the like; or a function of the
    arrays tp, fp, fn and tn, in examples, that returns an array of their shape.""",
        "ranks": """\
ranks : {"breakpoints", "all"}, int or array-like of int, default "breakpoints"
    The few cutoffs between which all curves are straight in (fp, tp); every attained one; or the
    last attained one at or before each of these numbers of examples.""",
        "look": """\
hue, col, row : str, optional
    What colours, columns and rows of panels tell apart: "beta", "model" for a list of scores, or
    names of `by` or dimensions. Where one is left, it gets the hues.
baseline : bool, default False
    Insist on the dashed curve of beta = 0, which treats the unlabeled as negative.
ax : matplotlib Axes, optional
    Where to draw; new if not given.
line_kws, band_kws : mapping, optional
    Properties of the estimates' Line2D and of the bands' Polygon; a band has its line's colour.
palette : str, list, dict or Colormap, optional
    Colours of the hues, as in seaborn: a name, such as "deep" or "viridis", colours in order, or
    that of each key. By default the next ones of your colour cycle that are not on the Axes.
legend : {"auto", "brief", "full", "direct"} or False, default "auto"
    What is named, where it covers no data. "auto" leaves out some of more than six betas, "full"
    none; "brief" names curves alone; "direct" writes names at the ends of curves; False nothing.
height : float, optional
    Height of each panel of a grid, in inches.""",
        "drawing": """\
matplotlib Axes or seaborn FacetGrid
    A grid with `col` or `row`.""",
        "errors": """\
PUKeyError
    If there is no such column, or beta lacks a group.
PUValueError
    If an argument or a column has a value that is not allowed, labels are ambiguous, or no row is
    a known positive. In a group, the error names it.
PUTypeError
    If an argument or a column is of a kind that is not allowed.""",
        "claesen": """\
.. [1] M. Claesen, J. Davis, F. De Smet, B. De Moor, *Assessing Binary Classifiers Using Only
   Positive and Unlabeled Data*, arXiv:1504.06837, 2015.""",
    }
)
_BASELINE = "baseline : bool"


def fill(docstring: str | None, parameters: Mapping[str, object]) -> str | None:
    """Put shared paragraphs in the places of their names.

    Parameters
    ----------
    docstring : str or None
        With lines that hold a name in braces, such as ``{look}``, alone.
    parameters : mapping of str to object
        Those that the function has: where it has no baseline, none is explained.

    Returns
    -------
    str or None
    """
    lines = []
    for line in (docstring or "").splitlines():
        name = line.strip()[1:-1]
        if line.strip() != f"{{{name}}}" or name not in _PARAGRAPHS:
            lines.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        paragraph = _PARAGRAPHS[name].splitlines()
        if "baseline" not in parameters:
            start = next((i for i, x in enumerate(paragraph) if x.startswith(_BASELINE)), None)
            paragraph = [x for i, x in enumerate(paragraph) if start not in (i, i - 1)]
        lines += [f"{indent}{written}" for written in paragraph]
    return "\n".join(lines) if docstring else docstring
