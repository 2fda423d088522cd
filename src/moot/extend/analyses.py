"""Analyses: means, paired comparisons and tables of the results of runs."""

from moot.analyses.analysis import Analysis, check_found
from moot.analyses.analysis import registry as analyses
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.run_reports import report_briefly
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.results import Difference, Mean
from moot.core.table import make_columns
from moot.reports.chart_style import ChartStyle
from moot.statistics import sequences
from moot.statistics.accuracies import (
    Key,
    cluster_by_question,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
    mean_with_interval,
    mean_within_bounds,
)
from moot.statistics.calibration import ScoredConfidence
from moot.statistics.intervals import Cluster, interval
from moot.statistics.paired import sign_flip
from moot.statistics.strengths import Judgement, measure_strengths
from moot.statistics.student import reach_of_mean

__all__ = [
    "Analysis",
    "ChartStyle",
    "Cluster",
    "Difference",
    "Judgement",
    "Key",
    "Mean",
    "NamedDifference",
    "ScoredConfidence",
    "TableField",
    "analyses",
    "check_found",
    "cluster_by_question",
    "compare_paired",
    "correct_by_holm",
    "describe_comparisons",
    "interval",
    "list_tests",
    "make_columns",
    "mean_over_questions",
    "mean_with_interval",
    "mean_within_bounds",
    "measure_strengths",
    "reach_of_mean",
    "report_briefly",
    "sequences",
    "sign_flip",
    "tabulate",
]
