"""moot: a laboratory and runtime for multi-agent debate among large language models.

    import moot

    answer = await moot.ask("Is 91 prime?", kind="boolean", protocol="society-of-minds", agents=3)
    written = await moot.write("Museums should be free of charge.", stance="oppose")
    outcome = await moot.run("study.toml")

Everything public is named here and imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moot.analyses.analysis import NothingToAnalyse, analyse, analysis
    from moot.analyses.recorded_runs import RecordedRuns
    from moot.core.answer import Answer
    from moot.core.calls import Call, Draw, Reply, Sampling, Scene
    from moot.core.chart import Axis, Chart, Plot
    from moot.core.errors import (
        AccessError,
        BudgetReached,
        ContextTooLong,
        InputError,
        ModelError,
        MootError,
        RefusedError,
        StoreError,
        TransientError,
        UnknownName,
    )
    from moot.core.events import Event, Transcript, Turn, Verdict
    from moot.core.messages import Message
    from moot.core.ports import Ledger, Limits, Model, Rates
    from moot.core.questions import Example, Question
    from moot.core.readings import Reading
    from moot.core.results import Results
    from moot.core.table import Cell, Column, Report, ResultTable, TableRow
    from moot.datasets.dataset import dataset
    from moot.datasets.library import questions
    from moot.debate.agents import Agent
    from moot.debate.debate import Debate, SubDebate
    from moot.debate.decision import decision
    from moot.debate.protocol import protocol
    from moot.debate.recorded import decide, views_of
    from moot.debate.stop_rule import Stopping, stop_rule
    from moot.debate.stops import Ending, Gate, Stop, accept_agreement, stop_at_consensus
    from moot.debate.verdicts import all_agree, majority, verdict_for, verdict_from
    from moot.debate.views import View, Views
    from moot.essays.write import write
    from moot.essays.written import Written
    from moot.metrics.metric import metric
    from moot.models.model_names import ModelName, provider
    from moot.models.model_names import load as model
    from moot.models.prices import Price
    from moot.models.scripted import Scripted
    from moot.models.simulated import Simulated
    from moot.parsing.ballots import Ballot
    from moot.parsing.extract import extract
    from moot.parsing.parser import Parsed, parser
    from moot.runtime.budget import Budget
    from moot.studies.question_plan import ask
    from moot.studies.study import Study
    from moot.studies.study_run import Outcome, run

_HOME = {
    "AccessError": "core.errors",
    "Agent": "debate.agents",
    "Answer": "core.answer",
    "Axis": "core.chart",
    "Ballot": "parsing.ballots",
    "Budget": "runtime.budget",
    "BudgetReached": "core.errors",
    "Call": "core.calls",
    "Cell": "core.table",
    "Chart": "core.chart",
    "Column": "core.table",
    "ContextTooLong": "core.errors",
    "Debate": "debate.debate",
    "Draw": "core.calls",
    "Ending": "debate.stops",
    "Event": "core.events",
    "Example": "core.questions",
    "Gate": "debate.stops",
    "InputError": "core.errors",
    "Ledger": "core.ports",
    "Limits": "core.ports",
    "Message": "core.messages",
    "Model": "core.ports",
    "ModelError": "core.errors",
    "ModelName": "models.model_names",
    "MootError": "core.errors",
    "NothingToAnalyse": "analyses.analysis",
    "Outcome": "studies.study_run",
    "Parsed": "parsing.parser",
    "Plot": "core.chart",
    "Price": "models.prices",
    "Question": "core.questions",
    "Rates": "core.ports",
    "Reading": "core.readings",
    "RecordedRuns": "analyses.recorded_runs",
    "RefusedError": "core.errors",
    "Reply": "core.calls",
    "Report": "core.table",
    "ResultTable": "core.table",
    "Results": "core.results",
    "Sampling": "core.calls",
    "Scene": "core.calls",
    "Scripted": "models.scripted",
    "Simulated": "models.simulated",
    "Stop": "debate.stops",
    "Stopping": "debate.stop_rule",
    "StoreError": "core.errors",
    "Study": "studies.study",
    "SubDebate": "debate.debate",
    "TableRow": "core.table",
    "Transcript": "core.events",
    "TransientError": "core.errors",
    "Turn": "core.events",
    "UnknownName": "core.errors",
    "Verdict": "core.events",
    "View": "debate.views",
    "Views": "debate.views",
    "Written": "essays.written",
    "accept_agreement": "debate.stops",
    "all_agree": "debate.verdicts",
    "analyse": "analyses.analysis",
    "analysis": "analyses.analysis",
    "ask": "studies.question_plan",
    "dataset": "datasets.dataset",
    "decide": "debate.recorded",
    "decision": "debate.decision",
    "extract": "parsing.extract",
    "majority": "debate.verdicts",
    "metric": "metrics.metric",
    "model": "models.model_names:load",
    "parser": "parsing.parser",
    "protocol": "debate.protocol",
    "provider": "models.model_names",
    "questions": "datasets.library",
    "run": "studies.study_run",
    "stop_at_consensus": "debate.stops",
    "stop_rule": "debate.stop_rule",
    "verdict_for": "debate.verdicts",
    "verdict_from": "debate.verdicts",
    "views_of": "debate.recorded",
    "write": "essays.write",
}
"""Where each public name lives."""

__all__ = [
    "AccessError",
    "Agent",
    "Answer",
    "Axis",
    "Ballot",
    "Budget",
    "BudgetReached",
    "Call",
    "Cell",
    "Chart",
    "Column",
    "ContextTooLong",
    "Debate",
    "Draw",
    "Ending",
    "Event",
    "Example",
    "Gate",
    "InputError",
    "Ledger",
    "Limits",
    "Message",
    "Model",
    "ModelError",
    "ModelName",
    "MootError",
    "NothingToAnalyse",
    "Outcome",
    "Parsed",
    "Plot",
    "Price",
    "Question",
    "Rates",
    "Reading",
    "RecordedRuns",
    "RefusedError",
    "Reply",
    "Report",
    "ResultTable",
    "Results",
    "Sampling",
    "Scene",
    "Scripted",
    "Simulated",
    "Stop",
    "Stopping",
    "StoreError",
    "Study",
    "SubDebate",
    "TableRow",
    "Transcript",
    "TransientError",
    "Turn",
    "UnknownName",
    "Verdict",
    "View",
    "Views",
    "Written",
    "accept_agreement",
    "all_agree",
    "analyse",
    "analysis",
    "ask",
    "dataset",
    "decide",
    "decision",
    "extract",
    "majority",
    "metric",
    "model",
    "parser",
    "protocol",
    "provider",
    "questions",
    "run",
    "stop_at_consensus",
    "stop_rule",
    "verdict_for",
    "verdict_from",
    "views_of",
    "write",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- any public thing
    if name not in _HOME:
        raise AttributeError(f"module 'moot' has no attribute {name!r}")
    home, _, called = _HOME[name].partition(":")
    return getattr(import_module(f"moot.{home}"), called or name)


def __dir__() -> list[str]:
    return __all__
