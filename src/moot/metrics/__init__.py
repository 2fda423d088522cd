"""Metrics: each is a pure function of one transcript, registered by a decorator.

``moot.studies.results`` sums them up over a run.
"""
