"""An exchange: what one agent is asked in one turn, and what it answers."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from moot.core.calls import Call, Draw, Reply, Scene, identity
from moot.core.errors import ContextTooLong
from moot.core.events import GIVEN, Turn
from moot.core.messages import Message
from moot.debate.agents import Agent, Remembered
from moot.debate.context import DebateContext, Listener
from moot.debate.prompting import Prompt, Prompter, Slot
from moot.debate.sent_prompts import SentPrompt
from moot.debate.views import View
from moot.debate.window import PromptForm, free_tokens
from moot.parsing.apart import APART, call_apart
from moot.parsing.parser import Parsed, Parser
from moot.parsing.shuffle import restore_letter, show_letter
from moot.prompts.packs import Step


class Turns:
    """The turns and seats of a debate so far, within what is set aside for it.

    Attributes:
        context: of the debate.
        record: a function that is called with each event as it happens.
        views: all turns so far, in the order in which replies arrived.
        agents: all that are seated, by seat.
        asked: the number of earlier calls with the same prompt by the same seat, by the identity of
            the first of them.
        first: the number of the first agent's seat; larger by the seats of sub-debates.
        last: the number of the newest turn, those set aside for sub-debates included.
    """

    __slots__ = ("agents", "asked", "context", "first", "last", "record", "views")

    def __init__(self, context: DebateContext, record: Listener, views: list[View]) -> None:
        self.context, self.record, self.views = context, record, views
        self.agents: list[Agent] = []
        self.asked: Counter[bytes] = Counter()
        self.first, self.last = context.seat, context.turn

    @property
    def next_seat(self) -> int:
        """The number of the next agent's seat."""
        return self.first + len(self.agents)

    @property
    def newest(self) -> int:
        """The id of the newest turn that was asked for; 0 where none was."""
        return self.last if self.last > self.context.turn else 0

    def take(self) -> int:
        """Return the number of the next turn."""
        self.last += 1
        if self.context.turns is not None:
            self.context.check_room(self.last, self.first + len(self.agents))
        return self.last

    def set_aside(self, seats: int, turns: int) -> None:
        """Leave so many seats and turns to a sub-debate."""
        self.first += seats
        self.last += turns
        self.context.check_room(self.last, self.next_seat)


