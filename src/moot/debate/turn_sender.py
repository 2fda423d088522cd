"""Turns on their way: a prompt is sent, its reply parsed, recorded and remembered."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from moot.core.calls import Reply
from moot.core.confidence_scales import P_TRUE
from moot.core.messages import Message
from moot.core.questions import Question
from moot.debate.agents import Agent, Exchange
from moot.debate.asked_confidence import (
    add_consistency,
    add_p_true,
    add_probability,
    wants_logprobs,
)
from moot.debate.asking import CallCounts, CallRequest, Sent
from moot.debate.context import DebateContext, Listener
from moot.debate.gather_all import gather_all
from moot.debate.prompting import Prompt, follow_up
from moot.debate.sent_prompts import SentPrompt
from moot.debate.views import View
from moot.parsing.apart import APART, call_apart
from moot.parsing.confidence import CONFIDENCE_PARSERS
from moot.parsing.parser import Parsed


@dataclass(slots=True)
class TurnSender:
    """Sends prompts, and records what comes back.

    Attributes:
        question: what is debated.
        context: the settings, the prompts and the call path.
        record: a function that is called with each event as it happens.
        views: all turns so far, in the order in which replies arrived.
        about: the id of the question where it is not the debate's own.
    """

    question: Question
    context: DebateContext
    record: Listener
    views: list[View] = field(default_factory=list)
    about: str = ""
    _agents: list[Agent] = field(default_factory=list)
    _asked: CallCounts = field(default_factory=Counter)
    _turns: int = 0
    _first: int = 0

    def _plan_turn(
        self,
        agent: Agent,
        step: str,
        prompt: Prompt,
        order: tuple[int, ...],
        opening: tuple[str, ...],
        keys: tuple[str, ...] = (),
        *,
        votes: bool = True,
        scale: str = "",
    ) -> CallRequest:
        """Return the request of the next turn."""
        context, template = self.context, prompt.step
        asking = CallRequest(
            agent=agent,
            step=step,
            reads_as=CONFIDENCE_PARSERS[scale]
            if scale
            else context.pack.reads_as(template, agent.config.style),
            question=prompt.question,
            order=order,
            number=self._number(),
            replicate=context.replicate,
            debate=context.number,
            opening=opening,
            seen=prompt.seen,
            keys=keys,
            votes=votes,
            about=self.about,
            logprobs=wants_logprobs(agent, context, answers=self.is_answer(agent, votes=votes)),
        )
        if agent.is_modulated or template.modulates:
            asking = msgspec.structs.replace(asking, agreement=context.settings.get("agreement"))
        return asking

    def is_answer(self, agent: Agent, *, votes: bool) -> bool:
        """Return whether a reply is the agent's own answer, to this question or to another."""
        return votes and (agent.seat.debater or bool(self.about))

    async def _fetch(self, asking: CallRequest, prompt: Prompt) -> tuple[Sent, Parsed]:
        """Send a prompt, and return what came back, as it is and parsed."""
        sent = await asking.reply(self.context.path, prompt.drafts, self._asked, self.context.sent)
        if asking.question.kind in APART:  # it takes long: the event loop goes on
            parsed = await call_apart(asking.question.kind, asking.parse, sent.reply)
        else:
            parsed = asking.parse(sent.reply)
        return sent, add_probability(parsed, sent.reply) if asking.logprobs else parsed

    def _keep_turn(self, asking: CallRequest, prompt: Prompt, sent: Sent, parsed: Parsed) -> View:
        """Record a turn, let its agent remember it, and return its view."""
        agent, (draft, reply, call, share) = asking.agent, sent
        turn = asking.turn(draft, reply, call, parsed, share)
        agent.answer = parsed.answer if asking.votes else agent.answer
        said = Message("assistant", reply.text)
        prompt_sent = SentPrompt(turn.model, (*draft.messages, said))
        if not turn.is_given:
            self.context.sent.add(turn.id, turn.seat, prompt_sent)
        if agent.remembers:
            own = (turn.id, parsed.answer)
            agent.past.append(Exchange(prompt.kept or draft.prompt, said, draft.shown, own))
        self.record(turn)
        view = View(agent, turn)
        self.views.append(view)
        return view

    async def _keep_given(self, asking: CallRequest, prompt: Prompt, text: str) -> View:
        """Record a turn whose words are given: its prompt is not sent, and nothing is paid."""
        reply = Reply(text=text, prompt_tokens=0, completion_tokens=0, cost=0.0)
        sent = Sent(next(prompt.drafts), reply, "", 0.0)
        parsed = await call_apart(asking.question.kind, asking.parse, reply)
        return self._keep_turn(asking, prompt, sent, parsed)

    async def _draw_again(
        self, asking: CallRequest, prompt: Prompt, again: Sequence[Prompt]
    ) -> View:
        """Draw an answer, and the same prompt again; return the answer's view with its confidence.

        The further draws are no votes, and the agent does not remember them.
        """
        further = [asking.again(self._number()) for _ in again]
        (sent, parsed), *drawn = await gather_all(
            self._fetch(each, own)
            for each, own in zip((asking, *further), (prompt, *again), strict=True)
        )
        drawn_parsed = [each for _, each in drawn]
        view = self._keep_turn(
            asking, prompt, sent, add_consistency(parsed, drawn_parsed, self.question.kind)
        )
        for each, own, found in zip(further, again, drawn, strict=True):
            self._keep_apart(each, own, *found)
        return self._make_newest(view)

    async def _check_answer(self, asking: CallRequest, prompt: Prompt) -> View:
        """Ask for an answer, and whether it is right; return its view with the confidence in it."""
        checking = asking.check(self._number(), P_TRUE)
        sent, parsed = await self._fetch(asking, prompt)
        asked = self.context.pack.confidence(P_TRUE)
        check = follow_up(
            prompt, sent.draft, sent.reply.text, (asking.number, parsed.answer), asked
        )
        checked = await self._fetch(checking, check)
        view = self._keep_turn(asking, prompt, sent, add_p_true(parsed, checked[0].reply))
        self._keep_apart(checking, check, *checked)
        return self._make_newest(view)

    def _keep_apart(self, asking: CallRequest, prompt: Prompt, sent: Sent, parsed: Parsed) -> None:
        """Record a turn that its agent does not remember."""
        self._keep_turn(asking, prompt, sent, parsed)
        if asking.agent.remembers:
            asking.agent.forget()

    def _make_newest(self, view: View) -> View:
        """Return a view, which is the newest of its agent from now on."""
        self.views.remove(view)
        self.views.append(view)
        return view

    def _number(self) -> int:
        """Return the number of the next turn."""
        self._turns += 1
        self.context.check_room(self._turns, self._first + len(self._agents))
        return self._turns
