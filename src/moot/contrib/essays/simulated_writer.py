"""How a simulated population writes: personas, discussions, plans and essays of stock viewpoints.

The texts are fluent, can be parsed, follow what the prompt shows of earlier steps, and say nothing
worth reading. A figure measured of them is about the measurement alone.
"""

import re
from collections.abc import Callable, Iterable

import msgspec

from moot import Call, Scene
from moot.contrib.essays.simulated_pen import Pen, Viewpoint, load_texts
from moot.contrib.essays.text_measures import words
from moot.extend.calls import Population, simulation


@simulation
def write_simulated(call: Call, scene: Scene, population: Population) -> str | None:
    """Return an agent's text for a prompt that asks for an essay or a step on the way to one.

    Args:
        call: its messages show what was said, planned and found before.
        scene: tells what is asked for, by how the reply will be read, and by whom.
        population: ``diversity`` says how unlike two texts on one proposition are,
            ``unparseable`` how often a text is none that can be read.

    Returns:
        None where the prompt asks for something else.
    """
    write = _FORMS.get(scene.reads_as)
    if scene.reads_as == "text":
        write = _PARTS.get(scene.step)
    if scene.reads_as == "answer" and scene.question.kind == "text":
        write = _points if _LISTED.search(scene.question.text) else None
    if scene.reads_as == "answer" and scene.question.kind == "number":
        write = _grade if _LISTED.search(scene.question.context or "") else None
    if write is None or (scene.reads_as == "essay" and scene.question.kind != "text"):
        return None
    pen = Pen(call, scene, population)
    text = "" if pen.own.random() < population.unparseable else write(pen)
    prose = scene.reads_as in ("discussion", "challenge", "essay")
    return f"[{pen.language}] {text}" if text and prose and pen.language else text


def _personas(pen: Pen) -> str:
    rows = [
        {"agent_id": place, "description": _upper(view.who), "claim": pen.claim(view)}
        for place, view in enumerate(pen.some(pen.count(r"Think of (?:\d to )?(\d{1,2}) ", 10)), 1)
    ]
    return msgspec.json.encode({"personas": rows}).decode()


def _selection(pen: Pen) -> str:
    rows = []
    for line in re.findall(r"^\{\"agent_id\".{0,2000}\}$", pen.prompt, re.MULTILINE):
        try:
            rows.append(msgspec.json.decode(line, type=dict[str, int | str]))
        except msgspec.DecodeError:
            continue
    team: list[dict[str, int | str]] = []
    while rows and len(team) < pen.count(r"team of (\d{1,2}) ", 3):
        chosen = pen.choice(rows)
        rows.remove(chosen)
        team.append({**chosen, "reason": pen.choice(pen.texts.reasons)})
    return msgspec.json.encode({"team": team}).decode()


def _discussion(pen: Pen) -> str:
    return f"{_remark(pen)}\nSatisfied: {_yes(pen, 0.6)}"


def _challenge(pen: Pen) -> str:
    return f"{_objection(pen)}\nPersuaded: {_yes(pen, 0.5)}"


def _yes(pen: Pen, share: float) -> str:
    """Return yes or no; yes gets likelier with every round."""
    return "yes" if pen.likely(1 - (1 - share) ** pen.scene.round) else "no"


def _remark(pen: Pen) -> str:
    held = re.search(r"^What you hold of the proposition: (.{1,400})$", pen.system, re.MULTILINE)
    [view] = pen.some(1)
    claim = held[1] if held and pen.scene.round == 1 else pen.claim(view)
    return f"{claim} {_of(claim, view).because}"


def _of(claim: str, view: Viewpoint) -> Viewpoint:
    """Return the viewpoint of a claim; this one if the claim is of none."""
    return next((each for each in load_texts().viewpoints if each.stake in claim), view)


def _objection(pen: Pen) -> str:
    [view] = pen.some(1)
    return (
        f"{pen.choice(pen.texts.objections)} What the team says would hold of any change, and "
        f"{view.stake} may fare better than it thinks."
    )


