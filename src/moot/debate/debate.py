"""A debate under way: seats agents, puts prompts to them, and writes the transcript."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from moot.core.events import Seat, Seated, Verdict
from moot.core.messages import Message
from moot.core.questions import Question
from moot.core.texts import clean
from moot.debate import prompt_context
from moot.debate.agents import Agent, AgentConfig, Exchange, Memory
from moot.debate.asking import Asked, Asking
from moot.debate.context import DebateContext, Listener
from moot.debate.decision import registry as decisions
from moot.debate.gather_all import gather_all
from moot.debate.prompt_context import Slot
from moot.debate.views import View, Views
from moot.debate.window import Draft, drafts, views_in
from moot.parsing.shuffle import reordered, shown
from moot.prompts.packs import Step

T = TypeVar("T")


@dataclass(slots=True)
class Debate:
    """What a protocol works with: ``seat`` agents, then ``ask`` one or ``everyone``.

    Attributes:
        question: what is debated.
        floor: what the debate stands on.
        listen: is told each event as it happens.
        views: what was said so far, in the order in which replies arrived.
    """

    question: Question
    floor: DebateContext
    listen: Listener
    views: list[View] = field(default_factory=list)
    _agents: list[Agent] = field(default_factory=list)
    _asked: Asked = field(default_factory=Counter)
    _turns: int = 0
    _first: int = 0
    _common: dict[str, Any] = field(default_factory=dict)
    _alike: dict[tuple[Step, str], tuple[Message, ...]] = field(default_factory=dict)
    _shots: dict[Step, tuple[Message, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._turns, self._first = self.floor.turn, self.floor.seat
        self._common = prompt_context.posed(self.floor, self.question)

    def seat(
        self,
        role: str,
        count: int = 1,
        *,
        remembers: bool = True,
        memory: Memory = "chat",
        debater: bool = True,
        cooler: float = 0.0,
        labels: Callable[[int], str | None] | None = None,
        **slots: Slot | Callable[[int], Slot],
    ) -> list[Agent]:
        """Let ``count`` agents of one role take the next seats.

        They are called ``role-1``, ``role-2``, … where there are several, else by their role.

        Their system message is, a paragraph each: the system messages of the conversation that the
        question goes on with, the role's own, the agent's persona; there is none without any.

        Args:
            role: their role; its system message, if the pack has one, is theirs.
            count: how many.
            remembers: False for agents whose every prompt holds all they need.
            memory: what an agent that remembers has before it: its whole conversation, or its first
                prompt and its last reply alone.
            debater: False for agents that hold no answer of their own: they judge, moderate, sum
                up, recruit. The transcript records it, and metrics of debaters leave them out. In a
                node of a network they do not see the other nodes' verdicts.
            cooler: how far below the debate's temperature they speak; never below 0, and not where
                an agent has a temperature of its own.
            labels: what the others call them, counted from 0; else "Agent" and the seat's number,
                or the role of one alone.
            slots: what the system message's slots are filled with; a function is asked for each of
                them, counted from 0.
        """
        floor = self.floor
        system = floor.pack.role(role)
        given = tuple((view.turn.id, view.answer) for view in floor.given) if debater else ()
        shown = self._common if debater else self._without_given()
        told, history = prompt_context.conversation(self.question)
        for index in range(count):
            here = len(self._agents)
            voice = _cooled(floor.voice(here, role), cooler)
            name = f"{role}-{index + 1}" if count > 1 else role
            label = f"Agent {here + 1}" if count > 1 else role.replace("-", " ").title()
            label = (labels and labels(index)) or label
            text = ""
            if system is not None:
                filled = {name: _for(index, slot) for name, slot in slots.items()}
                common = prompt_context.filled(shown, system, voice, floor.pack)
                common = common | {"label": label, "style": voice.style}
                text = clean(system.render(common | prompt_context.shown(filled)))
            if told or voice.persona:
                parts = (*told, text.rstrip(), clean(voice.persona))
                text = "\n\n".join([part for part in parts if part])
            seat = Seat(
                number=self._first + here,
                agent=f"{floor.node}/{name}" if floor.node else name,
                role=role,
                model=voice.model.name,
                node=floor.node,
                debater=debater,
            )
            agent = Agent(
                seat=seat,
                label=label,
                voice=voice,
                system=Message("system", text) if text.strip() else None,
                history=history,
                given=given,
                remembers=remembers,
                memory=memory,
                modulated=system is not None and system.modulates,
            )
            self._agents.append(agent)
            self.listen(Seated(seat=seat))
        return self._agents[len(self._agents) - count :]

    @property
    def key(self) -> tuple[int, int]:
        """What tells this debate from others on the same question: base seed and replicate."""
        return self.floor.settings["seed"], self.floor.replicate

    @property
    def asked(self) -> int:
        """The id of the newest turn that was asked for; 0 where none was."""
        return self._turns if self._turns > self.floor.turn else 0

    def reserve(self, *, seats: int, turns: int) -> None:
        """Leave the next seats and turns to debates within this one."""
        self._first += seats
        self._turns += turns

    async def ask(
        self,
        agent: Agent,
        step: str,
        *,
        order: tuple[int, ...] = (),
        in_round: int = 0,
        keys: tuple[str, ...] = (),
        **slots: Slot,
    ) -> View:
        """Put one prompt to one agent and take in its reply.

        Args:
            agent: who is asked; it keeps prompt and reply, if it remembers.
            step: the pack's prompt, or a style; ``"answer"`` is the agent's own style.
            order: shows the choices of the question in this order, places counted from 0; the
                answer is taken back to the original letter.
            in_round: the round that the turn belongs to, from 1; by default the one after that of
                the agent's last turn. For a judge who is asked again when the rounds are over.
            keys: what a ruling may call the sides, where not affirmative and negative.
            slots: what the prompt's slots are filled with; views given here count as read.

        Raises:
            ModelError: the model gave no reply; ``ContextTooLong`` where even the shortest form of
                the prompt does not fit.
        """
        floor = self.floor
        prompt = floor.pack.step(agent.voice.style if step == "answer" else step)
        asked = reordered(self.question, order) if order else self.question
        common = self._shown(agent, asked, order)
        opening = () if not floor.opening else self._opening(agent, order)
        agent.turns = in_round or agent.turns + 1
        if opening:
            common = prompt_context.initialised(common, opening, asked, floor.pack)
        examples = self._example_messages(agent, prompt) if "examples" in common else ()
        if examples:
            common = common | {"examples": ()}
        common = prompt_context.filled(common, prompt, agent.voice, floor.pack)
        common = common | {"label": agent.label, "style": agent.voice.style}
        filled = {name: prompt_context.views(slot) for name, slot in slots.items()}
        plain = not (slots or order or opening or floor.given)
        alike = self._asked_alike(agent, prompt) if plain else None

        def render(slots: dict[str, Any]) -> tuple[Message, ...]:
            if alike is not None and alike in self._alike:
                return self._alike[alike]
            text = prompt.render(
                prompt_context.with_kept(common | prompt_context.shown(slots), prompt)
            )
            message = Message(
                "user", clean(prompt_context.asking(text, common) if opening else text)
            )
            if alike is not None:
                self._alike[alike] = (*examples, message)
            return (*examples, message)

        ways, seen = drafts(agent, common["question"], filled, render), [*views_in(filled)]
        view = await self._put(agent, step, prompt, asked, order, opening, ways, seen, keys)
        if prompt.kept is not None and agent.remembers:
            kept = clean(prompt.kept.render(common | prompt_context.shown(filled)).strip())
            exchange = msgspec.structs.replace(
                agent.past[-1], prompt=(*examples, Message("user", kept))
            )
            agent.past[-1] = exchange
        return view

    def incoming(self) -> Views:
        """What other nodes of a network came to, as replies of a debate: numbered, of no round.

        The question that agents seated from now on see does not show it any more.
        """
        came = self.floor.given.anonymous()
        self.floor = msgspec.structs.replace(self.floor, given=Views())
        self._common = prompt_context.posed(self.floor, self.question)
        return came

    def _shown(self, agent: Agent, asked: Question, order: tuple[int, ...]) -> dict[str, Any]:
        """What every prompt of an agent may show: what other nodes came to, where it debates."""
        if order:
            return prompt_context.posed(self.floor, asked, order, given=bool(agent.given))
        return self._common if agent.given or not self.floor.given else self._without_given()

    def _without_given(self) -> dict[str, Any]:
        """What the prompts of agents that do not debate may show."""
        if not self.floor.given:
            return self._common
        return prompt_context.posed(self.floor, self.question, given=False)

    def _example_messages(self, agent: Agent, prompt: Step) -> tuple[Message, ...]:
        """The worked examples as messages; empty where the prompt shows them, or none."""
        if self.floor.settings["shots_as"] == "message":
            return ()
        shows = prompt.poses or prompt.states
        style = self.floor.pack.step(agent.voice.style) if shows else prompt
        if style not in self._shots:
            self._shots[style] = prompt_context.as_messages(self._common["examples"], style)
        return self._shots[style]

    def _asked_alike(self, agent: Agent, prompt: Step) -> tuple[Step, str] | None:
        """By what a prompt that shows nothing but the question is known to be the same again."""
        style = agent.voice.style
        named = prompt.labels or (prompt.poses and self.floor.pack.step(style).labels)
        return None if named else (prompt, style)

    def posed(self, agent: Agent) -> str:
        """The question as ``ask`` would put it to this agent: in its style, with its opening."""
        floor, opening = self.floor, self._opening(agent, ())
        common = self._common
        if opening:
            common = prompt_context.initialised(common, opening, self.question, floor.pack)
        prompt = floor.pack.step(agent.voice.style)
        text = prompt.render(prompt_context.filled(common, prompt, agent.voice, floor.pack))
        return clean(prompt_context.asking(text, common) if opening else text)

    async def relay(
        self, agent: Agent, step: str, messages: Sequence[Message], reads: Iterable[View] = ()
    ) -> View:
        """Put messages that somebody else has composed to one agent, as they are.

        For frameworks that write their own prompts: the call takes the same path as any other.

        Args:
            agent: who is asked; seated with ``remembers=False``, since nothing is added here.
            step: the pack's prompt that says how the reply is read; ``"answer"`` as any answer.
            messages: all that is sent.
            reads: what was said before and stands in them.

        Raises:
            ModelError: the model gave no reply.
        """
        prompt = self.floor.pack.step(agent.voice.style if step == "answer" else step)
        opening = self._opening(agent, ())
        agent.turns += 1
        views = list(reads)
        heard = {view.turn.id: view.answer for view in views}
        draft = Draft(tuple(messages), tuple(messages[-1:]), heard, tuple(heard.items()))
        return await self._put(
            agent, step, prompt, self.question, (), opening, iter([draft]), views
        )

    async def _put(
        self,
        agent: Agent,
        step: str,
        prompt: Step,
        asked: Question,
        order: tuple[int, ...],
        opening: tuple[str, ...],
        ways: Iterator[Draft],
        seen: Sequence[View],
        keys: tuple[str, ...] = (),
    ) -> View:
        """Take a prompt to an agent's model and its reply into the transcript."""
        floor = self.floor
        self._turns += 1
        number = self._turns
        asking = Asking(
            agent=agent,
            step=step,
            reads_as=floor.pack.reads_as(prompt, agent.voice.style),
            question=asked,
            order=order,
            number=number,
            replicate=floor.replicate,
            debate=floor.number,
            opening=opening,
            seen=seen,
            keys=keys,
        )
        if agent.modulated or prompt.modulates:
            asking = msgspec.structs.replace(asking, agreement=floor.settings.get("agreement"))
        draft, reply, call = await asking.reply(floor.path, ways, self._asked)
        parsed = asking.parse(reply)
        turn = asking.turn(draft, reply, call, parsed)
        agent.answer = parsed.answer
        if agent.remembers:
            said, own = Message("assistant", reply.text), (number, parsed.answer)
            agent.past.append(Exchange(draft.prompt, said, draft.shown, own))
        self.listen(turn)
        view = View(agent, turn)
        self.views.append(view)
        return view

    def _opening(self, agent: Agent, order: tuple[int, ...]) -> tuple[str, ...]:
        """The values that an agent is asked about, as it is shown them, before it first speaks."""
        roles, seat = self.floor.opened, agent.seat
        if agent.turns or not (seat.role in roles if roles else seat.number == 0):
            return ()
        return tuple([shown(value, order) or value for value in self.floor.opening])

    async def everyone(
        self,
        agents: Iterable[Agent],
        step: str,
        *,
        order: Callable[[Agent], tuple[int, ...]] = lambda _: (),
        **slots: Slot | Callable[[Agent], Slot],
    ) -> Views:
        """Put one prompt to several agents at once: nobody reads what is said in this round.

        A slot, like the order, may be a function of the agent. When a call fails, the others still
        come in and are recorded; then the failure of the lowest seat is raised.
        """
        asked = [
            self.ask(
                agent,
                step,
                order=order(agent),
                in_round=0,
                keys=(),
                **{name: _for(agent, slot) for name, slot in slots.items()},
            )
            for agent in agents
        ]
        return Views(await gather_all(asked))

    async def in_turn(
        self, agents: Iterable[Agent], step: str, history: Views, **slots: Slot
    ) -> Views:
        """Let agents speak one after the other, each over all that was said; all of it, then."""
        for agent in agents:
            said = await self.ask(
                agent, step, order=(), in_round=0, keys=(), history=history, **slots
            )
            history = history.then(said)
        return history

    def decide(self, views: Views, rule: str) -> Verdict:
        """Return the verdict of a decision rule over the final views of those who vote.

        Args:
            views: one of each agent that votes, by seat.
            rule: the rule's name, usually the protocol's setting ``decision``.
        """
        chosen = decisions.get(rule)
        history = views
        if chosen.needs_history:
            voters = {view.agent for view in views}
            spoken = (view for view in self.views if view.agent in voters)
            history = Views(sorted(spoken, key=lambda view: view.turn.id))
        return chosen.apply(views, self.question, history, {})


def _cooled(voice: AgentConfig, cooler: float) -> AgentConfig:
    temperature = voice.sampling.temperature
    if not cooler or temperature is None or voice.tempered:
        return voice
    lower = max(0.0, round(temperature - cooler, 6))
    sampling = msgspec.structs.replace(voice.sampling, temperature=lower)
    return msgspec.structs.replace(voice, sampling=sampling)


def _for(who: T, slot: Slot | Callable[[T], Slot]) -> Slot:
    return slot(who) if callable(slot) else slot
