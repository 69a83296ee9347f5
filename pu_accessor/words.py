"""One table of words: what a person may type, and the name or the line that it stands for here."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, cast

_MIN_SIMILARITY = 0.76  # of two words; "color" and "col" are below

# Words = the metric that they are read as; words > the name that is meant, where it is allowed, or
# the line to write. A keyword ends in "=", that of one function begins with "name(", that of roles
# and assumptions with "pu(", of plots with "plot(", a value of an argument with "name=", a method
# with ".", and one of tables with "ds.".
_TABLE = """
auc roc_auc = auroc
ap = average_precision
enrichment_factor = lift
mrr = reciprocal_rank
ppv = precision
rprec = r_precision
sensitivity tpr hits = recall
specificity = tnr
tss youden = informedness
elusion = for

c_index c_statistic concordance roc roc_auc_score > auroc
pr prauc pr_auc auprc aupr average_precision_score > average_precision
acc accuracy_score > accuracy
bacc balanced_accuracy_score > balanced_accuracy
f1_score f_score f1-score fscore f_1 dice > f1
f2 f0.5 f_beta fbeta_score > fbeta
false_discovery_rate > fdr
miss_rate false_negative_rate > fnr
false_omission_rate > for
fall_out false_positive_rate > fpr
bookmaker j > informedness
iou jaccard_score > jaccard
cohen_kappa cohen_kappa_score > kappa
ef enrichment > lift
matthews matthews_corrcoef phi > mcc
negative_predictive_value > npv
positive_predictive_value precision_score > precision
detection_rate true_positive_rate recall_score > recall
selectivity true_negative_rate > tnr
cbi boyce_index continuous_boyce > boyce

tables to_frame > contingency
beta prior class_prior prevalence estimate_prior > estimate_beta
plot_ap plot_pr_curve plot_precision_recall plot_precision_recall_curve > plot_pr
plot plot_auc plot_auroc plot_roc_curve > plot_roc
pr pr_curve precision_recall_curve > pr_bounds
roc roc_curve > roc_bounds
sample > sample_to_label

k top top_k cutoff > at
alpha_hat > beta
sample these > examples
share percent quantile top_fraction > fraction
ci confidence confidence_level conf_level > level
best max > maximum
outside best > auto
cmap colors colormap > palette
new > population
name quantity curve > metric
rng seed > random_state
count head k n top top_k > rank
n n_samples > size
cutoff score thr value > threshold
hue_order > order
j > youden

fold group groupby hue key model > by
clusters groups id patient subject > cluster
labels target truth y y_true > label
dropna missing nan > nan_policy
neg neg_label negatives > negative
pos pos_label positives > positive
odds propensities > propensity
models pred proba scores y_pred y_score > score
unknown unl > unlabeled
counts freq frequency multiplicity > count
case_weight case_weights sample_weight weights > weight

confusion_matrix .confusion_matrix .plot_confusion_matrix .plot_table >
  df.pu.contingency(0.3, ranks=100).pu.to_frame()
fbeta .f2 .fbeta > df.pu.metric(pu_accessor.fbeta(2), 0.3, at=100)
brier .brier .brier_score brier_score_loss >
  df.pu(score='p').calibration(0.3), or the score itself, with pi the share of positives:
  (df['p']**2).mean() + pi*(1 - 2*df['p'][df['label'] == 1].mean())
log_loss .log_loss cross_entropy ece .ece calibration_error ici >
  df.pu(score='p').calibration(0.3): shares of positives in bins of the probabilities
net_benefit_standardized standardized_net_benefit .standardized_net_benefit snb >
  df.pu(score='p').metric(lambda tp, fp, fn, tn: (tp - fp/4)/(tp + fn), 0.3, at={'threshold': 0.2})
  where, at a threshold t, t/(1 - t) is 1/4
ef1% rie logauc > df.pu.metric('lift', 0.3, at={'fraction': 0.01}), or for early ranks
  df.pu.metric('bedroc', 0.3)
