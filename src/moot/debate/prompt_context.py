"""What prompts show: the question, the task in an agent's style, and what others have said."""

from collections.abc import Mapping, Sequence
from typing import Any

from moot.core.messages import Message
from moot.core.questions import Question
from moot.core.texts import clean
from moot.debate.agents import AgentConfig
from moot.debate.context import DebateContext
from moot.debate.views import View, Views
from moot.prompts.packs import Pack, Step

Slot = View | Sequence[View] | Mapping[str, float] | Mapping[str, str] | str | float | None


def posed(
    floor: DebateContext, question: Question, order: tuple[int, ...] = (), *, given: bool = True
) -> dict[str, Any]:
    """What every prompt may show: the question, its form, examples, how far to agree.

    Args:
        floor: the debate's.
        question: its choices as shown.
        order: their original places, from 0, where they are in another order.
        given: False to leave out what other nodes came to.
    """
    pack = floor.pack
    common: dict[str, Any] = {
        "question": pack.question(question),
        "form": pack.form(question),
        "value": pack.value(question),
        "kind": question.kind,
        "agreement": pack.agreement(floor.settings.get("agreement")),
    }
    if floor.given and given:
        others = [data(_in_order(view, question, order) if order else view) for view in floor.given]
        common["question"] = pack.given(common["question"], others)
    if examples := floor.examples(floor.settings):
        common["examples"] = [pack.example(example) for example in examples]
    return common


def as_messages(examples: Sequence[Mapping[str, str]], style: Step) -> tuple[Message, ...]:
    """Worked examples as a user's questions and an assistant's answers, if a style has both."""
    if style.asked is None or style.answered is None:
        return ()
    made = []
    for example in examples:
        slots = {"example": example}
        made.append(Message("user", clean(style.asked.render(slots))))
        made.append(Message("assistant", clean(style.answered.render(slots))))
    return tuple(made)


def conversation(question: Question) -> tuple[list[str], tuple[Message, ...]]:
    """What system messages said before the question, and the turns of user and assistant."""
    earlier = question.earlier
    told = [clean(each.content).strip() for each in earlier if each.role == "system"]
    turns = [Message(each.role, clean(each.content)) for each in earlier if each.role != "system"]
    return [text for text in told if text], tuple(turns)


def _in_order(view: View, shown: Question, order: tuple[int, ...]) -> View:
    """A verdict of another node by the letter that its choice has in this order."""
    if view.answer is None:
        return view
    place = order.index(shown.letters.index(view.answer))
    return view.worded(f"({shown.letters[place]}) {shown.choices[place]}")


def initialised(
    common: dict[str, Any], values: Sequence[str], question: Question, pack: Pack
) -> dict[str, Any]:
    """The same with a question that asks besides whether one of these values is right."""
    opening = pack.opening(question, values)
    return common | {"question": f"{common['question'].strip()}\n\n{opening}", "opening": opening}


def asking(text: str, common: Mapping[str, Any]) -> str:
    """A prompt with the opening: at its end, where it does not show the question."""
    return text if common["opening"] in text else f"{text.rstrip()}\n\n{common['opening']}"


def filled(common: dict[str, Any], prompt: Step, voice: AgentConfig, pack: Pack) -> dict[str, Any]:
    """The same with the form of one prompt, and the task in a voice's style where it is shown.

    The form is the prompt's own, else that of the voice's style, else that of the question's kind.
    """
    if own := pack.styled(voice.style, common["value"]):
        common = common | own
    if prompt.form is not None:
        common = common | {"form": prompt.form.render(common)}
    if prompt.poses:
        common = common | {"task": pack.step(voice.style).render(common).strip()}
    if prompt.states:
        bare = common | {"form": ""}
        common = common | {"problem": pack.step(voice.style).render(bare).strip()}
    return common


def with_kept(slots: dict[str, Any], prompt: Step) -> dict[str, Any]:
    """The slots with the part of the prompt that an agent has before it later, if it has one."""
    return slots if prompt.kept is None else slots | {"kept": prompt.kept.render(slots).strip()}


def views(slot: Slot) -> Slot:
    """A plain list of views as ``Views``."""
    return Views(slot) if isinstance(slot, list | tuple) else slot


def shown(slots: Mapping[str, Slot]) -> dict[str, Any]:
    """Slots as plain data: all that a template may see."""
    return {name: data(slot) for name, slot in slots.items()}


def data(slot: Slot) -> Any:  # noqa: ANN401 -- whatever a template can show
    """A slot as plain data."""
    if isinstance(slot, View):
        return {
            "label": slot.agent.label,
            "text": slot.turn.text,
            "reason": slot.reason,
            "answer": slot.answer,
            "round": slot.turn.round,
        }
    if isinstance(slot, Views):
        return [data(view) for view in slot]
    return slot