def _dialogue(pen: Pen) -> str:
    names = re.findall(r"^-? ?(Agent [A-Z0-9]{1,2})\b", pen.prompt, re.MULTILINE)
    members = list(dict.fromkeys(names)) or ["Agent A", "Agent B", "Agent C"]
    lines = []
    for _ in range(2):
        lines += [f"{name}: {_remark(pen)}" for name in members]
        lines.append(f"Critic: {_objection(pen)}")
    lines += [f"{members[0]}: We are satisfied with the plan.", "Critic: I am persuaded by it."]
    return "\n".join(lines)


def _plan(pen: Pen) -> str:
    """Return a plan of the first points of the discussion, else of its own, with quotations."""
    discussion = pen.prompt.rpartition("\nThe discussion:\n")[2]
    said = re.findall(
        r"^(?:Agent|Member) [^:\n]{1,20}: ([^.\n]{1,200}\.)", discussion, re.MULTILINE
    )
    most = pen.count(r"at most (\d{1,2}) main points", 4)
    made = pen.outline or list(dict.fromkeys(said))[: most - pen.weighs]
    views = pen.some(len(pen.outline) or most)
    [granted] = pen.some(1)
    passages = _PASSAGE.findall(pen.prompt)
    lines = [] if pen.weighs else [f"Acknowledgment: Something is gained for {granted.stake}."]
    for number, view in enumerate(views, 1):
        if made and number > len(made):
            break
        point = made[number - 1] if made else pen.claim(view)
        about = _of(point, view)
        if pen.weighs and not pen.outline:
            point = f"{_name_side(point, number)}: {point}"
        lines += [f"{number}. {point}", f"   - {about.because}", f"   - {about.example}"]
        if number <= len(passages):
            passage, words = passages[number - 1]
            lines.append(f'   - It is written: "{" ".join(words.split()[:9])}" [{passage}].')
    if pen.weighs and not pen.outline:
        lines += [f"{min(len(made) or most, most) + 1}. Conclusion: {pen.choice(pen.texts.ends)}"]
    return "\n".join(lines)


def _name_side(point: str, number: int) -> str:
    """Return the side that a point of a plan speaks for, in turn where it does not say."""
    side = point.partition(" ")[0]
    return side if side in ("For", "Against") else ("Against", "For")[number % 2]


_PASSAGE = re.compile(
    r"^\[(\d{1,3})\] [^\n]{1,400}\n`{3,}\n(?:#[^\n]*\n)*([^\n\"]{1,400})", re.MULTILINE
)


def _essay(pen: Pen) -> str:
    """Return an essay of what the prompt shows: an essay, parts or a plan; else of its own."""
    if pen.scene.step == "revise" and pen.before:
        kept, _, last = pen.before.rpartition("\n\n")
        return _adjust(pen, f"{kept or last}\n\n{pen.choice(pen.texts.ends)}")
    if revised := _REVISED.search(pen.prompt):
        kept, _, last = revised[1].rpartition("\n\n")
        return f"{kept or last}\n\n{pen.claim(pen.some(1)[0])} {pen.choice(pen.texts.ends)}"
    parts = _PART.findall(pen.prompt)
    if parts:
        return _compose(pen, (" ".join(part.split()) for part in parts))
    points = [
        " ".join([point, *(sub for sub in re.findall(r"^ +- (.+)$", below, re.MULTILINE))])
        for point, below in _POINT.findall(pen.prompt)
    ]
    if not points and pen.outline:
        told = zip(pen.outline, pen.some(len(pen.outline)), strict=False)
        points = [f"{point}. {view.because} {view.example}" for point, view in told]
    if not points:
        points = [f"{pen.claim(v)} {v.because} {v.example}" for v in pen.some(4)]
    granted = _GRANTED.findall(pen.prompt)
    return _compose(pen, points, granted[-1] if granted else "")


