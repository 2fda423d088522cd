"""A debate under way: seats agents, puts prompts to them, and writes the transcript."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import msgspec

from moot.answers.shuffle import reordered
from moot.core.calls import Message
from moot.core.errors import ModelError
from moot.core.events import Event, Seat, Seated
from moot.core.ports import Model
from moot.core.questions import Example, Question
from moot.core.texts import clean
from moot.debate.agents import Agent, Exchange, Heard, View, Views, Voice
from moot.debate.asking import Asked, Asking
from moot.debate.window import drafts, views_in
from moot.prompts.packs import Pack, Step
from moot.runtime.path import CallPath

T = TypeVar("T")
Listener = Callable[[Event], None]
Examples = Callable[[Mapping[str, Any]], Sequence[Example]]
Slot = View | Sequence[View] | Mapping[str, float] | str | float | None


def none(settings: Mapping[str, Any]) -> Sequence[Example]:  # noqa: ARG001 -- as every ``Examples``
    """No examples, whatever the settings."""
    return ()


@dataclass(slots=True, frozen=True, kw_only=True)
class Floor:
    """What a debate stands on: everything but the algorithm.

    Attributes:
        path: where every call goes.
        model: the model by name.
        voice: who speaks for the agent at a seat, counted from 0, with a role.
        pack: the prompts.
        overlay: the file of prompts that was laid over moot's, for the packs of nodes.
        settings: every setting in force.
        examples: by the settings of a debate, the worked examples that it shows.
        replicate: the study's repetition.
        number: the debate's place in the run: earlier ones are finished first.
        node: the node of a network this is; empty when it is none.
        seat: the number of its first seat.
        turn: the number of its first turn, less one.
        given: verdicts of other nodes that stand in the question.
    """

    path: CallPath
    model: Callable[[str], Model]
    voice: Callable[[int, str], Voice]
    pack: Pack
    overlay: Any = None
    settings: Mapping[str, Any]
    examples: Examples = none
    replicate: int = 0
    number: int = 0
    node: str = ""
    seat: int = 0
    turn: int = 0
    given: Views = field(default_factory=Views)


@dataclass(slots=True)
class Debate:
    """What a protocol works with: ``seat`` agents, then ``ask`` one or ``everyone``."""

    question: Question
    floor: Floor
    listen: Listener
    _agents: list[Agent] = field(default_factory=list)
    _asked: Asked = field(default_factory=Counter)
    _turns: int = 0
    _first: int = 0
    _common: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._turns, self._first = self.floor.turn, self.floor.seat
        self._common = self._posed(self.question)

    def seat(
        self,
        role: str,
        count: int = 1,
        *,
        remembers: bool = True,
        cooler: float = 0.0,
        labels: Callable[[int], str | None] | None = None,
        **slots: Slot | Callable[[int], Slot],
    ) -> list[Agent]:
        """Let ``count`` agents of one role take the next seats.

        They are called ``role-1``, ``role-2``, … where there are several, else by their role.

        Args:
            role: their role; its system message, if the pack has one, is theirs.
            count: how many.
            remembers: False for agents whose every prompt holds all they need.
            cooler: how far below the debate's temperature they speak; never below 0, and not where
                an agent has a temperature of its own.
            labels: what the others call them, counted from 0; else "Agent" and the seat's number,
                or the role of one alone.
            slots: what the system message's slots are filled with; a function is asked for each of
                them, counted from 0.
        """
        floor = self.floor
        system = floor.pack.role(role)
        given = tuple(Heard(view.turn.id, view.answer) for view in floor.given)
        for index in range(count):
            here = len(self._agents)
            voice = _cooled(floor.voice(here, role), cooler)
            name = f"{role}-{index + 1}" if count > 1 else role
            label = f"Agent {here + 1}" if count > 1 else role.replace("-", " ").title()
            label = (labels and labels(index)) or label
            text = ""
            if system is not None:
                filled = {name: _for(index, slot) for name, slot in slots.items()}
                common = self._filled(self._common, system, voice) | {"label": label}
                text = clean(system.render(common | _shown(filled)))
            seat = Seat(
                number=self._first + here,
                agent=f"{floor.node}/{name}" if floor.node else name,
                role=role,
                model=voice.model.name,
                node=floor.node,
            )
            agent = Agent(
                seat=seat,
                label=label,
                voice=voice,
                system=Message("system", text) if text.strip() else None,
                given=given,
                remembers=remembers,
            )
            self._agents.append(agent)
            self.listen(Seated(seat=seat))
        return self._agents[len(self._agents) - count :]

    @property
    def key(self) -> tuple[int, int]:
        """What tells this debate from others on the same question: base seed and replicate."""
        return self.floor.settings["seed"], self.floor.replicate

    def reserve(self, *, seats: int, turns: int) -> None:
        """Leave the next seats and turns to debates within this one."""
        self._first += seats
        self._turns += turns

    async def ask(
        self, agent: Agent, step: str, *, order: tuple[int, ...] = (), **slots: Slot
    ) -> View:
        """Put one prompt to one agent and take in its reply.

        Args:
            agent: who is asked; it keeps prompt and reply, if it remembers.
            step: the pack's prompt, or a style; ``"answer"`` is the agent's own style.
            order: shows the choices of the question in this order, places counted from 0; the
                answer is taken back to the original letter.
            slots: what the prompt's slots are filled with; views given here count as read.

        Raises:
            ModelError: the model gave no reply; ``ContextTooLong`` where even the shortest form of
                the prompt does not fit.
        """
        floor = self.floor
        prompt = floor.pack.step(agent.voice.style if step == "answer" else step)
        posed = reordered(self.question, order) if order else self.question
        common = self._posed(posed, order) if order else self._common
        common = self._filled(common, prompt, agent.voice) | {"label": agent.label}
        filled = {name: _views(slot) for name, slot in slots.items()}

        def render(slots: dict[str, Any]) -> Message:
            return Message("user", clean(prompt.render(common | _shown(slots))))

        self._turns += 1
        agent.turns += 1
        number = self._turns
        asking = Asking(agent, step, prompt, posed, order, number, floor.replicate, floor.number)
        ways = drafts(agent, clean(common["question"]), filled, render)
        draft, reply, call = await asking.reply(floor.path, ways, self._asked)
        reading = asking.read(reply, views_in(filled))
        turn = asking.turn(draft, reply, call, reading.answer)
        if agent.remembers:
            said, own = Message("assistant", reply.text), Heard(number, reading.answer)
            agent.past.append(Exchange(draft.prompt, said, draft.shown, own))
        self.listen(turn)
        return View(agent, turn, reading.said)

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
                **{name: _for(agent, slot) for name, slot in slots.items()},
            )
            for agent in agents
        ]
        return Views(await together(asked))

    async def in_turn(
        self, agents: Iterable[Agent], step: str, history: Views, **slots: Slot
    ) -> Views:
        """Let agents speak one after the other, each over all that was said; all of it, then."""
        for agent in agents:
            history = history.then(await self.ask(agent, step, order=(), history=history, **slots))
        return history

    def _filled(self, common: dict[str, Any], prompt: Step, voice: Voice) -> dict[str, Any]:
        """What every prompt may show, with the form of this one and the task in a voice's style."""
        if prompt.form is not None:
            common = common | {"form": prompt.form.render(common)}
        if prompt.poses:
            task = self.floor.pack.step(voice.style).render(common).strip()
            common = common | {"task": task}
        return common

    def _posed(self, question: Question, order: tuple[int, ...] = ()) -> dict[str, Any]:
        """What every prompt may show: the question, its form, examples, how far to agree."""
        floor = self.floor
        pack = floor.pack
        common: dict[str, Any] = {
            "question": pack.question(question),
            "form": pack.form(question),
            "value": pack.value(question),
            "agreement": pack.agreement(floor.settings.get("agreement")),
        }
        if floor.given:
            given = [_data(self._in_order(view, order) if order else view) for view in floor.given]
            common["question"] = pack.given(common["question"], given)
        if shown := floor.examples(floor.settings):
            common["examples"] = [pack.example(example) for example in shown]
        return common

    def _in_order(self, view: View, order: tuple[int, ...]) -> View:
        """A verdict of another node by the letter that its choice has in this order."""
        if view.answer is None:
            return view
        place = self.question.letters.index(view.answer)
        letter, choice = self.question.letters[order.index(place)], self.question.choices[place]
        return view.worded(f"({letter}) {choice}")


