"""The methods of ``df.pu`` and ``ds.pu``: read arguments, compute, and return a tidy frame."""
