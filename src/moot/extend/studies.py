"""Studies: laboratories, plans, estimates and runs."""

from moot.core.without_await import make_sync
from moot.datasets.published import describe_dataset
from moot.runtime.embedder import Embedder
from moot.studies.all_debates import run_all
from moot.studies.checks import convert_table
from moot.studies.estimate import Estimate
from moot.studies.fitted_file import FittedThreshold, ReplyClassifier
from moot.studies.lab import Lab, default_model, open_lab
from moot.studies.listed import ListedPlan
from moot.studies.plan import Plan
from moot.studies.progress_counts import RunProgress
from moot.studies.question_plan import QuestionPlan, plan_question, restore_plan
from moot.studies.rehearsal import estimate_run
from moot.studies.run_records import encode_study
from moot.studies.study import StudySource
from moot.studies.study_run import Watch, compute_results
from moot.studies.task import Task

__all__ = [
    "Embedder",
    "Estimate",
    "FittedThreshold",
    "Lab",
    "ListedPlan",
    "Plan",
    "QuestionPlan",
    "ReplyClassifier",
    "RunProgress",
    "StudySource",
    "Task",
    "Watch",
    "compute_results",
    "convert_table",
    "default_model",
    "describe_dataset",
    "encode_study",
    "estimate_run",
    "make_sync",
    "open_lab",
    "plan_question",
    "restore_plan",
    "run_all",
]
