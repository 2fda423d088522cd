"""Analyses: means, paired comparisons and tables of the results of runs."""

from moot.analyses.analysis import check_found
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.results import Difference, Mean
from moot.core.table import make_columns
from moot.statistics.accuracies import (
    Key,
    cluster_by_question,
    compare_clusters,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
    mean_with_interval,
    mean_within_bounds,
)
from moot.statistics.calibration import ScoredConfidence, measure_confidence
from moot.statistics.intervals import Cluster, interval
from moot.statistics.paired import sign_flip
from moot.statistics.strengths import Judgement, measure_strengths
from moot.statistics.student import reach_of_mean

__all__ = [
    "Cluster",
    "Difference",
    "Judgement",
    "Key",
    "Mean",
    "NamedDifference",
    "ScoredConfidence",
    "TableField",
    "check_found",
    "cluster_by_question",
    "compare_clusters",
    "compare_paired",
    "correct_by_holm",
    "describe_comparisons",
    "interval",
    "list_tests",
    "make_columns",
    "mean_over_questions",
    "mean_with_interval",
    "mean_within_bounds",
    "measure_confidence",
    "measure_strengths",
    "reach_of_mean",
    "sign_flip",
    "tabulate",
]
