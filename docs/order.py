"""The order of the gallery: that of the work, and for the paper that of the paper."""

from pathlib import Path

WORK = {
    "start": "main_job many_models",
    "look": "one_model precision_top_k gains calibration decision_curve threshold",
    "number": "early_recognition chosen_list cross_validation clusters",
    "compare": "forest choose_a_model gap_between_groups",
    "assume": "estimate_beta beta_with_its_error how_sensitive robustness biased_labels "
    "assumptions known_negatives",
    "report": "plan_positives paper_figure",
    "paper": "bounds how_many_known effect_of_beta better_or_worse_than_chance order_of_models "
    "results",
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
        """Return the position of a script.

        Parameters
        ----------
        script : str
            The name of its file.

        Returns
        -------
        int
            Its position.
        """
        return _SCRIPTS.index(Path(script).stem.removeprefix("plot_"))
