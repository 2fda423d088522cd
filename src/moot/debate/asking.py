"""One prompt on its way to an agent, and its reply on the way back."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from moot.core.calls import Call, Draw, Reply, Scene, identity
from moot.core.errors import ContextTooLong
from moot.core.events import GIVEN, Turn
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.sent_prompts import SentPrompts
from moot.debate.views import View
from moot.debate.window import PromptForm, free_tokens
from moot.parsing.ballot import name_labels
from moot.parsing.parser import Parsed, registry
from moot.parsing.ruling import name_sides
from moot.parsing.shuffle import restore_letter, show_letter
from moot.runtime.path import CallPath

CallCounts = Counter[bytes]
"""The number of earlier calls with the same prompt by the same seat, by the first's identity."""


class Sent(NamedTuple):
    """What came of a prompt.

    Attributes:
        draft: the form of the prompt that was sent.
        reply: the reply.
        call: the call's id; empty where the reply was given.
        share: of the form that repeats the beginning of a prompt that was sent before.
    """

    draft: PromptForm
    reply: Reply
    call: str
    share: float


class CallRequest(msgspec.Struct, frozen=True, eq=False):
    """A prompt of one step to one agent.

    Attributes:
        agent: the agent that is asked.
        step: the protocol's name for it; ``"answer"`` in every style.
        reads_as: the name of the parser that reads its reply.
        question: as it is shown.
        order: of its options, if it is not the original one.
        number: of the turn.
        replicate: the study's repetition.
        debate: the debate's place in the run.
        opening: the values of which it asks whether they are the right answer.
        seen: the views that the prompt shows.
        agreement: how far it tells the agent to agree, in percent; None if it does not.
        keys: what a ruling may call the sides, if not affirmative and negative; or the forms and
            the labels of a ballot.
        votes: False if the answer is not the agent's own, as in a critique or a ballot.
        about: the id of the question, where it is not the debate's own.
        logprobs: whether the probabilities of the reply's tokens are asked for.
        longest: the most tokens of its reply; None for those of the agent's setting.
    """

    agent: Agent
    step: str
    reads_as: str
    question: Question
    order: tuple[int, ...]
    number: int
    replicate: int
    debate: int
    opening: tuple[str, ...] = ()
    seen: Sequence[View] = ()
    agreement: int | None = None
    keys: tuple[str, ...] = ()
    votes: bool = True
    about: str = ""
    logprobs: bool = False
    longest: int | None = None

    def again(self, number: int) -> "CallRequest":
        """Return another draw of the same prompt, as a turn that is no vote.

        Args:
            number: of the turn.
        """
        return msgspec.structs.replace(self, number=number, votes=False)

    def check(self, number: int, step: str) -> "CallRequest":
        """Return the request for one token about the answer, as a turn that is no vote.

        Args:
            number: of the turn.
            step: its name.
        """
        return msgspec.structs.replace(
            self.as_token(), number=number, step=step, reads_as="text", votes=False
        )

    def as_token(self) -> "CallRequest":
        """Return the request for a reply of one token, with its probability."""
        return msgspec.structs.replace(self, logprobs=True, longest=1)

    async def reply(
        self, path: CallPath, drafts: Iterator[PromptForm], asked: CallCounts, sent: SentPrompts
    ) -> Sent:
        """Return the reply to the longest form of the prompt that fits.

        Raises:
            ModelError: the model gave no reply; ``ContextTooLong`` if the shortest form does not
                fit.
        """
        agent = self.agent
        refused: list[ContextTooLong] = []
        voice = agent.config
        window = voice.window or voice.model.limits.context
        for draft in drafts if window is None else self._fitting(drafts, window):
            call, request, key = self._call(draft, asked)
            share = sent.share_of(call.model, call.messages, agent.seat.number, draft.heard)
            urgency = (-agent.round, self.debate)
            try:
                reply = await path.reply(agent.config.model, call, request, key, urgency=urgency)
            except ContextTooLong as error:  # the estimate was wrong: the model counts exactly
                refused = [error]
            else:
                return Sent(draft, reply, key.hex(), share)
        raise refused.pop()  # an error that this frame has would be held by its own traceback

    def _fitting(self, drafts: Iterator[PromptForm], window: int) -> Iterator[PromptForm]:
        """Find the drafts that may fit; always the shortest, unless the user set the window."""
        voice = self.agent.config
        space = free_tokens(window, voice.sampling.max_tokens)
        draft = None
        for draft in drafts:
            if fits := draft.fits(space):
                yield draft
        assert draft is not None
        if fits:
            return
        if voice.window is not None:
            raise ContextTooLong(
                f"{self.agent.seat.agent}: with all but the question and the newest round left "
                f"out, the prompt still needs more than the {max(0, space)} tokens that "
                f"window = {window} leaves beside a reply of {window - space}"
            )
        yield draft

    def _call(self, draft: PromptForm, asked: CallCounts) -> tuple[Call, bytes, bytes]:
        """Return the call with its draw, its request, and its identity."""
        agent, reads_as = self.agent, self.reads_as
        sampling, seat = agent.config.sampling, agent.seat
        schema = registry.get(reads_as).schema
        if schema is not None:
            form = schema(self.question)
            if self.keys:
                form = name_labels(name_sides(form, self.keys), self.keys)
            sampling = msgspec.structs.replace(sampling, schema=form)
        if self.logprobs:
            sampling = msgspec.structs.replace(sampling, logprobs=True)
        if self.longest is not None:
            sampling = msgspec.structs.replace(sampling, max_tokens=self.longest)
        messages = draft.messages
        if tool_use := self.question.tool_use:
            messages = (*messages, *tool_use.following)
            sampling = msgspec.structs.replace(sampling, tools=tool_use.tools)
        number = seat.number if seat.draws_as is None else seat.draws_as
        draw = Draw(self.replicate, number)
        call = Call(
            model=agent.config.model.name,
            messages=messages,
            sampling=sampling,
            draw=draw,
            scene=self._scene(draft),
        )
        request = call.request()
        key = identity(request, draw)
        repeat = asked[key]
        asked[key] = repeat + 1
        if repeat:
            draw = draw._replace(repeat=repeat)
            return msgspec.structs.replace(call, draw=draw), request, identity(request, draw)
        return call, request, key

    def _scene(self, draft: PromptForm) -> Scene:
        """Return the place of this call in the debate: agent, step, round and so on."""
        agent, order = self.agent, self.order
        scene = Scene(
            question=self.question,
            agent=agent.seat.agent,
            role=agent.seat.role,
            step=self.step,
            round=agent.round,
            turn=self.number,
            heard=tuple([show_letter(answer, order) for answer in draft.heard.values()]),
            reads_as=self.reads_as,
            opening=self.opening,
        )
        if not agent.config.model.simulated:  # only simulated models read the rest
            return scene
        others = {view.agent: view for view in self.seen if view.agent is not agent}.values()
        return msgspec.structs.replace(
            scene,
            own=show_letter(agent.answer, order),
            others=tuple([show_letter(view.answer, order) for view in others]),
            shown_as=tuple([view.shown_as for view in others]),
            labels=tuple([view.agent.label for view in others]),
            agreement=self.agreement,
        )

    def parse(self, reply: Reply) -> Parsed:
        """Return the answer a reply commits to, by the original letters, and what else it says."""
        heard = {view.agent.label: show_letter(view.answer, self.order) for view in self.seen}
        parser = registry.get(self.reads_as)
        parsed = parser(reply.text, self.question, reply.finish != "length", heard, self.keys)
        if self.order:
            return Parsed(restore_letter(parsed.answer, self.order), parsed.reading)
        return parsed

    def turn(
        self, draft: PromptForm, reply: Reply, call: str, parsed: Parsed, share: float
    ) -> Turn:
        """Return the turn to record."""
        seat = self.agent.seat
        return Turn(
            id=self.number,
            agent=seat.agent,
            seat=seat.number,
            role=seat.role,
            step=self.step,
            round=self.agent.round,
            model=seat.model if call else GIVEN,
            text=reply.text,
            answer=parsed.answer,
            reads=tuple([turn for turn in draft.heard if turn > 0]),  # others are composed
            call=call,
            finish=reply.finish,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cached_tokens=reply.cached_tokens,
            seconds=reply.seconds,
            cost=reply.cost,
            retries=reply.retries,
            replayed=reply.replayed,
            node=seat.node,
            removed=draft.removed,
            order=self.order,
            thought=reply.thought,
            reasoning_tokens=reply.reasoning_tokens,
            parser=self.reads_as,
            reading=parsed.reading,
            prefix_share=share,
            batch=reply.batch,
            parts={view.turn.id: view.part for view in self.seen if view.part},
            votes=self.votes,
            about=self.about,
            tool_calls=reply.tool_calls,
        )
