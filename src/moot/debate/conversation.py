"""A conversation of agents: they take seats, are sent prompts, and their replies are recorded."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from moot.core.events import Seat, Seated
from moot.core.messages import Message
from moot.core.questions import Question
from moot.debate.agent_config import cool_config
from moot.debate.agents import Agent, AgentMemory
from moot.debate.asked_confidence import (
    CONSISTENCY,
    count_further,
    find_further,
    find_scale,
)
from moot.debate.gather_all import gather_all
from moot.debate.prompting import (
    Prompt,
    Prompter,
    Slot,
    fill_for,
    find_opening,
    plain_slots,
    split_conversation,
    tag_views,
)
from moot.debate.shown_evidence import (
    EMPTY_EVIDENCE,
    EvidenceSource,
    FoundEvidence,
    find_source,
    pose_with_passages,
)
from moot.debate.tool_use import ToolSender
from moot.debate.views import View, Views
from moot.debate.window import PromptForm


@dataclass(slots=True)
class Conversation(ToolSender):
    """Seats agents, and asks them; the part of a debate that makes calls.

    Attributes:
        draws_from: the seat whose draws the first agent's calls share, the next one those of the
            next seat; None where each has its own.
        tag: a function that changes each view before another agent is shown it; None for none.
        bare: the question as it was asked: ``question`` has the passages of documents that all
            agents read before it.
    """

    draws_from: int | None = None
    tag: Callable[[View], View] | None = None
    bare: Question = field(init=False)
    prompter: Prompter = field(init=False)
    _prompters: dict[EvidenceSource | None, Prompter] = field(default_factory=dict)
    _ahead: list[View] = field(default_factory=list)
    _answered: dict[Agent, View] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._turns, self._first = self.context.turn, self.context.seat
        self.bare = self.question
        self._pose()

    def _pose(self) -> None:
        """Make anew what the question is put with: for all agents, and for those of own sources."""
        self._prompters.clear()
        self.prompter = self._prompter(find_source(self.context.settings))
        self.question = self.prompter.question

    def _prompter(self, source: EvidenceSource | None) -> Prompter:
        """Return what puts the question to agents that read from a source; None for no source."""
        if source not in self._prompters:
            passages = () if source is None else self.context.evidence.get(source, ())
            posed = pose_with_passages(self.bare, passages, self.context.pack)
            self._prompters[source] = Prompter(self.context, posed)
        return self._prompters[source]

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
        context = self.context
        template = context.pack.role(role)
        given = tuple((view.turn.id, view.answer) for view in context.given) if debater else ()
        _, history = split_conversation(self.question)
        seated = []
        for index in range(count):
            if self._ahead:
                seated.append(self._take_over(remembers=remembers, memory=memory))
                continue
            place = len(self._agents)
            config = cool_config(context.config_of(place, role), cooler)
            several = count > 1 or after is not None
            name = f"{role}-{(after or 0) + index + 1}" if several else role
            label = f"Agent {place + 1}" if several else role.replace("-", " ").title()
            label = (labels and labels(index)) or label
            filled = {name: fill_for(index, slot) for name, slot in slots.items()}
            seat = Seat(
                number=self._first + place,
                agent=f"{context.node}/{name}" if context.node else name,
                role=role,
                model=config.model.name,
                node=context.node,
                debater=debater,
                draws_as=None if self.draws_from is None else self.draws_from + place,
            )
            agent = Agent(
                seat=seat,
                label=label,
                config=config,
                system=self._prompter(config.source).system(
                    template, config, label, filled, debater=debater
                ),
                history=history,
                given=given,
                remembers=remembers,
                memory=memory,
                is_modulated=template is not None and template.modulates,
            )
            self._agents.append(agent)
            seated.append(agent)
            self.context.check_room(self._turns, self._first + len(self._agents))
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
        opening = find_opening(self.context, agent, order) if self.context.opening else ()
        agent.round = in_round or agent.round + 1
        prompter, answers = self._prompter(agent.config.source), self.is_answer(agent, votes=votes)
        scale = find_scale(agent, prompter.find(agent, step), self.context, answers=answers)
        further = find_further(agent, self.context, votes=votes)
        tools = self._offer_tools(agent, prompter.find(agent, step), votes=votes)
        more = self._describe_tools(tools)
        prompt = prompter.compose(agent, step, order, opening, slots, reads, scale, more)
        asking = self._plan_turn(
            agent, step, prompt, order, opening, keys, votes=votes, scale=scale
        )
        if given is not None:
            return await self._keep_given(asking, prompt, given)
        if one_token:
            asking = asking.as_token()
        if further == CONSISTENCY:
            again = [
                prompter.compose(agent, step, order, opening, slots, reads, scale)
                for _ in range(count_further(self.context.settings))
            ]
            return await self._draw_again(asking, prompt, again)
        if further:
            return await self._check_answer(asking, prompt)
        if tools:
            return await self._ask_with_tools(asking, prompt, tools)
        return self._keep_turn(asking, prompt, *await self._fetch(asking, prompt))

    async def everyone(
        self,
        agents: Iterable[Agent],
        step: str,
        *,
        order: Callable[[Agent], tuple[int, ...]] = lambda _: (),
        reads: Callable[[Agent], Sequence[View]] = lambda _: (),
        keys: tuple[str, ...] = (),
        in_round: int = 0,
        votes: bool = True,
        **slots: Slot | Callable[[Agent], Slot],
    ) -> Views:
        """Send one prompt to several agents at once; none reads what is said in this round.

        A slot may be a function of the agent; ``order`` and ``reads`` are. When a call fails, the
        others still come in and are recorded; then the failure of the lowest seat is raised.
        """

        def ask(agent: Agent) -> Coroutine[Any, Any, View]:
            filled: dict[str, Any] = {name: fill_for(agent, slot) for name, slot in slots.items()}
            return self.ask(
                agent,
                step,
                order=order(agent),
                reads=reads(agent),
                keys=keys,
                in_round=in_round,
                votes=votes,
                **filled,
            )

        return Views(await gather_all(map(ask, agents)))

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
        return self.context.settings["seed"], self.context.replicate

    @property
    def newest_turn(self) -> int:
        """The id of the newest turn that was asked for; 0 where none was."""
        return self._turns if self._turns > self.context.turn else 0

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
        if question is None or self.context.opening:
            return Views()
        found = await self.context.look_up(question, "neighbour")
        inner, seated = self.set_aside(
            question, agents, "neighbour", turns=len(agents), evidence=found
        )
        return await inner.everyone(seated, "answer")

    def set_aside(
        self,
        question: Question,
        agents: Sequence[Agent],
        name: str,
        *,
        turns: int,
        evidence: FoundEvidence = EMPTY_EVIDENCE,
    ) -> "tuple[Conversation, list[Agent]]":
        """Begin a conversation about another question in a node of this name, of so many turns.

        Args:
            question: what it is about.
            agents: of one role, which sit side by side. As many are seated in it, with their
                models, settings and draws. They are no debaters.
            name: of the node.
            turns: the most turns that it has.
            evidence: the passages of documents that its agents are shown.
        """
        node = f"{self.context.node}/{name}" if self.context.node else name
        first, like = self._first + len(self._agents), agents[0].seat
        apart = msgspec.structs.replace(
            self.context,
            node=node,
            seat=first,
            turn=self._turns,
            turns=None,
            given=Views(),
            steering=None,
            evidence=evidence,
        )
        inner = Conversation(
            question, apart, self.record, draws_from=like.number, about=question.id
        )
        self._first += len(agents)
        self._turns += turns
        self.context.check_room(self._turns, self._first + len(self._agents))
        return inner, inner.seat(like.role, len(agents), debater=False, remembers=False)

    def word(self, part: str, **slots: Slot) -> str:
        """Return a text of the pack's table ``part``, with its slots filled."""
        return self.context.pack.part(part).render(plain_slots(slots)).strip()

    def pose_question(self, agent: Agent) -> str:
        """Return the question as ``ask`` would put it to an agent."""
        prompter = self._prompter(agent.config.source)
        return prompter.pose(agent, find_opening(self.context, agent, ()))

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
        opening = find_opening(self.context, agent, ())
        agent.round += 1
        views = list(reads)
        heard = {view.turn.id: view.answer for view in views}
        draft = PromptForm(tuple(messages), tuple(messages[-1:]), heard, tuple(heard.items()))
        template = self.prompter.find(agent, step)
        prompt = Prompt(template, self.question, iter([draft]), views, None)
        asking = self._plan_turn(agent, step, prompt, (), opening)
        return self._keep_turn(asking, prompt, *await self._fetch(asking, prompt))
