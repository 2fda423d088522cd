"""Prompts of a debate: templates of the pack, filled with the question and with views."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec

from moot.core.encoding import replace_surrogates
from moot.core.messages import Message
from moot.core.questions import Question
from moot.debate.agents import Agent, AgentConfig, ReadTurn
from moot.debate.context import DebateContext
from moot.debate.views import View, Views
from moot.debate.window import PromptForm, list_forms, list_views
from moot.parsing.parser import Parser
from moot.parsing.parser import registry as parsers
from moot.parsing.shuffle import reorder_options
from moot.prompts.packs import Step

T = TypeVar("T")
Slot = View | Sequence[View] | Mapping[str, float] | Mapping[str, str] | str | float | None


AlikeKey = tuple[Step, str, str]
"""Template, style and last paragraphs of a prompt that is the same for all agents."""


class Frame(NamedTuple):
    """What a prompt has beside its own slots.

    Attributes:
        common: the slots of every prompt: the question, its form, the task.
        examples: worked examples as messages before it.
    """

    common: dict[str, Any]
    examples: tuple[Message, ...]


class Prompt(NamedTuple):
    """A prompt for one agent.

    Attributes:
        step: the pack's template.
        question: the question as shown, with its choices in the order that the agent sees.
        drafts: all that would be sent, the longest form first, then shorter ones.
        seen: the views that the prompt shows.
        kept: the messages that the agent is shown later in place of the prompt; None for the
            prompt itself.
    """

    step: Step
    question: Question
    drafts: Iterator[PromptForm]
    seen: Sequence[View]
    kept: tuple[Message, ...] | None


def follow_up(prompt: Prompt, draft: PromptForm, reply: str, turn: ReadTurn, text: str) -> Prompt:
    """Return a prompt that goes on after another one and its reply.

    Args:
        prompt: the other one.
        draft: the form of it that was sent.
        reply: the reply's text.
        turn: of the reply.
        text: what is asked.
    """
    said, asked = Message("assistant", reply), Message("user", replace_surrogates(text))
    heard = draft.heard | {turn[0]: turn[1]}
    whole = PromptForm((*draft.messages, said, asked), (asked,), heard, draft.shown)
    return prompt._replace(drafts=iter([whole]), kept=None)


class Prompter:
    """Renders the prompts of one debate.

    Attributes:
        context: of the debate.
        question: of the debate.
        history: the user's conversation before the question.
    """

    def __init__(self, context: DebateContext, question: Question) -> None:
        self.context, self.question = context, question
        self._before, self.history = split_conversation(question)
        self._shared = self._describe(question)
        self._without_given: dict[str, Any] | None = None if context.given else self._shared
        self._found: dict[tuple[str, str], tuple[Step, Parser]] = {}
        self._alike: dict[AlikeKey, tuple[Message, ...]] = {}
        self._examples: dict[Step, tuple[Message, ...]] = {}
        self._frames: dict[tuple[Step, str, bool], Frame] = {}

    def find(self, style: str, step: str) -> tuple[Step, Parser]:
        """Return the template of a step, and the parser of its reply.

        Args:
            style: of the agent; ``"answer"`` is that style, and a plain answer is read as in it.
            step: its name.
        """
        found = self._found.get((style, step))
        if found is None:
            pack = self.context.pack
            template = pack.step(style if step == "answer" else step)
            reads = template if template.reads_as != "answer" else pack.step(style)
            found = template, parsers.get(reads.reads_as)
            self._found[style, step] = found
        return found

    def system(
        self,
        role: Step | None,
        config: AgentConfig,
        label: str,
        slots: Mapping[str, Slot],
        *,
        debater: bool,
    ) -> Message | None:
        """Return an agent's system message; None where there is nothing to say.

        It has a paragraph for each system message of the user's conversation, the role's own
        text, and the agent's persona.
        """
        text = ""
        if role is not None:
            common = self._fill(self._shared if debater else self._bare(), role, config)
            common |= {"label": label, "style": config.style}
            text = replace_surrogates(role.render(common | plain_slots(slots)))
        if self._before or config.persona:
            parts = (*self._before, text.rstrip(), replace_surrogates(config.persona))
            text = "\n\n".join([part for part in parts if part])
        return Message("system", text) if text.strip() else None

    def compose(
        self,
        agent: Agent,
        template: Step,
        order: tuple[int, ...],
        beside: str,
        slots: Mapping[str, Slot],
        reads: Sequence[View] = (),
        ending: str = "",
    ) -> Prompt:
        """Return a prompt for an agent; see ``Debate.ask``.

        Args:
            agent: the agent that is asked.
            template: of the step.
            order: the places of the question's choices as shown; empty for the original order.
            beside: paragraphs that go with the question; at the end where it is not shown.
            slots: what fills the template's slots.
            reads: views that stand in the slots as plain text.
            ending: paragraphs at the end of the prompt.
        """
        asked = reorder_options(self.question, order) if order else self.question
        frame = self._frame(agent, template, asked, order, beside)
        key = None  # of a prompt that is the same for all agents of one style
        if not (slots or order or beside or self.context.given):
            style = agent.config.style
            named = template.labels or (template.poses and self.context.pack.step(style).labels)
            key = None if named else (template, style, ending)
        filled, hidden = _split_slots(template, slots)
        kept = None
        if template.kept is not None and agent.remembers:
            values = frame.common | {"label": agent.label} | plain_slots(filled | hidden)
            text = replace_surrogates(template.kept.render(values).strip())
            kept = (*frame.examples, Message("user", text))
        if reads:
            filled[""] = Views(reads)
        render = partial(self._render, agent, template, frame, ending, key, hidden)
        seen = list_views(filled) if filled else []
        asks = frame.common["question"]
        drafts = list_forms(agent, asks, filled, seen, render(filled), render)
        return Prompt(template, asked, drafts, seen, kept)

    def _render(
        self,
        agent: Agent,
        template: Step,
        frame: Frame,
        ending: str,
        key: AlikeKey | None,
        hidden: Mapping[str, Any],
        slots: Mapping[str, Any],
    ) -> tuple[Message, ...]:
        """Return one form of a prompt, after its worked examples.

        Args:
            agent: the agent that is asked.
            template: of the step.
            frame: what the prompt has beside its own slots.
            ending: paragraphs at its end.
            key: what all prompts with the same words have in common; None for no others.
            hidden: what fills slots that the template does not show.
            slots: what fills the others in this form.
        """
        if key is not None and (found := self._alike.get(key)) is not None:
            return found
        values = {**frame.common, "label": agent.label}
        if hidden:
            values |= plain_slots(hidden)
        if slots:
            values |= plain_slots(slots)
        if template.kept is not None:
            values["kept"] = template.kept.render(values).strip()
        text = template.render(values)
        if "beside" in frame.common:
            text = _add_beside(text, frame.common)
        if ending:
            text = f"{text.rstrip()}\n\n{ending}"
        # What stands in the slots as plain text has the name "": it is no slot to be heard.
        shown = template.heard and template.heard in values
        heard = _hear(values[template.heard]) if shown else ()
        made = (*frame.examples, *heard, Message("user", replace_surrogates(text)))
        if key is not None:
            self._alike[key] = made
        return made

    def _frame(
        self,
        agent: Agent,
        template: Step,
        asked: Question,
        order: tuple[int, ...],
        beside: str,
    ) -> Frame:
        """Return what a prompt has beside its own slots; it is made once where it is the same."""
        key = (template, agent.config.style, bool(agent.given))
        if not (order or beside) and (found := self._frames.get(key)) is not None:
            return found
        if order:
            common = self._describe(asked, order, given=bool(agent.given))
        else:
            common = self._shared if agent.given else self._bare()
        if beside:
            common = _put_beside(common, beside)
        examples = self._as_messages(agent, template) if "examples" in common else ()
        if examples:
            common = common | {"examples": ()}
        common = self._fill(common, template, agent.config)
        common["style"] = agent.config.style
        frame = Frame(common, examples)
        if not (order or beside):
            self._frames[key] = frame
        return frame

    def pose(self, agent: Agent, beside: str) -> str:
        """Return the question as it is put to an agent: in its style, with what goes with it."""
        common = _put_beside(self._shared, beside) if beside else self._shared
        template, _ = self.find(agent.config.style, "answer")
        text = template.render(self._fill(common, template, agent.config))
        return replace_surrogates(_add_beside(text, common) if beside else text)

    def bare_question(self) -> str:
        """Return the question alone: without a task, an opening or other nodes' verdicts."""
        return replace_surrogates(str(self._bare()["question"]).strip())

    def text(self, agent: Agent, step: str) -> str:
        """Return the text of a step for an agent, where the step has no slots of its own."""
        template = self.context.pack.step(step)
        common = self._shared if agent.given else self._bare()
        return replace_surrogates(template.render(self._fill(common, template, agent.config)))

    def _describe(
        self, question: Question, order: tuple[int, ...] = (), *, given: bool = True
    ) -> dict[str, Any]:
        """Return the slots of every prompt: the question, its form, examples, the agreement.

        Args:
            question: with its choices as shown.
            order: their original places, from 0, where they are in another order.
            given: False to leave out the verdicts of other nodes.
        """
        context, pack = self.context, self.context.pack
        common: dict[str, Any] = {
            "question": pack.question(question),
            "form": pack.plain("form", question.kind),
            "value": pack.plain("value", question.kind),
            "kind": question.kind,
            "agreement": pack.agreement(context.settings.get("agreement")),
        }
        if context.given and given:
            others = [_reorder(view, question, order) if order else view for view in context.given]
            common["question"] = pack.render_given(common["question"], _as_data(Views(others)))
        if examples := context.examples:
            common["examples"] = [pack.example(example) for example in examples]
        return common

    def _bare(self) -> dict[str, Any]:
        """Return the slots of every prompt of agents that see no other node's verdict."""
        if self._without_given is None:
            self._without_given = self._describe(self.question, given=False)
        return self._without_given

    def _fill(self, common: dict[str, Any], step: Step, config: AgentConfig) -> dict[str, Any]:
        """Return the slots with the form of one template, and with the task where it shows that.

        The form is the template's own, else that of the agent's style, else that of the question's
        kind. The task is the question in the agent's style.
        """
        pack = self.context.pack
        common = {**common, **pack.own_form(config.style, common["value"])}
        if step.form is not None:
            common["form"] = step.form.render(common)
        if step.poses:
            common["task"] = pack.step(config.style).render(common).strip()
        if step.states:
            bare = common | {"form": ""}
            common["problem"] = pack.step(config.style).render(bare).strip()
        return common

    def _as_messages(self, agent: Agent, step: Step) -> tuple[Message, ...]:
        """Return the few-shot examples as messages; empty where the prompt shows them, or none."""
        if self.context.settings["shots_as"] == "message":
            return ()
        shows = step.poses or step.states
        style = self.context.pack.step(agent.config.style) if shows else step
        if style not in self._examples:
            self._examples[style] = _examples_in(style, self._shared["examples"])
        return self._examples[style]


