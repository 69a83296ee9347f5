"""Tests beside each room of the package; oracles, studies and benchmarks in rooms of their own."""
