"""Studies: laboratories, plans, estimates and runs."""

from moot.core.without_await import make_sync
from moot.datasets.published import describe_dataset
from moot.models.tables import ModelTable
from moot.runtime.embedder import Embedder
from moot.studies.all_debates import run_all
from moot.studies.arms import prepare_settings
from moot.studies.checks import convert_table
from moot.studies.estimate import Estimate
from moot.studies.fitted_file import FittedThreshold, ReplyClassifier
from moot.studies.lab import Lab, default_model, find_model_problems, open_lab
from moot.studies.listed import ListedPlan
from moot.studies.plan import Plan
from moot.studies.progress_counts import RunProgress
from moot.studies.question_plan import QuestionPlan, plan_question, restore_plan
from moot.studies.rehearsal import estimate_run
from moot.studies.run_records import encode_study
from moot.studies.study_file import StudySource
from moot.studies.study_run import Watch
from moot.studies.task import Task

__all__ = [
    "Embedder",
    "Estimate",
    "FittedThreshold",
    "Lab",
    "ListedPlan",
    "ModelTable",
    "Plan",
    "QuestionPlan",
    "ReplyClassifier",
    "RunProgress",
    "StudySource",
    "Task",
    "Watch",
    "convert_table",
    "default_model",
    "describe_dataset",
    "encode_study",
    "estimate_run",
    "find_model_problems",
    "make_sync",
    "open_lab",
    "plan_question",
    "prepare_settings",
    "restore_plan",
    "run_all",
]
