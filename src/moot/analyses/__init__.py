"""Analyses: pure functions of the results of one or more runs."""