async def together(asked: Iterable[Any]) -> list[Any]:
    """What all of these come to, in their order; all end before the first failure is raised.

    What no model is to blame for, such as a budget that is reached, goes before what one is.
    """
    results = await asyncio.gather(*asked, return_exceptions=True)
    if failures := [result for result in results if isinstance(result, BaseException)]:
        models = {id(error): error for error in failures if isinstance(error, ModelError)}
        worst = next((error for error in failures if id(error) not in models), failures[0])
        if isinstance(worst, ModelError):
            worst.retries = sum(error.retries for error in models.values())
        raise worst
    return results


def _cooled(voice: Voice, cooler: float) -> Voice:
    temperature = voice.sampling.temperature
    if not cooler or temperature is None or voice.tempered:
        return voice
    lower = max(0.0, round(temperature - cooler, 6))
    sampling = msgspec.structs.replace(voice.sampling, temperature=lower)
    return replace(voice, sampling=sampling)


def _for(who: T, slot: Slot | Callable[[T], Slot]) -> Slot:
    return slot(who) if callable(slot) else slot


def _views(slot: Slot) -> Slot:
    """A plain list of views as ``Views``."""
    return Views(slot) if isinstance(slot, list | tuple) else slot


def _shown(slots: Mapping[str, Slot]) -> dict[str, Any]:
    return {name: _data(slot) for name, slot in slots.items()}


def _data(slot: Slot) -> Any:  # noqa: ANN401 -- whatever a template can show
    """A slot as plain data: all that a template may see of a view."""
    if isinstance(slot, View):
        return {
            "label": slot.agent.label,
            "text": slot.turn.text,
            "answer": slot.answer,
            "round": slot.turn.round,
        }
    if isinstance(slot, Views):
        return [_data(view) for view in slot]
    return slot
