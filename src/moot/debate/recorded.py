"""Recorded debates as views, decided again by another rule without a call, and their dissents."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from moot.core.answer import Dissent
from moot.core.calls import Call, Reply, Sampling
from moot.core.errors import InputError, ModelError, UnknownName
from moot.core.events import Noted, Transcript, Verdict
from moot.core.ports import Limits
from moot.core.recorded_settings import JUDGE, NetworkSettings, read_settings
from moot.debate.agents import Agent, AgentConfig
from moot.debate.decision import Decision, find_rule, is_judge
from moot.debate.protocol import registry as protocols
from moot.debate.verdicts import view_verdict
from moot.debate.views import View, Views
from moot.parsing.same import answer_value, is_same

NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


def decide(transcript: Transcript, rule: str, **options: object) -> Verdict:
    """Return the verdict of a recorded debate by another rule. No call is made.

    Those who vote are the roles that its protocol names as voters, else all its debaters; in a
    network, the nodes of the last sweep. Agents of sub-debates do not vote.

    Args:
        transcript: a debate that ended with a verdict.
        rule: a decision rule's name, e.g. ``"unanimity"``, or a name with options:
            ``"supermajority?share=0.75"``.
        options: of the rule, e.g. ``share=0.75`` of ``supermajority``.

    Raises:
        InputError: the debate failed, so that it has no final views; or an option is out of range.
        UnknownName: no rule has this name, or the rule has no such option.
    """
    if transcript.verdict is None:
        raise InputError("this debate failed: it has no final views to decide by")
    found, given = find_rule(rule)
    return RecordedVoters(transcript).decide(found, given | options)


class RecordedVoters:
    """Those who vote in a recorded debate, and what they said; rules decide by it.

    Attributes:
        question: the question.
        said: all their views, oldest first, with those that are no votes.
        final: the final view of each.
    """

    __slots__ = ("_judges", "final", "question", "said")

    def __init__(self, transcript: Transcript) -> None:
        self.question = transcript.question
        views = views_of(transcript)
        self.said = _list_views_of_voters(transcript, views)
        self.final = Views(view for view in self.said if view.turn.votes).last
        self._judges = Views(view for view in views if not view.turn.node and is_judge(view))

    def decide(self, rule: Decision | str, given: Mapping[str, Any] = NO_OPTIONS) -> Verdict:
        """Return the verdict of a rule with values of its options; of one in words with its own.

        Raises:
            UnknownName: no rule has the name in these words, or the rule has no such option.
            InputError: an option is of another type, out of its range, or not what debates have.
        """
        if isinstance(rule, str):
            rule, given = find_rule(rule)
        return rule.apply(self.final, self.question, self.said, given, self._judges)


def _list_views_of_voters(transcript: Transcript, views: Views) -> Views:
    """Return all views of those who vote, oldest first, with those that are no votes."""
    if "nodes" in transcript.opened.settings:
        return _nodes_of(transcript, views)
    try:
        roles = protocols.get(transcript.opened.protocol).voters
    except (UnknownName, InputError):  # a plug-in's protocol, which is not installed now
        roles = ()
    gone = transcript.dismissed
    spoken = Views(
        view for view in views if not view.turn.node and view.agent.seat.agent not in gone
    )
    if roles:
        return Views(view for view in spoken if view.turn.role in roles)
    return Views(view for view in spoken if view.agent.seat.debater)


def views_of(transcript: Transcript) -> Views:
    """Return a recorded debate as views: all turns in order, each by its agent's name.

    A turn of another agent that one took over stands as a view of its own.
    """
    agents: dict[int, Agent] = {}
    for seat in transcript.seats:
        config = AgentConfig(model=RecordedModel(seat.model), style="", sampling=Sampling())
        agents[seat.number] = Agent(seat, seat.agent, config)
    turns = transcript.turns
    views = [View(agents[turn.seat], turn) for turn in turns]
    if taken := [note for note in transcript.notes if note.what == "kept" and note.turn]:
        names, by_id = {each.seat.agent: each for each in agents.values()}, {t.id: t for t in turns}
        for note in reversed(taken):
            place = sum(turn.id <= note.after for turn in turns)
            views[place:place] = [View(names[name], by_id[note.turn or 0]) for name in note.agents]
    return Views(views)


def _nodes_of(transcript: Transcript, views: Views) -> Views:
    """Return the verdicts of a network's nodes as views, sweep by sweep.

    Of a network with a judge, only those that the judge reads.
    """
    network = read_settings(transcript.opened.settings, NetworkSettings)
    names = {*network.names}
    read = {start for start, end in network.edges or () if end == JUDGE}
    agents: dict[str, Agent] = {}
    found = []
    for node in transcript.nodes:
        if node.node in (read or names):  # not the sub-debates of a node
            name = node.node if node.sweep == 1 else f"{node.node}.{node.sweep}"
            said = Views(view for view in views if f"{view.turn.node}/".startswith(f"{name}/"))
            view = view_verdict(node.verdict, said, transcript.question)
            turn = msgspec.structs.replace(view.turn, round=node.sweep, answer=node.verdict.answer)
            found.append(View(agents.setdefault(node.node, view.agent), turn))
    return Views(found)


def list_dissents(transcript: Transcript) -> tuple[Dissent, ...]:
    """Return the dissents from the verdict of a debate; empty without a verdict.

    Those that the protocol recorded come first. Then comes a dissent for each final answer of those
    who vote that is not the verdict's, the most frequent first. Open answers, of which no two are
    the same, are no minorities of one another.
    """
    if transcript.verdict is None:
        return ()
    noted = (
        _describe_note(note, transcript) for note in transcript.notes if note.what == "dissent"
    )
    return (*noted, *_find_minorities(transcript))


def _describe_note(note: Noted, transcript: Transcript) -> Dissent:
    words = next((turn.text for turn in transcript.turns if turn.id == note.turn), "")
    return Dissent(agents=note.agents, why=note.why, words=words, turn=note.turn)


def _find_minorities(transcript: Transcript) -> list[Dissent]:
    """Return the answers of those who vote that are not the verdict's, with who gives them."""
    verdict, question = transcript.verdict, transcript.question
    if verdict is None or verdict.answer is None:
        return []
    groups: dict[object, list[View]] = {}
    for view in RecordedVoters(transcript).final:
        if view.answer is not None:
            groups.setdefault(answer_value(view.answer, question.kind), []).append(view)
    if question.kind == "text" and max(map(len, groups.values()), default=0) < 2:
        return []
    others = [
        views
        for views in groups.values()
        if not is_same(views[0].answer, verdict.answer, question.kind)
    ]
    return [
        Dissent(
            agents=tuple(view.agent.seat.agent for view in views),
            why=f"answer{'s' if len(views) == 1 else ''} {views[0].answer}",
            answer=views[0].answer,
            words="" if views[0].turn.order else views[0].text,  # it speaks of other letters
            turn=views[0].turn.id,
        )
        for views in sorted(others, key=len, reverse=True)
    ]


class RecordedModel:
    """The model of a recorded agent: it has a name, and cannot be called."""

    limits = Limits()
    simulated = False

    def __init__(self, name: str) -> None:
        self.name = self.endpoint = name

    async def reply(self, call: Call) -> Reply:
        """Raise ``ModelError``: the debate is over."""
        raise ModelError(f"{call.model}: a recorded debate cannot go on")

    def cost(self, reply: Reply) -> float | None:
        """Return the recorded cost."""
        return reply.cost

    async def close(self) -> None:
        """Do nothing: no connection is open."""
