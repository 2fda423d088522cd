"""Metrics: each is a pure function of one transcript, registered by a decorator.

``moot.studies.run_results`` sums them up over a run.
"""