fmax .fmax > df.pu(by='query', average=True).metric('f1', 0.3, at='maximum')
gini .gini > 2*df.pu.auroc(0.3)['estimate'] - 1
hit_rate hit_ratio success hit@k hit@10 success@k success_at_k .hit_rate >
  df.pu(by='query', average=True).metric('precision', 0.3, at=1).
  Further down no estimate is unbiased; with one positive in each group it is recall, at=10
judged judged@k .judged >
  df.sort_values('score', ascending=False).groupby('query').head(10)['label'].notna().mean()
ks .ks > df.pu.metric('informedness', 0.3, at='maximum')
mean_rank amri .mean_rank > df.pu(by='query', average=True).auroc(0.3): of one positive in n rows
  it is 1 - (rank - 1)/(n - 1)
partial_auc .partial_auc > df.pu.auroc(0.3, max_fpr=0.1)
metric(fpr= metric(at_fpr= recall_at_fpr tpr@fpr .recall_at_fpr .sensitivity_at_fpr .tpr_at_fpr >
  df.pu.metric('recall', 0.3, at={'fpr': 0.1})
depth_for_recall wss richness .richness > df.pu.cutoff(0.3, recall=0.9), or for the share of
  positives df.pu.estimate_beta()
pr_curve > df.pu.pr_bounds(0.3)
roc_curve > df.pu.roc_bounds(0.3)
reference=both > df.pu.assume(reference='positives').roc_bounds(0.3, level=0.975), and take what it
  has in common with reference='negatives'
method=two_sided > method='mean_matching', which needs the same labels
at=tnr > at={'fpr': 0.05} for a true negative rate of 0.95
at=1% at=5% at=10% > at={'fraction': 0.01}

adjust= > df.pu(score=['svm', 'forest']).compare(): p_adjusted is by Holm's method
allocate= > expected_beta=0.2: rows of strata then give beta the smallest variance
alpha= > level=0.95: it is 1 - alpha; of BEDROC pu_accessor.bedroc(alpha=80.5)
ascending= greater_is_better= higher_is_better= lower_is_better= >
  df.assign(score=-df['score']).pu.auroc(0.3) if lower is more positive
at= > df.pu.metric('recall', 0.3, at=100), or of tables ds.sel(rank=100, method='pad')
average= > df.pu(by='query', average=True).auroc(0.3)
beta_interval= > beta=pd.Interval(0.1, 0.3)
ci= errorbar= > level=0.95, or for a plot without bands band_kws={'alpha': 0}
drop_intermediate= > df.pu.roc_bounds(0.3, ranks='all') for all cutoffs
dpi= > ax=plt.subplots(dpi=150)[1]
estimator= > df.pu(by='query', average=True).auroc(0.3) for a mean over groups
figsize= > ax=plt.subplots(figsize=(6, 4))[1]
groups= > df.pu(cluster='patient') for dependent rows, df.pu(by='site') for a
  result of each group
auroc(label= auroc(score= > df.pu(score='score', label='label').auroc(0.3)
plot(path= plot(save= plot(filename= plot(savefig= > ax = df.pu.plot_roc(0.3), then
  ax.figure.savefig('roc.png')
pu(query= > df.pu(by='query', average=True), with two tools in rows by=['tool', 'query'],
  average='query'
filtered= > df.pu(by='query', average=True).metric('mrr', 0.3), with a query for each true answer
alert_rate fraction= gain share= > df.pu.metric('recall', 0.3, at={'fraction': 0.1})
joint= > beta=df.pu.estimate_beta(): intervals then include the error of beta
depth= k= > df.pu.metric('precision', 0.3, at=100), or df.pu.contingency(0.3, ranks=100)
c= label_frequency= > beta=pu_accessor.beta_from_label_frequency(0.5, 100, 1900)
max_fpr= standardize= standardized= > df.pu.auroc(0.3, max_fpr=0.1)
n_boot= n_bootstrap= n_bootstraps= n_resamples= > level=0.95: intervals have closed forms and need
  no resampling
n_jobs= > df.pu.auroc(0.3): long computations use threads automatically
cv= pool= > df.pu(by='fold', average='fold').auroc(0.3), or for stratified folds
  df.assign(score=df.groupby('fold')['score'].rank(pct=True)).pu.auroc(0.3)
class_prior= pi= prior= > beta=pu_accessor.beta_from_prevalence(0.25, 100, 1900)
min_recall= target_recall= > df.pu.cutoff(0.3, recall=0.9)
random_state= > df.pu.auroc(0.3): only sample_to_label draws at random
sample_weight= > df.pu(weight='w')
strata= > df.pu(by='site') for a result of each, df.pu(weight='w') for a stratified sample
specificity= > df.pu.cutoff(0.3, fpr=0.1) or at={'fpr': 0.1}: it is 1 - fpr
threshold= > df.pu.metric('recall', 0.3, at={'threshold': 0.5})
thresholds= > df.pu.metric('net_benefit', 0.3, at={'threshold': [0.1, 0.2]})

plot(aspect= > ax=plt.subplots(figsize=(6, 4))[1], or of a grid of panels height=3
plot(col_wrap= > df.pu(by=['site', 'sex']).plot_roc(0.3, col='site', row='sex') for a grid
plot(hue_order= > df.pu(score=['forest', 'svm']).plot_roc(0.3): curves are in the order of the data
plot_forest(hue_order= > order=['svm', 'forest']
plot(labels= plot(name= > df.pu(score=['svm', 'forest']).plot_roc(0.3): curves have the names of
  their columns
plot(style= > df.pu(by='site').plot_roc(0.3, hue='site'), or line_kws={'linestyle': '--'}
plot(plot_chance_level= > df.pu.plot_roc(0.3): the chance level is always drawn

scorer(class_prior= scorer(pi= scorer(prevalence= scorer(prior= >
  beta=pu_accessor.beta_from_prevalence(0.25, (y == 1).sum(), (y == 0).sum())
pu(at= pu(metric= > df.pu.metric('recall', 0.3, at=100)
pu(band= > df.pu.roc_bounds(0.3, band='simultaneous')
pu(beta= > df.pu.auroc(0.3)
pu(level= > df.pu.auroc(0.3, level=0.9)
pu(prevalence= > beta=pu_accessor.beta_from_prevalence(0.25, 100, 1900), or if future data have
  another share df.pu.assume(prevalence=0.4).average_precision(0.3)
pu(target= > df.pu.auroc(0.3, target='examples')

beta_from_labels(method= > pu_accessor.beta_from_labels(12, 50, n_unlabeled=1798): limits are exact
beta_from_labels(prior= > pu_accessor.beta_from_labels(found, sequential=True): its prior is flat
compare(paired= compare(test= > df.pu(score=['svm', 'forest']).compare(): rows, or groups with
  average=, are always paired
positives_needed(metric= > pu_accessor.labeling.positives_needed(0.1, pilot=df, beta=0.3): the
  width is that of AUROC

.mean > df.pu(by='query', average=True).auroc(0.3)
.ttest .wilcoxon > df.pu(score=['svm', 'forest'], by='query', average=True).compare('auroc', 0.3)
.compare > df.pu(score=['svm', 'forest']).compare('auroc', 0.3)
.contingency > df.pu.contingency(0.3, ranks=100)
.cutoff > df.pu.cutoff(0.3, recall=0.9)
.gap > df.pu(by='site').gap('auroc', 0.3)
.metric .recall_at_k .precision_at_k > df.pu.metric('recall', 0.3, at=100)
.plot_forest > df.pu.plot_forest('auroc', 0.3)
.plot_metric > df.pu.plot_metric('recall', 0.3)
.robustness > df.pu.robustness('auroc', 0.3)
.sample_to_label > df.pu.sample_to_label(50, random_state=0)
ds.area > ds.pu.area('auroc')
ds.metric > ds.pu.metric('recall')
ds.plot_metric > ds.head(beta=1).pu.plot_metric('recall')

.area > df.pu.contingency(0.3).pu.area('auroc')
.at > df.pu.contingency(0.3, ranks=100)
ds.at > ds.sel(rank=100, method='pad')
.beta_derivatives > df.pu.contingency(0.3).pu.beta_derivatives()
.beta_from_label_frequency > pu_accessor.beta_from_label_frequency(0.5, 100, 1900)
.beta_from_labels > pu_accessor.beta_from_labels(12, 100, n_unlabeled=1900)
.beta_from_prevalence > pu_accessor.beta_from_prevalence(0.25, 100, 1900)
.bootstrap .ci > df.pu.auroc(0.3, level=0.95)
.cross_val_score .make_scorer .scorer > pu_accessor.sklearn.scorer('auroc', beta=0.1, unlabeled=0)
.decision_curve .plot_decision .plot_net_benefit > df.pu.plot_metric('net_benefit', 0.3,
  x='threshold')
.delong .delong_test > df.pu(score=['svm', 'forest']).compare() for two models, or
  df.pu.auroc(0.3, level=0.95) for one
.ef > df.pu.metric('lift', 0.3, at={'fraction': 0.01})
.evaluate .summary .describe > df.pu.report(0.3)
.from_arrays > pu_accessor.from_arrays(df['score'], df['label'])
.from_chunks > pu_accessor.from_chunks([df])
.from_frame > df.pu(score='score', label='label')
.gain > df.pu.metric('recall', 0.3, at={'fraction': [0.1, 0.2]})
.labels_needed > pu_accessor.labeling.labels_needed(0.1, 1900)
.load_example > pu_accessor.load_example()
.mcnemar .mcnemar_test >
  df.pu(score=['svm', 'forest']).compare('accuracy', 0.3, at={'threshold': 0.5})
.plot_gain > df.pu.plot_metric('recall', 0.3, x='fraction')
.power > df.pu(score=['svm', 'forest']).compare(), of a pilot: its interval narrows
  with the square root of the number of known positives
.select > df[df['score'] >= df.pu.cutoff(0.3, recall=0.9)['threshold'].item()]
.sensitivity > df.pu.metric('recall', 0.3, at=100), or for assumptions that may be wrong
  df.pu.robustness('auroc', 0.3)
.threshold .threshold_for .choose_threshold > df.pu.cutoff(0.3, recall=0.9)
.youden > df.pu.metric('informedness', 0.3, at='maximum'); its cutoff is at='youden'
"""
_WORD = re.compile(r"(\w+[(=]|ds\.|\.|)(.+?)(=?)")  # what is before it, the word, what is after it


def _read_table() -> Iterator[tuple[str, str, str, str]]:
    """Yield the place of each word, the word, the sign after it, and its meaning."""
    for row in _TABLE.strip().replace("\n  ", " ").replace("\n\n", "\n").split("\n"):
        words, sign, meaning = re.split(" ([=>]) ", row, maxsplit=1)
        for word in words.split():
            before, bare, after = cast("re.Match[str]", _WORD.fullmatch(word)).groups()
            yield before or after, bare, sign, meaning


_ROWS = tuple(_read_table())
READ: Mapping[str, str] = {word: name for _, word, sign, name in _ROWS if sign == "="}
LINES: Mapping[str, Mapping[str, str]] = {
    place: {word: line for of, word, _, line in _ROWS if of == place and not line.isidentifier()}
    for place in {place for place, *_ in _ROWS}
}


def nearest(word: object, names: Iterable[object]) -> Any:
    """Return the name that a word is like, or that one of its synonyms is like, or None."""
    meant: dict[str, object] = {}
    for name in (names := [*names]):
        for synonym in (bare for _, bare, _, meaning in _ROWS if meaning == str(name)):
            meant.setdefault(synonym, name)
    meant |= {str(name).lower(): name for name in names}
    found = get_close_matches(str(word).lower(), meant, n=1, cutoff=_MIN_SIMILARITY)
    return meant[found[0]] if found else None


def suggest(
    word: object,
    names: Iterable[object] = (),
    lines: Mapping[str, str] = MappingProxyType({}),
    *,
    places: Sequence[str] = ("",),
) -> str:
    """Return ' Did you mean ...?' for a name, ' Write ...' for a line, of the table too, or ''."""
    lines = {**lines, **{bare: line for of in places for bare, line in LINES.get(of, {}).items()}}
    meant = nearest(word, [*lines, *(names := [*names])])
    if meant in names:
        return f" Did you mean {meant!r}?"
    return "" if meant is None else f" Write {lines[meant]}."