def split_conversation(question: Question) -> tuple[list[str], tuple[Message, ...]]:
    """Return the conversation before a question: its system messages, and its other messages."""
    earlier = question.earlier_messages
    if not earlier:
        return [], ()
    system = [replace_surrogates(each.content).strip() for each in earlier if each.role == "system"]
    turns = [
        msgspec.structs.replace(each, content=replace_surrogates(each.content))
        for each in earlier
        if each.role != "system"
    ]
    return [text for text in system if text], tuple(turns)


def _examples_in(style: Step, examples: Sequence[Mapping[str, str]]) -> tuple[Message, ...]:
    """Return examples as a user's questions and an assistant's answers, if a style has both."""
    if style.asked is None or style.answered is None:
        return ()
    made = []
    for example in examples:
        slots = {"example": example}
        made.append(Message("user", replace_surrogates(style.asked.render(slots))))
        made.append(Message("assistant", replace_surrogates(style.answered.render(slots))))
    return tuple(made)


def _hear(views: Iterable[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Return the words of others as messages of the assistant, each under its label."""
    said = (f"{each['label']}:\n{each['text']}" for each in views)
    return tuple([Message("assistant", replace_surrogates(text)) for text in said])


def _reorder(view: View, shown: Question, order: tuple[int, ...]) -> View:
    """Return a verdict of another node by the letter that its choice has in this order."""
    if view.answer is None:
        return view
    place = order.index(shown.letters.index(view.answer))
    return view.with_text(f"({shown.letters[place]}) {shown.choices[place]}")


def _put_beside(common: dict[str, Any], beside: str) -> dict[str, Any]:
    """Return the slots with a question that has these paragraphs below it."""
    return common | {"question": f"{common['question'].strip()}\n\n{beside}", "beside": beside}


def _add_beside(text: str, common: Mapping[str, Any]) -> str:
    """Return a prompt with these paragraphs at its end, unless it shows the question with them."""
    return text if common["beside"] in text else f"{text.rstrip()}\n\n{common['beside']}"


def _split_slots(
    template: Step, slots: Mapping[str, Slot]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the slots that a template shows, and the others; lists of views are ``Views``."""
    shown: dict[str, Any] = {}
    hidden: dict[str, Any] = {}
    for name, slot in slots.items():
        filled = shown if template.shows(name) else hidden
        filled[name] = slot
        if isinstance(slot, list | tuple) and not isinstance(slot, Views):
            filled[name] = Views(slot)
    return shown, hidden


def plain_slots(slots: Mapping[str, Slot]) -> dict[str, Any]:
    """Return slots as plain data: templates see nothing else."""
    return {name: _as_data(slot) for name, slot in slots.items()}


def _as_data(slot: Slot) -> Any:  # noqa: ANN401 -- a slot may be any plain data
    if isinstance(slot, View):
        turn = slot.turn
        return {
            "label": slot.agent.label,
            "text": turn.text,
            "reason": turn.text if turn.reading is None else slot.reason,
            "answer": turn.answer,
            "round": turn.round,
        }
    if isinstance(slot, Views):
        return [_as_data(view) for view in slot]
    return slot


def tag_views(slot: Slot, tag: Callable[[View], View]) -> Slot:
    """Return what fills a slot, with each view in it changed by a function."""
    if isinstance(slot, View):
        return tag(slot)
    return Views(map(tag, slot)) if isinstance(slot, Views) else slot


def fill_for(who: T, slot: Slot | Callable[[T], Slot]) -> Slot:
    """Return what fills a slot for an agent, or for its place: a function of it is called."""
    return slot(who) if callable(slot) else slot