@dataclass(slots=True, eq=False)
class Exchange:
    """What one agent is asked in one turn, and what it answers.

    Attributes:
        turns: of the debate.
        prompter: of the agent; it renders the prompt.
        agent: the agent that is asked.
        step: the protocol's name for it; ``"answer"`` in every style.
        template: of the prompt.
        parser: reads the reply.
        slots: what fills the template.
        votes: False if the answer is not the agent's own, as in a critique or a ballot.
        about: the id of the question, where it is not the debate's own.
        reads: views that stand in the slots as plain text.
        order: of the question's options as shown; empty for the original one.
        opening: the values of which it asks whether they are the right answer.
        keys: what a ruling may call the sides, if not affirmative and negative; or the forms and
            the labels of a ballot.
        beside: the paragraphs that features have with the question.
        ending: the paragraphs that features put at the end of the prompt.
        number: of the turn.
        prompt: what would be sent, in ever shorter forms.
        logprobs: whether the probabilities of the reply's tokens are asked for.
        longest: the most tokens of the reply; None for those of the agent's setting.
        is_remembered: False where the agent's later prompts do not show it.
        form: of the prompt, as it was sent.
        reply: the reply.
        call: the call's id; empty where the reply was given.
        share: of the form that repeats the beginning of a prompt that was sent before.
        parsed: the answer of the reply, and its reading.
        after: exchanges that are kept after this one; this one stays the agent's newest.
    """

    turns: Turns
    prompter: Prompter
    agent: Agent
    step: str
    template: Step
    parser: Parser
    slots: Mapping[str, Slot]
    votes: bool = True
    about: str = ""
    order: tuple[int, ...] = ()
    reads: Sequence[View] = ()
    beside: str = ""
    opening: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    ending: str = ""
    number: int = 0
    prompt: Prompt = field(init=False)
    logprobs: bool = False
    longest: int | None = None
    is_remembered: bool = True
    form: PromptForm = field(init=False)
    reply: Reply = field(init=False)
    call: str = ""
    share: float = 0.0
    parsed: Parsed = field(init=False)
    after: Sequence["Exchange"] = ()

    @property
    def is_answer(self) -> bool:
        """Whether the reply is the agent's own answer, to this question or to another."""
        return self.votes and (self.agent.seat.debater or bool(self.about))

    def compose(self) -> None:
        """Render the prompt, and take the number of its turn."""
        self.prompt = self.prompter.compose(
            self.agent, self.template, self.order, self.beside, self.slots, self.reads, self.ending
        )
        self.number = self.turns.take()

    def again(self, prompt: Prompt | None = None, step: str = "") -> "Exchange":
        """Return a further exchange of the same agent, which is no vote and is not remembered.

        Args:
            prompt: another one; by default the same is rendered again.
            step: its name, where it is another one.
        """
        further = replace(self, step=step or self.step, votes=False, is_remembered=False)
        if prompt is None:
            further.compose()
        else:
            further.prompt, further.number = prompt, self.turns.take()
        return further

    def limit_to_token(self) -> None:
        """Ask for a reply of one token, with its probability."""
        self.logprobs, self.longest = True, 1

    def fitting(self, window: int) -> Iterator[PromptForm]:
        """Yield the forms that may fit; always the shortest, unless the user set the window."""
        config, form = self.agent.config, None
        space = free_tokens(window, config.sampling.max_tokens)
        for form in self.prompt.drafts:
            if fits := form.fits(space):
                yield form
        assert form is not None
        if fits:
            return
        if config.window is not None:
            raise ContextTooLong(
                f"{self.agent.seat.agent}: with all but the question and the newest round left "
                f"out, the prompt still needs more than the {max(0, space)} tokens that "
                f"window = {window} leaves beside a reply of {window - space}"
            )
        yield form

    def make_call(self, form: PromptForm) -> tuple[Call, bytes, bytes]:
        """Return the call with its draw, its request, and its identity."""
        agent, context, question = self.agent, self.turns.context, self.prompt.question
        sampling, seat, messages = agent.config.sampling, agent.seat, form.messages
        changed: dict[str, Any] = {}
        schema = self.parser.schema
        if schema is not None:
            changed["schema"] = schema(question)
            if self.keys and (keyed := self.parser.keyed) is not None:
                changed["schema"] = keyed(changed["schema"], self.keys)
        if self.logprobs:
            changed["logprobs"] = True
        if self.longest is not None:
            changed["max_tokens"] = self.longest
        if tool_use := question.tool_use:
            messages = (*messages, *tool_use.following)
            changed["tools"] = tool_use.tools
        draw = Draw(context.replicate, seat.number if seat.draws_as is None else seat.draws_as)
        call = Call(
            model=agent.config.model.name,
            messages=messages,
            sampling=msgspec.structs.replace(sampling, **changed) if changed else sampling,
            draw=draw,
            scene=self._scene(form),
        )
        request = call.request()
        key = identity(request, draw)
        asked = self.turns.asked
        repeat = asked.get(key, 0)
        asked[key] = repeat + 1
        if repeat:
            draw = draw._replace(repeat=repeat)
            return msgspec.structs.replace(call, draw=draw), request, identity(request, draw)
        return call, request, key

    def _scene(self, form: PromptForm) -> Scene:
        """Return the place of this call in the debate: agent, step, round and so on."""
        agent, order, heard = self.agent, self.order, form.heard.values()
        more: dict[str, Any] = {}
        if agent.config.model.simulated:  # only simulated models read these
            prompt = self.prompt
            others = {view.agent: view for view in prompt.seen if view.agent is not agent}.values()
            more = {
                "own": show_letter(agent.answer, order),
                "others": tuple([show_letter(view.answer, order) for view in others]),
                "shown_as": tuple([view.shown_as for view in others]),
                "labels": tuple([view.agent.label for view in others]),
            }
            if agent.is_modulated or prompt.step.modulates:
                more["agreement"] = self.turns.context.settings.get("agreement")
        return Scene(
            question=self.prompt.question,
            agent=agent.seat.agent,
            role=agent.seat.role,
            step=self.step,
            round=agent.round,
            turn=self.number,
            heard=tuple([show_letter(each, order) for each in heard] if order else heard),
            reads_as=self.parser.name,
            opening=self.opening,
            **more,
        )

    def parse(self) -> Parsed:
        """Return the answer that the reply commits to, by the original letters, and its reading."""
        order, reply = self.order, self.reply
        heard: dict[str, str | None] = {}
        for view in self.prompt.seen:
            answer = view.turn.answer
            heard[view.agent.label] = show_letter(answer, order) if order else answer
        finished = reply.finish != "length"
        parsed = self.parser(reply.text, self.prompt.question, finished, heard, self.keys)
        if order:
            return Parsed(restore_letter(parsed.answer, order), parsed.reading)
        return parsed

    def turn(self) -> Turn:
        """Return the turn to record."""
        agent, reply, form, seen = self.agent, self.reply, self.form, self.prompt.seen
        seat = agent.seat
        return Turn(
            id=self.number,
            agent=seat.agent,
            seat=seat.number,
            role=seat.role,
            step=self.step,
            round=agent.round,
            model=seat.model if self.call else GIVEN,
            text=reply.text,
            answer=self.parsed.answer,
            reads=tuple([turn for turn in form.heard if turn > 0])  # others are composed
            if form.heard
            else (),
            call=self.call,
            finish=reply.finish,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cached_tokens=reply.cached_tokens,
            seconds=reply.seconds,
            cost=reply.cost,
            retries=reply.retries,
            replayed=reply.replayed,
            node=seat.node,
            removed=form.removed,
            order=self.order,
            thought=reply.thought,
            reasoning_tokens=reply.reasoning_tokens,
            parser=self.parser.name,
            reading=self.parsed.reading,
            prefix_share=self.share,
            batch=reply.batch,
            parts={view.turn.id: view.part for view in seen if view.part} if seen else {},
            votes=self.votes,
            about=self.about,
            tool_calls=reply.tool_calls,
        )


