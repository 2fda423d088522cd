"""moot: a laboratory and runtime for multi-agent debate among large language models.

    import moot

    answer = await moot.ask("Is 91 prime?", kind="boolean", protocol="society-of-minds", agents=3)
    written = await moot.write("Museums should be free of charge.", stance="oppose")
    outcome = await moot.run("study.toml")

In a script or a notebook, ``moot.ask_sync`` and its like do the same without ``await``.
Everything public is named here and imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moot.analyses.analysis import NothingToAnalyse, analyse, analyse_sync, analysis
    from moot.analyses.recorded_runs import RecordedRuns
    from moot.contrib.essays.write import write, write_sync
    from moot.contrib.essays.written import Written
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
    from moot.datasets.own_questions import OwnQuestions, read_own_questions
    from moot.debate.agents import Agent
    from moot.debate.debate import Debate
    from moot.debate.decision import decision
    from moot.debate.protocol import protocol
    from moot.debate.recorded import decide, views_of
    from moot.debate.steering import Steering
    from moot.debate.stop_rule import Ending, Gate, Stop, Stopping, stop_rule
    from moot.debate.stops import accept_agreement, stop_at_consensus
    from moot.debate.subdebates import SubDebate
    from moot.debate.verdicts import all_agree, majority, verdict_for, verdict_from
    from moot.debate.views import View, Views
    from moot.metrics.metric import metric
    from moot.models.model_names import ModelName, provider
    from moot.models.model_names import load as model
    from moot.models.prices import Price
    from moot.models.scripted import Scripted
    from moot.models.simulated import Simulated
    from moot.parsing.ballot import Ballot
    from moot.parsing.extract import extract
    from moot.parsing.parser import Parsed, parser
    from moot.runtime.budget import Budget
    from moot.statistics.planning import plan
    from moot.studies.ask import ask, ask_sync
    from moot.studies.study import Study
    from moot.studies.study_run import Outcome, run, run_sync
    from moot.studies.worth import WorthOutcome, worth, worth_sync

_NAMES = {
    "analyses.analysis": "NothingToAnalyse analyse analyse_sync analysis",
    "analyses.recorded_runs": "RecordedRuns",
    "core.answer": "Answer",
    "core.calls": "Call Draw Reply Sampling Scene",
    "core.chart": "Axis Chart Plot",
    "core.errors": "AccessError BudgetReached ContextTooLong InputError ModelError "
    "MootError RefusedError StoreError TransientError UnknownName",
    "core.events": "Event Transcript Turn Verdict",
    "core.messages": "Message",
    "core.ports": "Ledger Limits Model Rates",
    "core.questions": "Example Question",
    "core.readings": "Reading",
    "core.results": "Results",
    "core.table": "Cell Column Report ResultTable TableRow",
    "datasets.dataset": "dataset",
    "datasets.library": "questions",
    "datasets.own_questions": "OwnQuestions read_own_questions",
    "debate.agents": "Agent",
    "debate.debate": "Debate",
    "debate.subdebates": "SubDebate",
    "debate.decision": "decision",
    "debate.protocol": "protocol",
    "debate.recorded": "decide views_of",
    "debate.steering": "Steering",
    "debate.stop_rule": "Ending Gate Stop Stopping stop_rule",
    "debate.stops": "accept_agreement stop_at_consensus",
    "debate.verdicts": "all_agree majority verdict_for verdict_from",
    "debate.views": "View Views",
    "metrics.metric": "metric",
    "models.model_names": "ModelName provider",
    "models.prices": "Price",
    "models.scripted": "Scripted",
    "models.simulated": "Simulated",
    "parsing.ballot": "Ballot",
    "parsing.extract": "extract",
    "parsing.parser": "Parsed parser",
    "runtime.budget": "Budget",
    "statistics.planning": "plan",
    "studies.ask": "ask ask_sync",
    "studies.study": "Study",
    "studies.study_run": "Outcome run run_sync",
    "studies.worth": "WorthOutcome worth worth_sync",
}
"""The public names by the module in which they live."""
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}
_HOME["model"] = "models.model_names:load"
"""Where each public name of the core lives; the others are brought by entry points."""
_GROUP = "moot.names"
"""The group of entry points by which parts of moot bring public names."""

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
    "OwnQuestions",
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
    "Steering",
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
    "WorthOutcome",
    "Written",
    "accept_agreement",
    "all_agree",
    "analyse",
    "analyse_sync",
    "analysis",
    "ask",
    "ask_sync",
    "dataset",
    "decide",
    "decision",
    "extract",
    "majority",
    "metric",
    "model",
    "parser",
    "plan",
    "protocol",
    "provider",
    "questions",
    "read_own_questions",
    "run",
    "run_sync",
    "stop_at_consensus",
    "stop_rule",
    "verdict_for",
    "verdict_from",
    "views_of",
    "worth",
    "worth_sync",
    "write",
    "write_sync",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- any public thing
    if name in _HOME:
        home, _, called = _HOME[name].partition(":")
        return getattr(import_module(f"moot.{home}"), called or name)
    if name in __all__:
        from importlib.metadata import entry_points

        for entry in entry_points(group=_GROUP, name=name):
            return entry.load()
    raise AttributeError(f"module 'moot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
