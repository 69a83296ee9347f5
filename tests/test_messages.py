"""What is refused, and what the message says: calls as they are typed, by the kind of error."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import xarray as xr

import pu_accessor
import pu_accessor.polars
from pu_accessor import PUDataError, PUError, PUKeyError, PUTypeError, PUValueError, PUWarning

SIZE = 120
RNG = np.random.default_rng(57)
PLACE = np.arange(SIZE)
DF = pd.DataFrame({"score": RNG.normal(1.5 * (PLACE < 50)), "other": RNG.normal(size=SIZE)})
DF["label"] = np.where(PLACE < 25, 1, np.where(PLACE >= 110, 0, np.nan))
DF["site"], DF["fold"], DF["row"] = np.where(PLACE % 2, "a", "b"), PLACE % 3, PLACE
DF["lone"] = np.where(PLACE, "many", "one")
DF["e"] = np.where(PLACE < 25, 0.5, np.nan)
DF["p"] = 1 / (1 + np.exp(-DF["score"]))
SPOILT = DF.assign(label=DF["label"].mask(DF["site"] == "b"))
FREE = DF.assign(label=DF["label"].where(DF["label"] == 1))  # without known negatives
LONG = FREE.melt(["row", "label", "site"], ["score", "other"], "model", "points")
DS = xr.Dataset({"score": ("sample", DF["score"]), "label": ("sample", DF["label"])})
BY_HAND = pd.Series([True, False, True], index=[*"abc"])
DRAWN = {"n_unlabeled": 9, "n": 1, "n_positive": 2, "n_negative": 0}
STRATA = pd.DataFrame({"label": [True, False], "stratum": [*"ab"], **DRAWN})
BETA = pu_accessor.beta_from_labels(13, 60, n_unlabeled=int(DF["label"].isna().sum()))
BOTH = FREE.assign(sign="x").pu(score=["score", "other"])
GROUPS = DF.pu(by="site")
NAMES: dict[str, Any] = {
    **{
        "DF": DF,
        "FREE": FREE,
        "SPOILT": SPOILT,
        "LONG": LONG,
        "DS": DS,
        "BOTH": BOTH,
        "GROUPS": GROUPS,
    },
    **{"BY_HAND": BY_HAND, "STRATA": STRATA, "BETA": BETA, "np": np, "pd": pd, "pl": pl},
    **{"SMALL": pd.Series([1, None, None]), "NAN": float("nan"), "xr": xr, "scipy": scipy},
    **{"PU": DF.pu, "TABLES": DF.pu.contingency(0.2, ranks="all"), "PILOT": {"auroc": 0.8}},
    **{"CURVES": DF.pu.roc_bounds(0.2), "CHUNKS": pu_accessor.from_chunks([DF])},
    **{"from_arrays": pu_accessor.from_arrays, "from_chunks": pu_accessor.from_chunks},
    **{"labeling": pu_accessor.labeling, "bedroc": pu_accessor.bedroc},
    **{"pu_accessor": pu_accessor, "ONE": pu_accessor.from_arrays([3, 2, 1], [True, None, None])},
}
# The call, and words that its message has.
VALUE = [
    # beta, level, band, ranks
    ("PU.auroc(29)", "beta must lie in [0, 1]", "percent"),
    ("PU.auroc([0.1, np.nan])", "beta must lie in [0, 1]"),
    ("PU.contingency([0.2, 0.2], ranks='all')", "each value once"),
    ("PU.contingency([], ranks='all')", "beta must lie in [0, 1], but nothing was passed"),
    ("DF.assign(label=1).pu.auroc(0.3)", "must be 0 if nothing is unlabeled"),
    ("PU.auroc(0.3, level=95)", "level must lie in", "pass 0.95"),
    ("PU.auroc(0.3, level=1 - 1e-14)", "level must lie in"),
    ("PU.roc_bounds(0.3, band='exakt')", "band must be one of", "Did you mean 'exact'"),
    ("PU.contingency(0.3, ranks=400)", "ranks must lie between 0 and 120", "[400] was passed"),
    ("PU.contingency(0.3, ranks=[])", "at least one rank, and each once, but [] was passed"),
    ("PU.contingency(0.3, ranks=[1, 1])", "each once, but [1, 1] was passed", "np.unique"),
    ("PU.contingency(0.3, ranks='ALL')", "one of ['all', 'breakpoints']", "mean 'all'"),
    ("PU.contingency(0.3, band=(np.zeros(9), np.ones(121)))", "121 in all, but its lower has 9"),
    ("PU.contingency(0.3, band=(np.zeros(121), np.ones(121) * 2))", "upper is 2 at rank 0"),
    ("PU.contingency(0.3, band=(np.ones(121), np.zeros(121)))", "lower <= upper, but at rank 0"),
    ("PU.contingency(0.3, band=lambda n, m, level: ([0], [1]))", "an entry for each k = 0..n"),
    ("ONE.contingency(1, band=lambda *_: (np.r_[1, 0], [2, 2]))", "falls from 1 at k = 0 to 0"),
    ("ONE.contingency(1, band=lambda *_: ([0, -1], [1, 2]))", "from 0 to m = 2", "-1 to 0"),
    ("ONE.contingency(1, band=lambda *_: ([0, 0], [1, 3]))", "from 0 to m = 2", "1 to 3"),
    ("ONE.contingency(1, band=lambda *_: ([0, 0], [1, 1]))", "counts of the m = 2", "by m"),
    ("ONE.contingency(1, band=lambda *_: ([0, 2], [1, 1]))", "lower <= upper, but at k = 1 of n"),
    # roles
    ("SPOILT.pu(by='site').auroc(0.3)", "group site='b': label must mark at least one known"),
    ("SPOILT.pu(by=['site', 'fold']).auroc(0.3)", "group site='b', fold=0: label must mark"),
    ("GROUPS(on_error='skip', label='fold').auroc(0.3)", "label column 'fold' contains"),
    ("DF.pu(nan_policy='drop')", "must be one of ['omit', 'raise', 'unretrieved', 'worst']"),
    ("DF.pu(on_error='ignore')", "on_error must be one of ['nan', 'raise', 'skip']"),
    ("DF.pu(by='score').auroc(0.3)", "'score' is the column of scores, too"),
    ("DF.pu(by=['site', 'label']).auroc(0.3)", "'label' is the column of labels, too"),
    ("DF.pu(by=['site', 'site']).auroc(0.3)", "different columns"),
    ("DF.pu(score=[]).auroc(0.3)", "a list of different ones, but [] was passed"),
    ("DF.pu(score=['score', 'score']).auroc(0.3)", "score must name one column or a list"),
    ("DF.rename(columns={'site': 'rank'}).pu(by='rank').roc_bounds(0.3)", "not be called 'rank'"),
    ("DF[:0].pu(by='site').auroc(0.3)", "must leave rows"),
    ("DF[:0].pu.auroc(0.3)", "at least one example, but are empty"),
    ("from_arrays([NAN], [True], nan_policy='omit').auroc(0)", "there is none in the rows"),
    (
        "from_arrays([1, 1, NAN], [1, None, None]).auroc(0.3)",
        "NaN in 1 of 3",
        "nan_policy='worst'",
    ),
    ("DF.assign(label='x').pu.auroc(0.3)", "label column 'label' contains 'x'"),
    ("DF.assign(label=None).pu.auroc(0.3)", "at least one known positive, but none of 120"),
    ("DF.pu(label='fold', positive=7).auroc(0.3)", "positive"),
    ("DF.pu(by='site', pool='folds').auroc(0.3)", "columns of by, ['site']"),
    ("DF.pu(pool=True).auroc(0.3)", "by='fold', pool=True"),
    ("from_arrays([2, 1], [1, None], cluster=[1]).auroc(0)", "the same length, but have 2 and 1"),
    (
        "DS.expand_dims(lat=2).pu(dim=['lat', 'sample']).auroc(0.3)",
        "ds.stack(sample=['lat', 'samp",
    ),
    (
        "from_arrays([3, 2], [1.0]).auroc(0.3)",
        "have 2 and 1",
        "pd.concat([pd.DataFrame({'score': pr",
    ),
    ("DF.assign(w=-1).pu(weight='w').auroc(0.3)", "weight column 'w' must be", "1 to 1e+12"),
    ("DF.assign(w=np.inf).pu(weight='w').auroc(0.3)", "weight", "[inf, inf,"),
    ("DF.assign(w=NAN).pu(count='w').auroc(0.3)", "count column 'w' must be", "[nan, nan,"),
    ("DF.assign(w=np.inf).pu(count='w').auroc(0.3)", "up to 2**53 in all, but [inf"),
    ("DF.assign(w=-1).pu(count='w').auroc(0.3)", "whole numbers up to 2**53 in all, but [-1.0,"),
    ("DF.assign(w=2.5).pu(count='w').auroc(0.3)", "count", "Of a sample: df.pu(weight='w')"),
    ("DF.assign(w=0).pu(count='w').auroc(0.3)", "count column", "their sum is 0. A row stands"),
    ("DF.assign(w=2**50).pu(count='w').auroc(0.3)", "up to 2**53 in all", "is 1.35108e+17"),
    ("DF.assign(e=1.5).pu(propensity='e').auroc(0.3, target='examples')", "must lie in (0, 1]"),
    ("DF.assign(e=1e-200).pu(propensity='e').contingency(0.1, ranks='all')", "column 'e' must"),
    ("DF.assign(e=None).pu(propensity='e').contingency(0.1, ranks='all')", "must have a value"),
    ("from_arrays([2, 1, 0], [1, None, None], propensity=[1, 1]).auroc(0)", "propensity"),
    ("DS.pu(dim='row').auroc(0.3)", "dim must be"),
    ("DF.pu.sample_to_label(3, strata=[1, 1], random_state=0)", "one to 5 thresholds, finite"),
    ("DF.pu.sample_to_label(3, strata=[0.5, NAN], random_state=0)", "strata=[0.2, 0.5]"),
    ("DF.pu.sample_to_label(3, random_state=-1)", "random_state must be at least 0"),
    ("DS.assign(label=DS.label.expand_dims(m=2)).pu().sample_to_label(3, random_state=0)", "only"),
    ("DF.pu(by='site', average='fold').auroc(0.3)", "average must be True, or name some of"),
    ("PU(average=True).auroc(0.3)", "by="),
    ("DF[DF['site'] == 'a'].pu(by='site', average=True).auroc(0.3)", "2 groups"),
    ("GROUPS(average=True).metric('jaccard', 0.3, at=3)", "'jaccard'"),
    ("GROUPS(average=True).metric('recall', 0.3, at={'fpr': 0.1})", "'threshold', 'fraction'"),
    ("GROUPS(average=True).metric('precision', 0.3, at={'threshold': 99.0})", "at rank 0"),
    ("GROUPS.contingency({'a': 30, 'b': 0.1}, ranks='all')", "group 'a': beta must lie in"),
    ("DF.pu(by='row').auroc(0.1)", "Dependent rows are cluster="),
    # assumptions
    ("PU.assume(reference='positive').contingency(0.3, ranks='all')", "reference must be one of"),
    ("PU.assume(reference='bothe')", "reference must be", "Did you mean 'both'"),
    ("PU.assume(selection_odds=0.5).roc_bounds(0.3)", "selection_odds must be 1", "but 0.5"),
    ("PU.assume(contamination=0.5).auroc(0.3)", "contamination must lie in [0, 0.5), but 0.5"),
    ("PU.assume(contamination=-0.1).auroc(0.3)", "contamination must lie in [0, 0.5), but -0.1"),
    ("PU.assume(contamination=NAN).roc_bounds(0.3)", "must lie in [0, 0.5), but nan"),
    ("PU.assume(prevalence=1.5).average_precision(0.3)", "prevalence must lie in [1e-30, 1"),
    ("PU.assume(prevalence=0.1).metric('fpr', 0.3, at={'threshold': 1})", "nothing for 'fpr'"),
    ("PU.assume(contamination=0.2).contingency(0.2).pu.beta_derivatives()", "contamination=0.2"),
    ("PU.assume(reference='both').contingency(0.2).pu.beta_derivatives()", "reference='both'"),
    # targets
    ("PU.auroc(0.3, target='populaton')", "target must be", "Did you mean 'population'"),
    ("PU.average_precision(0.3, target='these')", "target must be", "Did you mean 'examples'"),
    ("PU.pr_bounds(0.3, target=np.array([]))", "target must be one of"),
    # metrics and cutoffs
    ("PU.auroc(0.3, max_fpr=1.5)", "max_fpr must lie in"),
    ("PU.auroc(0.3, max_fpr=1e-100)", "max_fpr must lie in"),
    ("PU.metric('precison', 0.3, at=3)", "must be one of", "Did you mean 'precision'"),
    ("PU.metric([], 0.3, at=3)", "must name at least one"),
    ("PU.metric(['f1', 'f1'], 0.3, at=3)", "each once"),
    ("PU.metric(['f1', pu_accessor.fbeta(1)], 0.3, at=3)", "must have different names"),
    ("pu_accessor.fbeta(0)", "weight must be above 0 and finite"),
    ("pu_accessor.fbeta(1e308)", "weight must be above 0 and finite"),
    ("PU.metric('f1', 0.3, at=801)", "a rank from 0 to 120, the number of examples, but 801"),
    ("PU.metric('f1', 0.3, at=-1)", "a rank from 0 to the number of", "-1 was passed"),
    ("PU.metric('f1', 0.3, at={'rank': 1.5})", "but 1.5 was"),
    ("PU.metric('f1', 0.3, at={'rank': []})", "at must have at least one number"),
    ("PU.metric('f1', 0.3, at={'rank': [5, 6, 5.0]})", "each once"),
    ("PU.metric('f1', 0.3, at={'threshold': NAN})", "to a number, but NaN was passed"),
    ("PU.metric('f1', 0.3, at={'fpr': 5})", "must lie in [0, 1], but 5 was passed"),
    ("PU.metric('f1', 0.3, at={'top': 0.5})", "Did you mean 'rank'"),
    ("PU.metric('f1', 0.3, at='best')", "at must"),
    ("FREE.pu.metric('recall', 1, at={'fpr': 0.1})", "needs negatives"),
    ("FREE.pu.metric('fpr', 1, at='maximum')", "a cutoff at which the metric has a value"),
    ("PU.cutoff(0.3, precision=90)", "precision must lie in [0, 1]"),
    ("PU.cutoff(0.3, cost=(0, 0))", "from 0, not both 0, but (0, 0) was"),
    ("PU.cutoff(0.3, cost=(1, np.inf))", "from 0, not both 0, but (1, inf) was"),
    ("PU.cutoff(0.3, recall=0.5, models=0)", "from 1 to 1,000,000"),
    ("PU.cutoff(0.3, recall=0.5, target='new')", "target must be one of"),
    *(
        (f"bedroc(alpha={x})", "be in [0.0001, 1e+09], but")
        for x in ("0", "-3.0", "np.inf", "NAN")
    ),
    ("PU.metric('net_benefit', 0.3, at={'threshold': [0, 0.5]})", "above 0 and below 1", "0 was"),
    ("PU.metric('net_benefit', 0.3, at={'threshold': [0.2, 0.2]})", "each once"),
    ("DF.pu(score='p').calibration(0.3, bins=0)", "bins must be from 1 to 1,000,000"),
    ("DF.pu(score='p').calibration(0.3, bins=[0.1, 1])", "ascend from 0 to 1"),
    ("DF.pu(score='p').calibration(0.3, band='dkw')", "'simultaneous', for all jointly"),
    ("DF.pu(by='fold', pool=True).metric('boyce')", "pool must be False where sc"),
    ("PU.estimate_beta(method='two-sided')", "'two_sided'"),
    ("PU.estimate_beta(method='mean')", "'mean_matching'"),
    ("PU.check_assumptions(strata='site')", "beta must be passed with strata='site'"),
    # comparisons
    ("PU.compare()", "two"),
    ("FREE.pu(score=['score']).compare()", "two"),
    ("BOTH.compare('auroc', [0.5, 1])", "beta = 1"),
    ("LONG.pu(score='points', by='model').compare()", "on must name the", "gap('auroc', 0.3)"),
    ("LONG[1:].pu(score='points', by='model').compare('auroc', 0.2, on='row')", "1 of 120"),
    ("LONG.pu(score='points', by='model').compare('auroc', 0.2, on='model')", "on must"),
    ("BOTH.compare('precision', 0.2, at={'fpr': 0.1})", "at must not be a cutoff that depends"),
    ("BOTH.compare('precision', 0.2)", "at must be one cutoff"),
    ("BOTH.compare('difference', 0.2)", "must be one of"),
    ("BOTH.compare('auroc', 0.2, adjust='bonferroni')", "adjust must be one of"),
    ("BOTH.compare('bedroc', 0.2, at=20)", "at must be left out with 'bedroc'"),
    ("BOTH(by='sign').compare('auroc', 0.2)", "called sign"),
    ("FREE.pu(by='site').gap('recall', 0.2, at={'threshold': [1, 2]})", "be one cutoff"),
    ("FREE.pu.gap('auroc', 0.2)", "two or more"),
    ("FREE.pu(by='site').gap('auroc', {'a': 0.2, 'b': 1})", "beta = 1"),
    ("PU.robustness('aurocc', 0.3)", "must be one of", "Did you mean 'auroc'"),
    ("PU.robustness('f1', 0.3)", "at must be one cutoff for 'f1'"),
    ("PU.robustness('auroc', 0.3, at=3)", "at must be left out with 'auroc'"),
    ("BOTH.robustness('difference', 0.2, above=0.1)", "above must be left out with"),
    ("PU.robustness('auroc', 0.3, on='row')", "on must be left out with robustness and"),
    ("FREE.pu(score=['score']).robustness('difference', 0.2)", "two or more models"),
    # tables
    ("TABLES.pu.area('ROC')", "must be one of auroc, average_p"),
    ("TABLES.pu.area('average_precision', max_fpr=0.1)", "max_fpr must be None with 'av"),
    ("TABLES.pu.area('auroc', max_fpr=0)", "max_fpr must lie in [1e-12"),
    ("TABLES.isel(rank=[]).pu.area('auroc')", "'rank' is empty"),
    ("TABLES.isel(rank=[0, 1, 3]).pu.area('auroc')", "of 3 ranks", "Make them"),
    ("TABLES.isel(rank=[0, 5, 3, 120]).pu.area('auroc')", "in their order"),
    ("TABLES.pu.at(rank=9999)", "at must not lie beyond the last"),
    ("TABLES.pu.at(fraction=[])", "at must contain at least one fraction"),
    ("TABLES.pu.metric(3)", "must be one of", "but 3 was passed"),
    ("TABLES.isel(rank=[0, 1, 2]).pu.plot_metric('f1', x='threshold')", "tables of all cutoffs"),
    ("xr.concat([TABLES, TABLES * 0], 'm', coords='minimal').pu.metric('f1')", "of the tables"),
    # plots
    ("PU.plot_metric('f1', 0.3, x='depth')", "x must be one of"),
    ("PU.plot_roc(0.3, hue='sit')", "hue must be"),
    ("BOTH.plot_forest('auroc', 0.2, order=['svm'])", "order must", "['svm']"),
    ("BOTH.plot_forest('auroc', 0.2, at=3)", "at must be left out with 'auroc'"),
    ("BOTH.plot_forest('f1', 0.2)", "at must be one cutoff for 'f1'", "at=100"),
    ("PU.assume(reference='negatives').plot_rank_cdf([0, 0.001])", "no value at all at beta = 0"),
    # betas and labels
    ("pu_accessor.beta_from_labels(3, 2, 9)", "0 <= n_positive <="),
    ("pu_accessor.beta_from_labels(0, 0, 9)", "a labeled example"),
    ("pu_accessor.beta_from_labels(1, 2, 9, level=2)", "level must lie"),
    ("pu_accessor.beta_from_labels(1, 2, 9, prior=(2, 2))", "prior must"),
    ("pu_accessor.beta_from_labels(1, 2, 9, method='hpd', prior=(0, 1))", "above 0"),
    ("pu_accessor.beta_from_labels(1, 2, 2, rest=True)", "all 2 were"),
    ("pu_accessor.beta_from_labels(12, 50, 10**30)", "n_unlabeled must be at most 10**12"),
    ("pu_accessor.beta_from_labels(BY_HAND, n_unlabeled=1, sequential=True)", "but 2, 3, 1 were"),
    ("pu_accessor.beta_from_labels(STRATA, sequential=True)", "one stratum"),
    ("pu_accessor.beta_from_labels(STRATA, n_unlabeled=18)", "n_unlabeled must be left out"),
    ("pu_accessor.beta_from_labels(STRATA.assign(label=2))", "stratum 'a'", "has 2"),
    ("pu_accessor.beta_from_prevalence(3, 1, 9)", "prevalence must lie in"),
    ("pu_accessor.beta_from_prevalence(0.3, 1, 9, of='set')", "of must be one of"),
    ("pu_accessor.beta_from_prevalence(0.05, 100, 900)", "a prevalence of 0.05 leaves -50 pos"),
    ("pu_accessor.beta_from_prevalence(1.0, 29, 70, 1)", "which is no share"),
    ("pu_accessor.beta_from_prevalence(0.3, -1, 900)", "be at least 0"),
    ("pu_accessor.beta_from_label_frequency(0, 1, 9)", "but 0 was passed"),
    ("pu_accessor.beta_from_label_frequency(0.01, 10, 9)", "frequency of 0.01 leaves 990"),
    ("PU.auroc(BETA.assign(n_unlabeled=7))", "85 unlabeled examples, but its estimate has 7"),
    ("PU.auroc(pd.concat([BETA, BETA]))", "one row for each key"),
    ("labeling.labels_needed(2, 9)", "width must lie in"),
    ("labeling.labels_needed(0.1, 0)", "n_unlabeled must be at least 1"),
    ("labeling.labels_needed(0.1, 9, beta=2)", "beta must lie in"),
    ("labeling.labels_needed(0.1, 9, probability=1)", "must lie in (0, 1)"),
    ("labeling.positives_needed(0, pilot=PILOT, beta=0.1)", "width must lie in"),
    ("labeling.positives_needed(0.1, pilot={'ap': 1}, beta=0.1)", "values of"),
    ("labeling.positives_needed(0.1, pilot=GROUPS, beta=0.1)", "one ranking"),
    ("labeling.positives_needed(0.1, 'f1', pilot=PILOT, beta=0.1)", "must be"),
    ("labeling.power(2, 10, 50, pilot=PILOT, beta=0.1)", "difference must lie"),
    ("labeling.power(0.1, 10, 50, pilot=PILOT, beta=0.1)", "correlation"),
    ("labeling.power(0.1, 9, 9, pilot=PU, beta=0)", "two models", "['svm', 'forest']"),
    ("labeling.add_labels(SMALL, pd.Series(['yes'], index=[1]))", "'yes'"),
    # data in pieces
    ("CHUNKS.plot_metric('f1', 0.3, x='threshold')", "chunks", "ranks='breakpoints'"),
    ("from_chunks([DF, ([2.0, 1.0], [1])]).auroc(0.3)", "same length, but have 2 and 1"),
    ("CHUNKS(by='site').compare('auroc', 0.3, on='fold')", "must name each example once"),
    (
        "pl.from_pandas(DF).clear().pu.auroc(0.3)",
        "must contain at least one example, but are empty",
    ),
    ("DF.pu.report(0.3).save('report.pdf')", "end in .html", "path='report.html'"),
    ("DF.pu.report(0.3).save('no/report.html')", "'no/report.html' was passed"),
    ("DF.pu.report([0.1, 0.2]).save('r.html')", "one number in a report"),
]
TYPE = [
    ("PU.auroc('0.3')", "beta must be a number"),
    ("PU.auroc(True)", "beta must be a number", "but True was passed"),
    ("PU.contingency(pd.Series([0.5]), ranks='all')", "without groups"),
    ("PU.auroc({'a': 0.1, 'b': 0.2})", "for each of 2 keys was passed", "Name the col"),
    ("GROUPS.auroc({'a': [0.1, 0.2], 'b': 0.1})", "for each key, but 'a' has [0.1, 0"),
    ("PU.auroc(0.3, level='95%')", "level must be a number"),
    ("PU.contingency(0.3, ranks=0.5)", "ranks must be 'all'"),
    ("PU.contingency(0.3, ranks=[[1]])", "one-dimensional array of integers"),
    ("PU.contingency(0.3, band=3)", "band must be one of", "a callable", "but 3 was passed"),
    ("PU.contingency(0.3, band=('exact', 'dkw'))", "arrays of shares", "lower is str"),
    ("PU.contingency(0.3, band=(np.zeros(121),))", "pair of bounds", "but 1 were passed"),
    ("ONE.contingency(1, band=lambda *_: ([0.0, 1.0], [1, 2]))", "must return integers"),
    ("PU.contingency(0.3, band=lambda n, m, level: None)", "must return two arrays", "NoneType"),
    ("PU.contingency(0.3, band=lambda tp: tp, ranks='all')", "must be a function (n, m, level)"),
    ("DF.pu(progress='omitt')", "progress must be True or False"),
    ("DF.pu(by=('site', 'fold')).auroc(0.3)", "pass by=['site', 'fold']"),
    ("DF.pu(groups='row')", "df.pu(cluster='patient')", "df.pu(by='site')"),
    ("PU.auroc(class_prior=0.3)", "beta_from_prevalence(0.3, 25, 85, n_negative=10), here 0.1294"),
    ("FREE.pu.auroc(prior=0.3)", "pu_accessor.beta_from_prevalence(0.3, 25, 95), here 0.1158."),
    ("GROUPS.auroc(class_prior=0.3)", "beta_from_prevalence(0.25, n_positive=100, n_unlabeled="),
    ("PU.assume(class_prior=0.3)", "Pass it to a method", "beta_from_prevalence"),
    ("pu_accessor.beta_from_prevalence(0.3)", "for example pu_accessor.beta_from_prevalence(0.25"),
    ("pu_accessor.pu(DF, 'score')", "for example pu_accessor.pu(df, score='score', label="),
    ("DF.pu(lable='y')", "Did you mean 'label'"),
    ("DF.pu(by='site', average=0.5).auroc(0.3)", "average must be True, False or names"),
    ("from_chunks([DF], scores='y')", "Did you mean 'score'"),
    ("DF.pu(level=0.9)", "df.pu."),
    ("PU.auroc(0.3, unlabeled=0)", "df.pu(unlabeled=...).auroc("),
    ("CHUNKS.auroc(0.3, unlabeled=0)", "(unlabeled=...).auroc("),
    ("TABLES.pu(score='x')", "has tables or curves"),
    ("DF.pu(by=DF['site']).auroc(0.3)", "by must be the name of a column, but a Series"),
    ("DF.pu(label=['a']).auroc(0.3)", "name of a column, but a list was passed: ['a'"),
    ("DF.pu(propensity=['e']).auroc(0.3, target='examples')", "propensity must be the name"),
    ("DF.pu(score='site').auroc(0.3)", "'site' must contain real numbers"),
    ("from_arrays([2, 1], pd.Series([[1], None])).auroc(0)", "must contain single values"),
    ("DF.pu(positive=[[1, 2]]).auroc(0.3)", "positive must be a value of a label or a list"),
    ("from_arrays([1])", "from_arrays: missing a required argument: 'label'"),
    ("from_arrays([1], [1], lable=1)", "pu_accessor.from_arrays has no argument 'lable'"),
    (
        "from_arrays(np.eye(3)[:, :2], [1, 0, 0]).auroc(0.3)",
        "Of two classes",
        "np.asarray(score)[:, 1]",
    ),
    ("from_arrays(np.eye(3)[:, :1], [1, 0, 0]).auroc(0.3)", "Pass np.ravel(score)."),
    ("from_arrays(np.eye(3), np.eye(3)).auroc(0.3)", "'user': np.repeat(np.arange(len(score))"),
    ("from_arrays(scipy.sparse.eye(3), [1, 0, 0]).auroc(0.3)", "Make it long: m = matrix.tocoo()"),
    ("pu_accessor.pu(scipy.sparse.eye(3))", "a dia_matrix was passed. Make it long"),
    (
        "DF.assign(score=[np.ones(2)] * 120).pu.auroc(0.3)",
        "must contain real numbers, but is object",
    ),
    ("pu_accessor.pu([1, 2])", "data must be", "a list was", "from_arrays(score, label"),
    ("from_chunks(3)", "but a int was passed"),
    ("from_chunks(lambda: None).auroc(0.3)", "but it returned a NoneType"),
    ("from_chunks([DF, 'ab']).auroc(0.3)", "one is a str"),
    ("DF.pu.assume(monotone=2)", "monotone must be True or False, but 2"),
    ("PU.assume(selection_odds='2').auroc(0.3)", "selection_odds must be a number of at least 1"),
    ("PU.assume(contamination='5%').auroc(0.3)", "must be a number in"),
    ("PU.assume(prevalence='0.1').average_precision(0.3)", "prevalence must"),
    ("PU.auroc(0.3, max_fpr='a')", "max_fpr must be a number"),
    ("PU.metric(len, 0.3, at=3)", "must be a function of the arrays tp, fp, fn and tn"),
    ("PU.metric(3, 0.3, at=3)", "a name, a function, or a list of these, but 3 was passed"),
    ("PU.metric('f1', 0.3, at=0.1)", "{'fraction': 0.1}", "{'threshold': 0.1}"),
    ("PU.auroc()", "beta is the share of positives among", "df.pu.estimate_beta()"),
    ("PU.metric('f1', 0.3, at=[5, 9])", "Pass at={'rank': [5, 9]}, or 'fraction' or 'threshold'"),
    ("PU.metric('f1', 0.3, at=True)", "at must be a rank", "but True was passed"),
    ("PU.metric('f1', 0.3, at={'fpr': True})", "at must map 'fpr' to a number"),
    ("PU.metric('f1', 0.3, at={'fpr': [0.1], 'recall': 0.2})", "but {'fpr': [0.1], 'recall'"),
    ("bedroc(alpha='20')", "a number above 0, but '20' was passed"),
    ("bedroc(alpha=True)", "a number above 0, but True was passed"),
    ("pu_accessor.fbeta('2')", "weight must be a number, but '2' was"),
    ("PU.cutoff(0.3)", "none"),
    ("PU.cutoff(0.3, recall=0.5, fpr=0.1)", "'recall', 'fpr'"),
    ("PU.cutoff(0.3, cost=5)", "cost must be a pair of numbers", "but 5 was"),
    ("PU.cutoff(0.3, recall=0.5, models=2.5)", "models must be an integer"),
    ("DF.pu(score='p').calibration(0.3, bins=True)", "bins must be their number or an array"),
    (
        "PU.metric('net_benefit', 0.3, at={'threshold': '0.2'})",
        "to a number, but '0.2' was passed",
    ),
    ("PU.robustness('auroc', 0.3, above='x')", "above must be a finite number", "'x'"),
    ("PU.robustness('auroc', 0.3, above=NAN)", "above must be a finite number", "nan"),
    ("GROUPS.gap('precision', at={'threshold': 1})", "beta must be passed", "on future data"),
    ("BOTH.compare(metric='average_precision')", "beta must be passed to compare 'average_prec"),
    ("BOTH.compare('f1', 0.2, at={'rank': 'x'})", "at must"),
    ("TABLES.pu.area('auroc', max_fpr='a')", "max_fpr must be a number"),
    ("TABLES.assign(tp=TABLES.tp.astype(str)).pu.metric('f1')", "'tp' must contain numbers"),
    ("PU.plot_roc(0.3, line_kws=3)", "line_kws"),
    ("pu_accessor.beta_from_labels(3)", "n_labeled must be passed"),
    ("pu_accessor.beta_from_labels(BY_HAND)", "n_unlabeled must be"),
    ("pu_accessor.beta_from_labels(BY_HAND, n_unlabeled=9, sequential=1)", "sequential must be"),
    ("pu_accessor.beta_from_labels(1, 2, 9, rest='no')", "rest must be True or False"),
    ("pu_accessor.beta_from_prevalence('3', 100, 900)", "be a number"),
    ("pu_accessor.beta_from_prevalence(0.3, 1.5, 900)", "n_positive must"),
    ("labeling.add_labels(SMALL, [True])", "found must be a Series"),
    ("labeling.rates_from_labels(3, 'a')", "found must be a frame"),
    ("labeling.positives_needed(0.1, pilot=PILOT, beta=0.1)", "n_unlabeled=10_000"),
    ("labeling.positives_needed(0.1, pilot=3, beta=0.1)", "pilot must be a frame"),
    ("labeling.power(0.1, 10.0, 50, pilot=PILOT, beta=0.1)", "must be an integer"),
    ("DF.pu.report(0.3).save(3)", "name of a file"),
    ("DF.pu.report(0.3, title=3).save('r.html')", "title must be a text, but 3"),
    ("pl.from_pandas(DF).pu(score=pl.col('score')).auroc(0.3)", "but a Expr was", "score='score'"),
]
KEY = [
    ("DF.pu(score='scores').auroc(0.3)", "no 'scores' among ['score'", "Did you mean"),
    ("DF.pu(by='sit').auroc(0.3)", "by must name", "no 'sit'", "Did you mean 'site'?"),
    ("DF.pu(cluster='patience').auroc(0.3)", "cluster must name a column"),
    ("DF.pu(propensity='ods').auroc(0.3, target='examples')", "propensity must name a column"),
    ("DS.pu(propensity='ods').auroc(0.3, target='examples')", "propensity must name a variable"),
    ("GROUPS.auroc({'a': 0.1})", "none for ['b']; its keys are ['a']"),
    ("GROUPS.auroc(pd.Series([0.1, 0.2]))", "its keys are [0, 1]"),
    ("DF.set_index('site').pu(by='site').auroc(0.3)", "'site' is a level of the index"),
    ("DS.pu.roc_bounds()", "ds.pu(score="),
    ("CURVES.pu.metric('f1')", "must contain contingency tables"),
    ("xr.Dataset({'tp': ('rank', [1])}).pu.beta_derivatives()", "contingency tables"),
    ("LONG.pu(score='points', by='model').compare('auroc', 0.2, on='id')", "must name a column"),
    ("from_chunks([DF, DF.drop(columns='label')]).auroc(0.3)", "same columns, but in one"),
    ("PU.auroc(BETA[['beta']])", "lacks ['lower', 'upper', 'level']"),
    ("PU.check_assumptions(wave='sit')", "wave must name a column, but there is no 'sit'"),
    ("pu_accessor.beta_from_labels(STRATA.drop(columns='n'))", "lacks ['n"),
    ("labeling.rates_from_labels(STRATA, 'c')", "listed must be", "['a', 'b']"),
    ("labeling.rates_from_labels(STRATA, ['a', 'a'])", "or a list of different ones"),
    ("DF.pu(score='q').report(0.3).save('r.html')", "no 'q'"),
]
DATA = [
    ("FREE.pu.assume(reference='negatives').contingency(0.3)", "reference needs known negatives"),
    ("FREE.pu.auroc(1)", "negative"),
    ("FREE.pu.metric('bedroc', 1, target='examples')", "needs negatives"),
    ("DF.pu.check_assumptions(wave='lone')", "wave must have 2 known positives"),
    ("FREE.pu.auroc(1, target='examples')", "negative"),
    ("FREE.pu.auroc(1, max_fpr=0.2)", "auroc on future data needs negatives"),
    ("FREE.pu.metric('f1', 1, at={'threshold': -99.0})", "metric on future data needs negatives"),
    ("FREE.pu.roc_bounds(1, target='population')", "no example is negative"),
    ("FREE.pu.assume(prevalence=0.1).average_precision(1)", "needs negatives"),
    ("DF.assign(label=np.nan).pu.metric('f1', 0.1, at=5)", "at least one known positive"),
    ("FREE.pu.estimate_beta(method='two_sided')", "needs known neg"),
    ("FREE.pu.estimate_beta(method='mean_matching')", "needs known negatives"),
    ("DF.pu(by='site', cluster='site').auroc(0.3)", "2 clusters or more"),
    ("DF.assign(score=3).pu.metric('boyce')", "differ and", "from 3 to 3"),
    ("DF.assign(label=1).pu(negative=0).metric('boyce')", "needs a background"),
    ("from_arrays([1e308, -1e308, 0], [1, None, None]).metric('boyce')", "a finite range"),
    ("PU.calibration(0.3)", "scores that are probabilities"),
    ("PU.metric('net_benefit', 0.3, at={'threshold': 0.2})", "scores that are probabilities"),
    ("DF.assign(site='a').pu.check_assumptions(wave='site')", "2 values or more among"),
    ("labeling.add_labels(SMALL, pd.Series({0: True}))", "but [0] are labeled"),
    ("labeling.add_labels(SMALL, pd.Series({9: True}))", "[9] are not"),
    ("pu_accessor.beta_from_labels(STRATA.assign(label=None))", "stratum 'a': found"),
    ("pu_accessor.beta_from_labels(STRATA.assign(stratum=['a', None]))", "but row 1 has none"),
    ("labeling.positives_needed(0.001, pilot=PILOT, beta=0.1, n_unlabeled=9)", "Pass a large"),
    ("from_chunks([]).auroc(0.3)", "at least one chunk"),
]
KINDS: dict[type[PUError], list[tuple[str, ...]]] = {
    **{PUValueError: VALUE, PUTypeError: TYPE, PUKeyError: KEY, PUDataError: DATA}
}
ROWS = [(kind, *row) for kind, rows in KINDS.items() for row in rows]


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_the_message_says_what_was_wrong(row: tuple[Any, ...]) -> None:
    kind, call, *words = row
    with pytest.raises(kind) as told:
        eval(call, NAMES.copy())
    message = str(told.value)
    assert type(told.value) in (kind, PUDataError)
    assert [word for word in words if word not in message] == []
    assert 35 < len(message.split(" See ")[0]) <= 300


def _warned(n: int, rows: int, beta: float, shift: float, seed: int) -> pd.DataFrame:
    """Draw known positives and rows that stand for ten each."""
    rng, hidden = np.random.default_rng(seed), int(beta * rows)
    score = np.append(rng.normal(shift, 1, n + hidden), rng.normal(0, 1, rows - hidden))
    known = np.arange(n + rows) < n
    columns = {"score": score, "label": np.where(known, 1, np.nan), "w": np.where(known, 1, 10)}
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("_warned(20, 200, .1, 1, 0).pu.average_precision(.1)", r"than 50 positives .* \(20\)"),
        (
            "_warned(100, 200, .05, 1, 0).pu(weight='w').average_precision(.05)",
            r"than 50 in effect \(\d",
        ),
        ("_warned(60, 40, .2, 3, 195).pu.average_precision(.2)", "limit is the estimate itself"),
    ],
)
def test_intervals_that_may_not_hold_are_said_to(call: str, words: str) -> None:
    with pytest.warns(PUWarning, match=words) as told:
        eval(call)
    assert len(told) == 1


@pytest.mark.filterwarnings("error::pu_accessor.PUWarning")
def test_intervals_that_hold_have_no_warning() -> None:
    enough = _warned(60, 5000, 0.05, 1, 0)
    for pu in (enough.pu, enough.pu(weight="w")):
        pu.average_precision(0.05)
    few = enough.drop(range(40))
    few.pu.average_precision(0.05, target="examples")
    few.pu.auroc(0.05)


DOWN = FREE.assign(energy=-FREE["score"], km=PLACE)
UNNAMED = LONG.rename(columns={"points": "score"})
PATIENTS = FREE.assign(patient=PLACE // 4, method=np.where(PLACE % 8 < 4, "ct", "mri"))
RUNS_DOWN = r"AUROC against them is less than 0\.35 \({}\).* first: df\['{}'\] = -df\['{}'\]\."
NAMES |= {"DOWN": DOWN, "UNNAMED": UNNAMED, "PATIENTS": PATIENTS}
NAMES["QUERIES"] = pd.concat([DOWN.assign(q=query) for query in range(9)])
HINTS = [  # once, in whatever question: what is likely meant, by a line
    *(
        (f"DOWN.pu(score='energy').{question}", RUNS_DOWN.format(r"0\.\d+", "energy", "energy"))
        for question in (
            "auroc(0.2)",
            "metric('f1', 0.2, at=9)",
            "roc_bounds(0.2)",
            "cutoff(0.2, recall=0.5)",
        )
    ),
    ("QUERIES.pu(score='km', by='q').auroc(0.2)", RUNS_DOWN.format("gr.*6 more", "km", "km")),
    (
        "QUERIES.pu(score='energy', by='q', average=True).auroc(0.2)",
        RUNS_DOWN.format(r"0\.\d+", "energy", "energy"),
    ),
    ("DOWN.pu(score=['score', 'km']).auroc(0.2)", RUNS_DOWN.format("group mod.*", "km", "km")),
    ("UNNAMED.pu.auroc(0.2)", r"'model' looks .* 'row' repeats, .* group: df\.pu\(by='model'\)"),
    ("UNNAMED.sample(frac=1, random_state=0).pu.contingency(0.2)", r"df\.pu\(by='model'\)"),
]


@pytest.mark.parametrize(("call", "words"), HINTS)
def test_what_is_likely_meant_is_said_once(call: str, words: str) -> None:
    with pytest.warns(PUWarning, match=words) as told:
        eval(call, NAMES.copy())
    assert len(told) == 1


@pytest.mark.filterwarnings("error::pu_accessor.PUWarning")
@pytest.mark.parametrize(
    "call",
    [
        "DOWN.assign(energy=-DOWN['energy']).pu(score='energy').auroc(0.2)",
        "FREE.pu(score='other').auroc(0.2)",
        "UNNAMED.pu(by='model').auroc(0.2)",
        "UNNAMED.pu(cluster='row').auroc(0.2)",
        "UNNAMED.drop(columns='model').pu.auroc(0.2)",
        "UNNAMED[:120].pu.auroc(0.2)",
        "PATIENTS.pu.auroc(0.2)",
        "from_chunks([UNNAMED]).auroc(0.2)",
    ],
)
def test_where_all_is_plain_nothing_is_said(call: str) -> None:
    eval(call, NAMES.copy())
