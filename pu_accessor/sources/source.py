"""What a source is: it makes rankings and pairs, and says what cannot be asked of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import pandas as pd
import xarray as xr

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.ranking import Annotated, Keyed, PairedRanks, Rankings, Ranks
from pu_accessor.sources.roles import ColumnNames, Roles, Seed
from pu_accessor.sources.sampling import Draw


class Source(Protocol):
    """Rows of any kind: what questions are put to."""

    name: str  # what it is called in messages

    def rank(self, roles: Roles, ranks: Ranks) -> Rankings:
        """Rank the rows: of each group, by each column of scores."""

    def pair(self, roles: Roles, on: ColumnNames | None) -> Keyed[PairedRanks]:
        """Rank the same examples by several models, as columns or as rows that `on` pairs."""

    def annotate(
        self, roles: Roles, wave: Hashable | None, strata: Hashable | None
    ) -> Keyed[Annotated]:
        """Rank the rows at breakpoints, with the wave and the stratum that columns have for each.

        Rows without one are in none. Raises where rows are not those of a frame.
        """
        argument, name = ("strata", strata) if wave is None else ("wave", wave)
        raise PUTypeError(
            f"{argument} must be left out for data in {self.name}, but {name!r} was passed. Name "
            "columns of a frame: ds.to_dataframe().reset_index().pu."
        )

    def summary(self, roles: Roles) -> dict[str, str]:
        """Count what the columns hold, for a repr; raises where they cannot be counted."""

    def sample(self, roles: Roles, draw: Draw, random_state: Seed) -> pd.DataFrame:
        """Draw unlabeled rows at random, without replacement."""

    def best(self, roles: Roles, sizes: Sequence[int]) -> pd.DataFrame:
        """Return the rows with the best scores, the best first, as many as asked of each group."""

    def repeated(self, roles: Roles) -> list[str]:
        """Return columns of no role that look like ids and repeat: rows may belong together."""
        return []

    def held(self, roles: Roles) -> Roles:
        """Return the roles, with those of values that the source has without a column."""
        return roles

    def template(self, roles: Roles) -> xr.Dataset | None:
        """Return the dimensions that keys are the product of, if they are, with coordinates."""
        return None


def check_not_pooled(source: str, roles: Roles) -> None:
    """Raise if groups are to be pooled where there are no rows in memory."""
    if roles.pool:
        raise PUValueError(
            f"pool must be False for data in {source}, but {roles.pool!r} was passed. Groups are "
            "ranked apart and pooled in a frame alone: df.pu(by='fold', pool=True)."
        )


def check_no_keys(by: Any, instead: str = "df.groupby(['site', 'model']).pu") -> None:
    """Raise if keys are passed where there is a groupby already."""
    if by is not None:
        raise PUValueError(
            f"by must not be passed on a groupby, but {by!r} was. Group by all keys at once: "
            f"{instead}."
        )
