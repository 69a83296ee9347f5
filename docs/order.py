"""The order of the gallery: that of the work, and in the paper's folder that of the paper."""

from pathlib import Path

WORK = {
    "start": "main_job many_models",
    "look": "one_model mark_a_cutoff pointer precision_top_k gains calibration decision_curve "
    "threshold polars hundred_million_rows",
    "number": "early_recognition chosen_list cross_validation clusters",
    "compare": "a_or_b forest ten_models choose_a_model gap_between_groups",
    "assume": "estimate_beta how_many_labels labels_worth_more beta_with_its_error how_sensitive "
    "robustness contamination biased_labels assumptions known_negatives three_assumptions",
    "report": "plan_positives two_by_two paper_figure",
    "paper": "rank_cdf_of_two_sets union_of_rankings bounds how_many_known effect_of_beta "
    "better_or_worse_than_chance fpr_against_beta order_of_models results appendix_tables",
}
_SCRIPTS = " ".join(WORK.values()).split()


class Order:
    """Sorts scripts of a folder; one that is not listed raises.

    Parameters
    ----------
    folder : str
        As sphinx-gallery passes it. Not used.
    """

    def __init__(self, folder: str) -> None:
        del folder

    def __call__(self, script: str) -> int:
        """Return where a script stands.

        Parameters
        ----------
        script : str
            The name of its file.

        Returns
        -------
        int
            Its place.
        """
        return _SCRIPTS.index(Path(script).stem.removeprefix("plot_"))
