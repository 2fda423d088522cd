"""A debate under way: seats agents, puts prompts to them, and writes the transcript."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import msgspec

from moot.answers.extract import extract
from moot.answers.ruling import read_ruling, ruling_schema
from moot.core.calls import Call, Draw, Message, Reply, Sampling, Scene, identity
from moot.core.errors import ModelError
from moot.core.events import Event, Seat, Seated, Turn
from moot.core.ports import Model
from moot.core.questions import Question
from moot.core.texts import clean
from moot.debate.agents import Agent, View, Views
from moot.prompts.packs import Pack, Step
from moot.runtime.path import CallPath

Listener = Callable[[Event], None]
RULINGS = ("ruling", "decision")
"""How the replies of judges are read: one that may leave the debate open, one that ends it."""
Slot = View | Views | str | int | float | None


@dataclass(slots=True, frozen=True, kw_only=True)
class Floor:
    """What a debate stands on: everything but the algorithm.

    Attributes:
        path: where every call goes.
        model: who speaks for an agent of a given role.
        pack: the prompts.
        style: the prompt style of an agent alone.
        sampling: how replies are drawn.
        replicate: the study's repetition.
        number: the debate's place in the run: earlier ones are finished first.
    """

    path: CallPath
    model: Callable[[str], Model]
    pack: Pack
    style: str
    sampling: Sampling
    replicate: int = 0
    number: int = 0


@dataclass(slots=True)
class Debate:
    """What a protocol works with: ``seat`` agents, then ``ask`` one or ``everyone``."""

    question: Question
    floor: Floor
    listen: Listener
    _agents: list[Agent] = field(default_factory=list)
    _asked: Counter[tuple[int, bytes]] = field(default_factory=Counter)
    _turns: int = 0
    _common: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pack, question = self.floor.pack, self.question
        self._common = {
            "question": pack.question(question),
            "form": pack.form(question),
            "value": pack.value(question),
        }

    def seat(self, role: str, count: int = 1) -> list[Agent]:
        """Let ``count`` agents of one role take the next seats.

        They are called ``role-1``, ``role-2``, … where there are several, else by their role.
        """
        model = self.floor.model(role)
        system = self.floor.pack.role(role)
        for index in range(count):
            name = f"{role}-{index + 1}" if count > 1 else role
            number = len(self._agents)
            seat = Seat(number=number, agent=name, role=role, model=model.name)
            label = f"Agent {number + 1}" if count > 1 else name
            agent = Agent(seat=seat, label=label, model=model)
            if system is not None:
                agent.memory.append(Message("system", clean(system.render(self._common))))
            self._agents.append(agent)
            self.listen(Seated(seat=seat))
        return self._agents[-count:]

    async def ask(self, agent: Agent, step: str, **slots: Slot) -> View:
        """Put one prompt to one agent and take in its reply.

        Args:
            agent: who is asked; it keeps prompt and reply in its memory.
            step: the pack's prompt; ``"answer"`` is the style in which an agent answers alone.
            slots: what the prompt's slots are filled with; views given here count as read.
        """
        prompt = self.floor.pack.style(self.floor.style) if step == "answer" else None
        prompt = prompt or self.floor.pack.step(step)
        self._turns += 1
        number = self._turns
        seen = list(_views(slots.values()))
        known = set(agent.read)
        for view in seen:
            if view.turn.id not in known:  # what it has in front of it already is nothing new
                known.add(view.turn.id)
                agent.read.append(view.turn.id)
                agent.heard.append(view.answer)
        filled = self._common | {name: _data(value) for name, value in slots.items()}
        message = Message("user", clean(prompt.render(filled)))
        agent.turns += 1
        call, request = self._call(agent, step, message, prompt)
        urgency = (-agent.turns, self.floor.number)
        reply = await self.floor.path.reply(agent.model, call, request, urgency=urgency)
        answer, preference = self._read(reply, prompt, seen)
        turn = _turn(number, agent, step, answer, reply, identity(request, call.draw).hex())
        agent.memory += (message, Message("assistant", reply.text))
        agent.read.append(number)
        agent.heard.append(answer)
        self.listen(turn)
        return View(agent, turn, preference)

    async def everyone(
        self, agents: Iterable[Agent], step: str, **slots: Slot | Callable[[Agent], Slot]
    ) -> Views:
        """Put one prompt to several agents at once: nobody reads what is said in this round.

        A slot may be a function of the agent. When a call fails, the others still come in and are
        recorded; then the failure of the lowest seat is raised.
        """
        asked = [
            self.ask(agent, step, **{name: _for(agent, slot) for name, slot in slots.items()})
            for agent in agents
        ]
        views = await asyncio.gather(*asked, return_exceptions=True)
        if failures := [view for view in views if isinstance(view, BaseException)]:
            models = [error for error in failures if isinstance(error, ModelError)]
            if failures[0] in models:
                models[0].retries = sum(error.retries for error in models)
            raise failures[0]
        return Views(view for view in views if isinstance(view, View))

    def _call(self, agent: Agent, step: str, message: Message, prompt: Step) -> tuple[Call, bytes]:
        """The call, with the draw that tells it from others like it, and its request."""
        floor = self.floor
        sampling = floor.sampling
        if prompt.reads_as in RULINGS:
            schema = ruling_schema(self.question, decides=prompt.reads_as == "decision")
            sampling = msgspec.structs.replace(sampling, schema=schema)
        seat = agent.seat
        draw = Draw(floor.replicate, seat.number)
        call = Call(
            model=agent.model.name,
            messages=(*agent.memory, message),
            sampling=sampling,
            draw=draw,
            scene=Scene(
                question=self.question,
                agent=seat.agent,
                role=seat.role,
                step=step,
                round=agent.turns,
                turn=self._turns,
                heard=tuple(agent.heard),
            ),
        )
        request = call.request()
        asked = (seat.number, blake2b(request, digest_size=16).digest())
        repeat = self._asked[asked]
        self._asked[asked] = repeat + 1
        if repeat:
            call = msgspec.structs.replace(call, draw=draw._replace(repeat=repeat))
        return call, request

    def _read(self, reply: Reply, prompt: Step, seen: list[View]) -> tuple[str | None, bool | None]:
        """What a reply commits to, and for a ruling whether it prefers a side."""
        finished = reply.finish != "length"
        if prompt.reads_as == "text":
            return None, None
        if prompt.reads_as in RULINGS:
            ruling = read_ruling(reply.text, self.question, finished)
            return (ruling.answer, ruling.preference) if ruling else (None, None)
        heard: Mapping[str, str | None] = {view.agent.label: view.answer for view in seen}
        return extract(reply.text, self.question, finished, heard=heard), None


def _views(slots: Iterable[Slot]) -> Iterable[View]:
    for slot in slots:
        if isinstance(slot, View):
            yield slot
        elif isinstance(slot, Views):
            yield from slot


def _for(agent: Agent, slot: Slot | Callable[[Agent], Slot]) -> Slot:
    return slot(agent) if callable(slot) else slot


def _data(slot: Slot) -> Any:  # noqa: ANN401 -- whatever a template can show
    """A slot as plain data: all that a template may see of a view."""
    if isinstance(slot, View):
        return {"label": slot.agent.label, "text": slot.turn.text, "answer": slot.answer}
    if isinstance(slot, Views):
        return [_data(view) for view in slot]
    return slot


def _turn(number: int, agent: Agent, step: str, answer: str | None, reply: Reply, key: str) -> Turn:
    """The record of a turn."""
    seat = agent.seat
    return Turn(
        id=number,
        agent=seat.agent,
        seat=seat.number,
        role=seat.role,
        step=step,
        round=agent.turns,
        model=seat.model,
        text=reply.text,
        answer=answer,
        reads=tuple(agent.read),
        call=key,
        finish=reply.finish,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cached_tokens=reply.cached_tokens,
        seconds=reply.seconds,
        cost=reply.cost,
        retries=reply.retries,
        replayed=reply.replayed,
    )