Fetch = Callable[[Exchange], Awaitable[Exchange]]
"""Makes an exchange's call and reads the reply. It records nothing."""


async def fetch(exchange: Exchange) -> Exchange:
    """Send a prompt in its longest form that fits, and read the reply; nothing is recorded.

    Raises:
        ModelError: the model gave no reply; ``ContextTooLong`` if the shortest form does not fit.
    """
    agent, context = exchange.agent, exchange.turns.context
    config, seat = agent.config, agent.seat.number
    model = config.model
    window = config.window or model.limits.context
    refused: list[ContextTooLong] = []
    for form in exchange.prompt.drafts if window is None else exchange.fitting(window):
        call, request, key = exchange.make_call(form)
        share = context.sent.share_of(call.model, call.messages, seat, form.heard)
        urgency = (-agent.round, context.number)
        try:
            exchange.reply = await context.path.reply(model, call, request, key, urgency=urgency)
        except ContextTooLong as error:  # the estimate was wrong: the model counts exactly
            refused = [error]
        else:
            break
    else:
        raise refused.pop()  # an error that this frame has would be held by its own traceback
    exchange.form, exchange.call, exchange.share = form, key.hex(), share
    kind = exchange.prompt.question.kind
    if kind in APART:  # it takes long: the event loop goes on
        exchange.parsed = await call_apart(kind, exchange.parse)
    else:
        exchange.parsed = exchange.parse()
    if exchange.logprobs:
        from moot.parsing.confidence import add_probability  # of p-true alone

        exchange.parsed = add_probability(exchange.parsed, exchange.reply)
    return exchange


async def give(exchange: Exchange, text: str) -> Exchange:
    """Answer an exchange with given words: its prompt is not sent, and nothing is paid."""
    exchange.form = next(exchange.prompt.drafts)
    exchange.reply = Reply(text=text, prompt_tokens=0, completion_tokens=0, cost=0.0)
    exchange.parsed = await call_apart(exchange.prompt.question.kind, exchange.parse)
    return exchange


def keep(exchange: Exchange) -> View:
    """Record an exchange, let its agent remember it, and return the view of its turn."""
    agent, form, turns = exchange.agent, exchange.form, exchange.turns
    turn = exchange.turn()
    said = Message("assistant", turn.text)
    if exchange.votes:
        agent.answer = turn.answer
    if exchange.call:
        sent = SentPrompt(turn.model, (*form.messages, said))
        turns.context.sent.add(turn.id, turn.seat, sent)
    if agent.remembers and exchange.is_remembered:
        own = (turn.id, turn.answer)
        shown = exchange.prompt.kept or form.prompt
        agent.past.append(Remembered(shown, said, form.shown, own))
    turns.record(turn)
    view = View(agent, turn)
    for each in exchange.after:
        keep(each)
    turns.views.append(view)
    return view
