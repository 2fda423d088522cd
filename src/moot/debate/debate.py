"""A debate that is running: agents take seats, are asked, and their replies are recorded."""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from moot.core.events import Noted, NoteKind, Seat, Seated, Verdict
from moot.core.messages import Message
from moot.core.questions import Question
from moot.core.readings import Reading
from moot.debate.agent_config import cool_config
from moot.debate.agents import Agent, AgentMemory
from moot.debate.context import DebateContext, Listener
from moot.debate.decision import find_rule, is_judge
from moot.debate.exchange import Exchange, Turns, give, keep
from moot.debate.gather_all import gather_all
from moot.debate.hooks import NO_HOOKS, Hooks, Inner, Line, inherit
from moot.debate.prompting import (
    Prompt,
    Prompter,
    Slot,
    fill_for,
    plain_slots,
    tag_views,
)
from moot.debate.protocol import Protocol
from moot.debate.rounds import Rounds
from moot.debate.stop_rule import COMPARED, Ending, Gate, StageReached, Stop
from moot.debate.subdebates import PlannedDebate, SubDebate, find_protocol, pass_on, plan_context
from moot.debate.views import View, Views
from moot.debate.window import PromptForm
from moot.parsing.parser import registry as parsers


class Debate:
    """What a protocol works with: ``seat`` agents, then ``ask`` one or ``everyone``.

    Args:
        question: what is debated.
        context: the settings, the prompts and the call path.
        record: a function that is called with each event as it happens.
        views: those of the debate in whose place it is.
        within: the views of that one's sub-debates.
        about: the id of the question where it is not the debate's own.
        draws_from: the seat whose draws the first agent's calls share, the next one those of the
            next seat; None where each has its own.

    Attributes:
        question: what is debated, with the passages of documents that all agents read before it.
        bare: the question as it was asked.
        context: the settings, the prompts and the call path.
        record: a function that is called with each event as it happens.
        turns: the turns and seats so far.
        views: all turns so far, in the order in which replies arrived.
        within: the views of sub-debates.
        gone: the agents that were dismissed.
        tag: a function that changes each view before another agent is shown it; None for none.
        prompter: renders the prompts of agents without documents of their own.
    """

    __slots__ = (
        "_ahead",
        "_answered",
        "_hooks",
        "_planned",
        "_prompters",
        "about",
        "bare",
        "context",
        "draws_from",
        "gone",
        "prompter",
        "question",
        "record",
        "tag",
        "turns",
        "views",
        "within",
    )

    def __init__(
        self,
        question: Question,
        context: DebateContext,
        record: Listener,
        *,
        views: list[View] | None = None,
        within: list[View] | None = None,
        about: str = "",
        draws_from: int | None = None,
    ) -> None:
        self.bare, self.context, self.record = question, context, record
        self.views: list[View] = [] if views is None else views
        self.within: list[View] = [] if within is None else within
        self.about, self.draws_from = about, draws_from
        self.turns = Turns(context, record, self.views)
        self.gone: set[Agent] = set()
        self.tag: Callable[[View], View] | None = None
        self._hooks = Hooks(context.features) if context.features else NO_HOOKS
        self._ahead: list[View] = []
        self._answered: dict[Agent, View] = {}
        self._planned = 0
        self._pose()

    async def open(self) -> None:
        """Let the features of the debate begin; the question is posed with what they find."""
        for each in reversed(self.context.features):
            if each.has("begin"):
                await each.feature.begin(self, each.state)
        if self._hooks.poses:
            self._pose()

    def _pose(self) -> None:
        """Make anew what the question is put with."""
        self._prompters: dict[Agent | None, Prompter] = {}
        self.prompter = self._make_prompter(None)
        self.question = self.prompter.question

    def _prompter(self, agent: Agent) -> Prompter:
        """Return the prompter of an agent, whose question features pose."""
        return self._prompters.get(agent) or self._make_prompter(agent)

    def _make_prompter(self, agent: Agent | None) -> Prompter:
        """Return a new prompter; agents that are shown the same question have one together."""
        posed = self.bare
        for pose in self._hooks.poses:
            posed = pose(agent, posed, self.context.pack)
        for known in self._prompters.values():
            if known.question == posed:
                self._prompters[agent] = known
                return known
        made = self._prompters[agent] = Prompter(self.context, posed)
        return made

    def seat(
        self,
        role: str,
        count: int = 1,
        *,
        remembers: bool = True,
        memory: AgentMemory = "chat",
        debater: bool = True,
        cooler: float = 0.0,
        labels: Callable[[int], str | None] | None = None,
        after: int | None = None,
        **slots: Slot | Callable[[int], Slot],
    ) -> list[Agent]:
        """Seat agents of one role: they take the next seats.

        They are named ``role-1``, ``role-2``, … where there are several, else by their role. An
        agent's system message has a paragraph for each system message of the conversation that the
        question goes on with, the text of its role in the pack, and its persona.

        Args:
            role: of each.
            count: how many.
            remembers: False for agents whose prompts do not repeat their conversation.
            memory: what an agent that remembers is shown of its conversation: all of it, or its
                first prompt and its last reply alone.
            debater: False for agents that hold no answer of their own: they judge, moderate, sum
                up, recruit. The transcript records it, and metrics of debaters leave them out. In a
                node of a network they do not see the other nodes' verdicts.
            cooler: how far below the debate's temperature they are sampled; never below 0, and not
                where an agent has a temperature of its own.
            labels: their names in others' prompts, by their place from 0; by default "Agent" and
                the seat's number, or the role of an agent that is alone.
            after: how many agents of the role sit already, where more are seated later: their names
                go on from there. None where all are seated at once.
            slots: what fills the slots of the role's text. A function is called for each agent
                with its place from 0.
        """
        context, template = self.context, self.context.pack.role(role)
        given = tuple((view.turn.id, view.answer) for view in context.given) if debater else ()
        seated = []
        for index in range(count):
            if self._ahead:
                seated.append(self._take_over(remembers=remembers, memory=memory))
                continue
            place = len(self.turns.agents)
            config = context.config_of(place, role)
            config = cool_config(config, cooler) if cooler else config
            several = count > 1 or after is not None
            name = f"{role}-{(after or 0) + index + 1}" if several else role
            label = f"Agent {place + 1}" if several else role.replace("-", " ").title()
            label = (labels and labels(index)) or label
            filled = {name: fill_for(index, slot) for name, slot in slots.items()}
            seat = Seat(
                number=self.turns.first + place,
                agent=f"{context.node}/{name}" if context.node else name,
                role=role,
                model=config.model.name,
                node=context.node,
                debater=debater,
                draws_as=None if self.draws_from is None else self.draws_from + place,
                own=self._hooks.describe(config) if self._hooks.seated else {},
            )
            agent = Agent(
                seat=seat,
                label=label,
                config=config,
                history=self.prompter.history,
                given=given,
                remembers=remembers,
                memory=memory,
                is_modulated=template is not None and template.modulates,
            )
            prompter = self._prompter(agent) if self._hooks.poses else self.prompter
            agent.system = prompter.system(template, config, label, filled, debater=debater)
            self.turns.agents.append(agent)
            seated.append(agent)
            context.check_room(self.turns.last, self.turns.next_seat)
            self.record(Seated(seat=seat))
        return seated

    async def ask(
        self,
        agent: Agent,
        step: str,
        *,
        order: tuple[int, ...] = (),
        in_round: int = 0,
        keys: tuple[str, ...] = (),
        reads: Sequence[View] = (),
        votes: bool = True,
        given: str | None = None,
        one_token: bool = False,
        **slots: Slot,
    ) -> View:
        """Send one prompt to one agent and return its reply as a view.

        Args:
            agent: the agent; it keeps prompt and reply, if it remembers.
            step: the pack's prompt, or a style; ``"answer"`` is the agent's own style.
            order: shows the choices of the question in this order, places counted from 0; the
                answer is taken back to the original letter.
            in_round: the round that the turn belongs to, from 1; by default the one after that of
                the agent's last turn.
            keys: what a ruling may call the sides, where not affirmative and negative; or the forms
                of a ballot that are asked for, and its labels.
            reads: views that the agent reads in a slot that holds their words as plain text.
            votes: False for an intermediate product of a debater (a critique, a query, a ballot):
                the agent keeps the answer that it had, and metrics of debaters leave the turn out.
            given: the reply, where it is given: then the prompt is not sent, and the turn says so.
            one_token: whether the reply is one token, whose probability is the view's confidence.
            slots: what fills the prompt's slots. Views among them that the prompt shows stand in
                the turn's ``reads``.

        Raises:
            ModelError: the model gave no reply; ``ContextTooLong`` where even the shortest form of
                the prompt does not fit.
        """
        if self._answered and step == "answer" and agent in self._answered:
            return self._answered.pop(agent)
        if self.tag is not None:
            slots = {name: tag_views(slot, self.tag) for name, slot in slots.items()}
        exchange = self._open(agent, step, slots, order, votes=votes)
        exchange.reads, exchange.keys = reads, keys
        agent.round = in_round or agent.round + 1
        if one_token:
            exchange.limit_to_token()
        exchange.compose()
        if given is not None:
            return keep(await give(exchange, given))
        return keep(await self._hooks.fetch(exchange))

    def _open(
        self,
        agent: Agent,
        step: str,
        slots: Mapping[str, Slot],
        order: tuple[int, ...] = (),
        *,
        votes: bool = True,
    ) -> Exchange:
        """Return a new exchange, with what features add to its prompt."""
        hooks = self._hooks
        prompter = self._prompter(agent) if hooks.poses else self.prompter
        template, parser = prompter.find(agent.config.style, step)
        exchange = Exchange(
            self.turns, prompter, agent, step, template, parser, slots, votes, self.about, order
        )
        if hooks.beside:
            exchange.beside = _join(hooks.beside, exchange)
        if hooks.lines:
            exchange.ending = _join(hooks.lines, exchange)
        for reads_as in hooks.reads_as:
            if name := reads_as(exchange):
                exchange.parser = parsers.get(name)
        return exchange

    def everyone(
        self,
        agents: Iterable[Agent],
        step: str,
        *,
        order: Callable[[Agent], tuple[int, ...]] | None = None,
        reads: Callable[[Agent], Sequence[View]] | None = None,
        keys: tuple[str, ...] = (),
        in_round: int = 0,
        votes: bool = True,
        **slots: Slot | Callable[[Agent], Slot],
    ) -> Coroutine[Any, Any, Views]:
        """Send one prompt to several agents at once; none reads what is said in this round.

        A slot may be a function of the agent; ``order`` and ``reads`` are. When a call fails, the
        others still come in and are recorded; then the failure of the lowest seat is raised.
        """
        asked = []
        for agent in agents:
            filled: dict[str, Any] = {**slots}
            for name, slot in slots.items():
                if callable(slot):
                    filled[name] = slot(agent)
            asked.append(
                self.ask(
                    agent,
                    step,
                    order=order(agent) if order else (),
                    reads=reads(agent) if reads else (),
                    keys=keys,
                    in_round=in_round,
                    votes=votes,
                    **filled,
                )
            )
        return gather_all(asked, Views)

    async def in_turn(
        self, agents: Iterable[Agent], step: str, history: Views, **slots: Slot
    ) -> Views:
        """Let agents speak one after the other, each over all before it; return the new history."""
        filled: dict[str, Any] = slots
        for agent in agents:
            history = history.add(await self.ask(agent, step, history=history, **filled))
        return history

    async def begin(self, role: str, count: int) -> Views:
        """Let so many agents of a protocol's ``first_role`` answer before it runs.

        The agents that it seats next are these, and are not asked for their answer again.
        """
        views = await self.everyone(self.seat(role, count, after=0), "answer")
        self._ahead = list(views)
        return views

    def _take_over(self, *, remembers: bool, memory: AgentMemory) -> Agent:
        """Return the next agent that has answered ahead, as the protocol seats it."""
        view = self._ahead.pop(0)
        agent = view.agent
        agent.remembers, agent.memory = remembers, memory
        if not remembers:
            agent.forget()
        self._answered[agent] = view
        return agent

    @property
    def key(self) -> tuple[int, int]:
        """What tells this debate from others on the same question: base seed and replicate."""
        return self.context.whole.agents.seed, self.context.replicate

    @property
    def newest_turn(self) -> int:
        """The id of the newest turn that was asked for; 0 where none was."""
        return self.turns.newest

    def take_given(self) -> Views:
        """Take the verdicts of other nodes out of the question, and return them as replies.

        They are anonymous, numbered, and of no round. Agents that are seated from now on are shown
        the question without them.
        """
        given = self.context.given.anonymous()
        self.context = msgspec.structs.replace(self.context, given=Views())
        self._pose()
        return given

    async def ask_neighbour(self, agents: Sequence[Agent]) -> Views:
        """Ask the run's next question of as many agents; each shares the reply of its own debate.

        They stand in the node ``neighbour``; see ``set_aside``. Empty where the run has no such
        question, or where a study puts an opening to those that speak first.
        """
        question = self.context.neighbour()
        if question is None or self._hooks.beside:
            return Views()
        inner = self._split_off(question, agents, "neighbour", turns=len(agents))
        await inner.open()
        return await inner.everyone(inner._seat_like(agents), "answer")  # noqa: SLF001 -- of this class

    def set_aside(
        self, question: Question, agents: Sequence[Agent], name: str, *, turns: int
    ) -> "tuple[Debate, list[Agent]]":
        """Begin a conversation about another question in a node of this name, of so many turns.

        Args:
            question: what it is about.
            agents: of one role, which sit side by side. As many are seated in it, with their
                models, settings and draws. They are no debaters.
            name: of the node.
            turns: the most turns that it has.
        """
        inner = self._split_off(question, agents, name, turns=turns)
        return inner, inner._seat_like(agents)  # noqa: SLF001 -- of this class

    def _split_off(
        self, question: Question, agents: Sequence[Agent], name: str, *, turns: int
    ) -> "Debate":
        """Return a conversation about another question, with seats and turns of its own."""
        context = self.context
        apart = msgspec.structs.replace(
            context,
            node=f"{context.node}/{name}" if context.node else name,
            seat=self.turns.next_seat,
            turn=self.turns.last,
            turns=None,
            given=Views(),
            features=inherit(context.features, Inner(context.whole, aside=True)),
        )
        self.turns.set_aside(len(agents), turns)
        return Debate(
            question, apart, self.record, draws_from=agents[0].seat.number, about=question.id
        )

    def _seat_like(self, agents: Sequence[Agent]) -> list[Agent]:
        """Seat as many agents of the same role; they are no debaters."""
        return self.seat(agents[0].seat.role, len(agents), debater=False, remembers=False)

    def word(self, part: str, **slots: Slot) -> str:
        """Return a text of the pack's table ``part``, with its slots filled."""
        return self.context.pack.part(part).render(plain_slots(slots)).strip()

    def pose_question(self, agent: Agent) -> str:
        """Return the question as ``ask`` would put it to an agent."""
        exchange = self._open(agent, "answer", {})
        return exchange.prompter.pose(agent, exchange.beside)

    async def relay(
        self, agent: Agent, step: str, messages: Sequence[Message], reads: Iterable[View] = ()
    ) -> View:
        """Send messages that a framework has composed to one agent, as they are.

        The call takes the same path as any other.

        Args:
            agent: the agent, seated with ``remembers=False``, since nothing is added here.
            step: the pack's prompt that says how the reply is parsed; ``"answer"`` as any answer.
            messages: all that is sent.
            reads: the earlier views that stand in them.

        Raises:
            ModelError: the model gave no reply.
        """
        views = list(reads)
        heard = {view.turn.id: view.answer for view in views}
        draft = PromptForm(tuple(messages), tuple(messages[-1:]), heard, tuple(heard.items()))
        exchange = self._open(agent, step, {})
        agent.round += 1
        exchange.prompt = Prompt(exchange.template, self.question, iter([draft]), views, None)
        exchange.number = self.turns.take()
        return keep(await self._hooks.fetch(exchange))

    def leave_out(self, agents: Sequence[Agent], why: str, other: View | None = None) -> None:
        """Record that agents are not asked.

        Args:
            agents: who they are; empty where all are asked, though there is a reason not to.
            why: the reason in a few words.
            other: another agent's view that they take over.
        """
        names = tuple(agent.seat.agent for agent in agents)
        self._note("kept", why, agents=names, turn=other and other.turn.id)

    def dismiss(self, agents: Sequence[Agent], why: str) -> None:
        """Record that agents take no further part: they have no vote, and nothing asks them again.

        Args:
            agents: who they are; nothing is recorded where there are none.
            why: the reason in a few words.
        """
        names = tuple(agent.seat.agent for agent in agents)
        if names:
            self.gone.update(agents)
            self._note("dismissed", why, agents=names)

    def accepts(self, gate: Gate, views: Views) -> bool:
        """Return whether a gate accepts the first round, and record what it says."""
        return self.settle("gate", gate(views, self.question))

    def ends(self, stop: Stop, views: Views) -> bool:
        """Return whether a stop ends the debate after these views, and record what it says."""
        return self.settle("stop", stop(views, self.question))

    def record_count(self, counted: Reading, why: str) -> None:
        """Record what ballots, marks or weights add up to.

        Args:
            counted: the figures.
            why: how they were counted, in a few words.
        """
        self._note("count", why, reading=counted)

    def record_dissent(
        self, view: View, why: str, *, signal: float | None = None, threshold: float | None = None
    ) -> None:
        """Record that a reply contradicts the others; the debate's answer shows it to people.

        Args:
            view: the reply.
            why: what it contradicts, in a few words.
            signal: the number by which it does; None where there is none.
            threshold: what that was compared with.
        """
        who, turn = (view.agent.seat.agent,), view.turn.id
        self._note("dissent", why, agents=who, turn=turn, signal=signal, threshold=threshold)

    def get_given(self, stage: str) -> Any:  # noqa: ANN401 -- each stage has a content of its own
        """Return what is given of a stage; None where nothing is, asked or not."""
        return (self.context.settings.get("draft") or {}).get(stage)

    def asks(self, stage: str) -> bool:
        """Return whether a stage is asked: neither it is given nor a stage after it."""
        return stage not in (self.context.settings.get("draft") or {})

    def end_stage(self, stage: str) -> None:
        """End the debate here, without a verdict, where its setting ``until`` names this stage."""
        if self.context.settings.get("until") == stage:
            raise StageReached

    def until_stop(self, rounds: Iterable[int], stop: Stop | None = None) -> Iterator[int]:
        """Return the rounds, until one is the last: by a stop, or by what a person asks.

        What stops and people say is recorded. Without the setting ``stop``, and while nothing was
        said yet, every round is yielded. A person who follows the debate may ask for one more round
        than there are, if ``rounds`` is a range, or for none after this one.

        Args:
            rounds: the numbers of the rounds.
            stop: the protocol's own, beside those of the setting; it sees the newest views.
        """
        going = Rounds(rounds)
        if stop is not None:
            going.checks.append(lambda: bool(self.views) and self.ends(stop, self.newest))
        for each in self._hooks.rounds:
            each(self, going)
        return going

    @property
    def newest(self) -> Views:
        """The newest view of each debater that votes, by seat."""
        voting = (
            view
            for view in self.views
            if view.turn.votes and view.agent.seat.debater and view.agent not in self.gone
        )
        return Views(sorted(Views(voting).last, key=lambda view: view.agent.seat.number))

    def settle(self, what: NoteKind, ending: Ending | None) -> bool:
        """Return whether a gate or a stop accepts what was said, and record what it says."""
        if ending is None:
            return False
        self._note(what, ending.why, **{name: getattr(ending, name) for name in COMPARED})
        return ending.ends

    def _note(self, what: NoteKind, why: str, **more: Any) -> None:  # noqa: ANN401 -- the fields of ``Noted``
        after, node = self.newest_turn, self.context.node
        self.record(Noted(what=what, why=why, after=after, node=node, **more))

    def decide(self, views: Views, rule: str) -> Verdict:
        """Return the verdict of a decision rule over the final views of those who vote.

        Args:
            views: one of each agent that votes, by seat.
            rule: the rule's name, or the name with options such as ``"last-k?k=3"``; usually the
                protocol's setting ``decision``.
        """
        chosen, options = find_rule(rule)
        said, judges = views, Views()
        if chosen.options:
            voters = {view.agent.seat.number for view in views}
            spoken = sorted(self.views, key=lambda view: view.turn.id)
            said = Views(view for view in spoken if view.agent.seat.number in voters)
            judges = Views(view for view in spoken if is_judge(view))
        return chosen.apply(views, self.question, said, options, judges)

    def keep(self, agents: Sequence[Agent], why: str, other: View | None = None) -> Views:
        """Record that agents are not asked in this round, and return what stands as their view.

        Args:
            agents: who they are; nothing is recorded where there are none.
            why: the reason in a few words, e.g. ``"with the majority"``.
            other: another agent's view that they take over; None where they keep their own.
        """
        if agents:
            self.leave_out(agents, why, other)
        if other is None:
            return Views(self.views).newest(agents)
        taken = Views(View(agent, other.turn) for agent in agents)
        self.views += taken
        return taken

    def enter(self, protocol: Protocol, settings: Mapping[str, Any]) -> "Debate":
        """Return a debate by another protocol in this one's place: its seats, turns and views.

        What is said in it stands in the transcript as this debate's own, and not as that of a
        sub-debate. Agents keep the models and settings that they have. Those that sit here already
        take no part; the others sit behind them, with the draws that they have without them.

        Args:
            protocol: one that this debate's protocol declares in ``runs``.
            settings: every setting in force, as ``Protocol.check`` gives them.
        """
        whole = protocol.read(settings)
        context = msgspec.structs.replace(
            self.context,
            pack=whole.pack(self.context.overlay),
            whole=whole,
            features=inherit(
                self.context.features,
                Inner(whole, in_place=True, is_first=not self.turns.agents),
            ),
        )
        if not self.turns.agents:
            return Debate(self.bare, context, self.record, views=self.views, within=self.within)
        behind = msgspec.structs.replace(context, seat=self.turns.next_seat, turn=self.turns.last)
        entered = Debate(
            self.bare,
            behind,
            self.record,
            views=self.views,
            within=self.within,
            draws_from=self.turns.first,
        )
        entered.gone = self.gone
        return entered

    async def run(
        self,
        protocol: str,
        question: Question | None = None,
        *,
        name: str = "",
        given: Views = Views(),  # noqa: B008 -- it is empty and cannot change
        seats: int | None = None,
        **settings: Any,  # noqa: ANN401 -- a setting is anything
    ) -> "SubDebate":
        """Run another protocol as a debate of its own within this one, and return its outcome.

        It has its own agents, on seats and turns of their own, whose names begin with its name.
        The first sub-debate of a protocol that has seated no agent yet has the seats from 0, and
        shares its draws with the same protocol outside of any debate.

        Args:
            protocol: the name of any registered protocol.
            question: what it debates; by default the question of this debate.
            name: of the sub-debate, by default the protocol's, with a number from the second on.
            given: views that its debaters are shown beside the question.
            seats: the most seats that it may take, those of its own sub-debates included; by
                default 1000, and within a sub-debate of 1000 seats or fewer a tenth of them.
            settings: of its protocol. Settings of agents, such as the model and the temperature,
                are those of this debate where they are not given.

        Raises:
            InputError: a setting that the protocol does not take, or a protocol that this one does
                not declare in ``runs``.
        """
        context, number = self.context, self._planned + 1
        chosen = find_protocol(protocol, context.whole.runs)
        planned = self.plan(
            chosen,
            chosen.check(
                pass_on(context.settings, chosen) | settings,
                where=f"sub-debate {protocol}",
                overlay=context.overlay,
            ),
            name=name or (f"{protocol}-{number}" if number > 1 else protocol),
            question=question,
            seats=seats,
        )
        return await planned.run(given)

    def plan(
        self,
        protocol: Protocol,
        settings: Mapping[str, Any],
        *,
        name: str,
        question: Question | None = None,
        seats: int | None = None,
        layer: int = 1,
        sweep: int = 1,
    ) -> "PlannedDebate":
        """Set seats and turns aside for a sub-debate, and return it; it can be run later.

        Sub-debates that run at the same time are planned first, one after the other: then their
        seats and turns do not depend on which of them is faster.

        Args:
            protocol: of the sub-debate.
            settings: every setting in force, as ``Protocol.check`` gives them.
            name: of the sub-debate.
            question: what it debates; by default the question of this debate.
            seats: the most seats that it may take; None as for ``run``.
            layer: the longest way to it in a network, from 1.
            sweep: how often a sub-debate of this name has been planned, this one included.
        """
        inner = plan_context(
            self.context,
            protocol.read(settings),
            node=name if sweep == 1 else f"{name}.{sweep}",
            seat=self.turns.next_seat,
            turn=self.turns.last,
            seats=seats,
            apart=question is not None,
        )
        planned = PlannedDebate(
            begin=Debate,
            protocol=protocol,
            question=question or self.bare,
            context=inner,
            listen=self.record,
            within=self.within,
            name=name,
            place=self._planned,
            layer=layer,
            sweep=sweep,
        )
        assert inner.turns is not None
        self.turns.set_aside(inner.seats, inner.turns)
        self._planned += 1
        return planned


def _join(lines: Iterable[Line], exchange: Exchange) -> str:
    """Return the paragraphs that features have for a prompt."""
    return "\n\n".join([text for line in lines if (text := line(exchange))])