_PART = re.compile(
    r"^(?:Claimant|Reasoner|Conceder):\n(.{1,4000}?)"
    r"(?=\n\n(?:Reasoner|Conceder):\n|\n\nWrite the )",
    re.MULTILINE | re.DOTALL,
)
_REVISED = re.compile(
    r"^This is an essay that [^\n]{1,40} it:\n\n(.{1,40000}?)\n\nThe (?:passages that|remark by)",
    re.MULTILINE | re.DOTALL,
)
_POINT = re.compile(r"^\d{1,2}\. (.{1,400})\n((?: +- .{1,600}\n?)+)", re.MULTILINE)
_GRANTED = re.compile(r"^Acknowledgment: (.{1,400})$", re.MULTILINE)


def _compose(pen: Pen, points: Iterable[str], granted: str = "") -> str:
    """Return an opening, a paragraph for each point, and an end."""
    opening = pen.choice(pen.side.openings).format(proposition=pen.proposition)
    if granted:
        opening += f" To be fair, this much is true. {granted}"
    links = [pen.choice(pen.texts.links) for _ in range(20)]
    body = [f"{link}{point}" for link, point in zip(["", *links], points, strict=False)]
    return _adjust(pen, "\n\n".join([opening, *body, pen.choice(pen.texts.ends)]))


def _adjust(pen: Pen, essay: str) -> str:
    """Return an essay of about as many words as the prompt asks for, opening and end apart."""
    opening, *body, end = essay.split("\n\n")
    room = pen.words - words(opening) - words(end)
    if not pen.words or room <= 0:
        return essay
    sentences = [re.split(r"(?<=[.!?]) ", paragraph) for paragraph in body]
    while sum(words(each) for part in sentences for each in part) < room:
        [view] = pen.some(1)
        sentences.append([pen.claim(view), view.because, view.example])
    kept = []
    for part in sentences:
        fits = []
        for sentence in part:
            if room > words(sentence) / 2:
                fits.append(sentence)
                room -= words(sentence)
        kept += [" ".join(fits)] if fits else []
    return "\n\n".join([opening, *kept, end])


def _claim(pen: Pen) -> str:
    return pen.claim(pen.some(1)[0])


def _reasoning(pen: Pen) -> str:
    return "\n".join(f"{view.because} {view.example}" for view in pen.some(3))


def _concession(pen: Pen) -> str:
    return f"Something is gained for {pen.some(1)[0].stake}. It does not outweigh the rest."


def _feedback(pen: Pen) -> str:
    return pen.choice(pen.texts.objections)


def _refine(pen: Pen) -> str:
    return f"{pen.before} {pen.some(1)[0].because}".strip()


_LISTED = re.compile(
    r"^===== The essay =====\n(.*?)\n===== End of the essay =====$", re.MULTILINE | re.DOTALL
)


def _points(pen: Pen) -> str:
    """Return the first sentence of each paragraph between the first and the last of an essay."""
    found = _LISTED.search(pen.scene.question.text)
    paragraphs = (found[1] if found else "").split("\n\n")
    points = [re.split(r"(?<=[.!?])\s", _bare(each))[0] for each in paragraphs[1:-1] or paragraphs]
    return "\n".join(points[:5])


def _grade(pen: Pen) -> str:
    """Return a grade, which says nothing about the essay."""
    return f"Final answer: {pen.choice(_USUAL)}"


_USUAL = (3, 4, 4, 4, 5)
"""The grades that models give, as often as they stand here."""


def _bare(paragraph: str) -> str:
    """Return a paragraph without the words that lead over to it."""
    text = paragraph.strip()
    return next(
        (text[len(link) :] for link in load_texts().links if link and text.startswith(link)), text
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


_FORMS: dict[str, Callable[[Pen], str]] = {
    "personas": _personas,
    "selection": _selection,
    "discussion": _discussion,
    "challenge": _challenge,
    "dialogue": _dialogue,
    "plan": _plan,
    "essay": _essay,
}
"""Writes what a parser of this name reads."""
_PARTS: dict[str, Callable[[Pen], str]] = {
    "claim": _claim,
    "reason": _reasoning,
    "concede": _concession,
    "criticise": _feedback,
    "refine": _refine,
}
"""Writes the parts of ``americano``, by the prompt."""
