"""Studies: laboratories, plans, estimates and runs."""

from moot.studies.all_debates import run_all
from moot.studies.checks import convert_table
from moot.studies.estimate import Estimate
from moot.studies.lab import Lab, default_model, open_lab
from moot.studies.plan import Plan
from moot.studies.progress_counts import RunProgress
from moot.studies.question_plan import QuestionPlan, plan_question, restore_plan
from moot.studies.rehearsal import estimate_run
from moot.studies.run_records import encode_study
from moot.studies.study_run import Watch
from moot.studies.task import Task

__all__ = [
    "Estimate",
    "Lab",
    "Plan",
    "QuestionPlan",
    "RunProgress",
    "Task",
    "Watch",
    "convert_table",
    "default_model",
    "encode_study",
    "estimate_run",
    "open_lab",
    "plan_question",
    "restore_plan",
    "run_all",
]
