"""What a source is: it makes rankings and pairs, and says what cannot be asked of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import pandas as pd
import xarray as xr

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

        Rows without one are in none.
        """
        raise NotImplementedError

    def summary(self, roles: Roles) -> dict[str, str]:
        """Count what the columns hold, for a repr; raises where they cannot be counted."""

    def sample(self, roles: Roles, draw: Draw, random_state: Seed) -> pd.DataFrame:
        """Draw unlabeled rows at random, without replacement."""

    def repeated(self, roles: Roles) -> list[str]:
        """Return columns of no role that look like ids and repeat: rows may belong together."""
        return []

    def held(self, roles: Roles) -> Roles:
        """Return the roles, with those of values that the source has without a column."""
        return roles

    def template(self, roles: Roles) -> xr.Dataset | None:
        """Return the dimensions that keys are the product of, if they are, with coordinates."""
        return None
