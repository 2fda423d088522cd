"""Reviews of simulated agents: rankings of labelled responses, and what rankers favour."""

import re
from random import Random

import msgspec

from moot.core.calls import Call, Scene
from moot.models.population import Population, normalize_answer

RUBRIC = ("accuracy", "completeness", "clarity", "conciseness", "relevance")
_TOP = re.compile(r"whole number from 1\b[^.]*? to (\d{1,2})\b")
"""What a prompt says of the highest score."""
_ANSWER = re.compile(r"Final answer:[ \t]*(.*)", re.IGNORECASE)


def write_review(people: Population, call: Call, scene: Scene, chance: Random) -> str:
    """Return a review that ranks the responses of a prompt, with scores by place.

    The order is drawn evenly; with the probability ``discernment`` responses with a right answer
    come first. With the probability ``first`` the response that is shown first is put first, and
    with the probability ``own`` the ranker's own.

    Args:
        people: the population.
        call: whose last message shows the responses under their labels.
        scene: of the prompt; in place of answers it has the names of who wrote the responses.
        chance: draws.
    """
    right = {normalize_answer(each) for each in scene.question.answers}
    answers = _find_answers(call.messages[-1].content, scene.labels)
    discerns, swayed = chance.random() < people.discernment, chance.random()
    drawn = chance.sample([*scene.labels], len(scene.labels))
    ranking = sorted(drawn, key=lambda each: not (discerns and answers.get(each) in right))
    mine = [
        label for label, name in zip(scene.labels, scene.others, strict=True) if name == scene.agent
    ]
    top = ""
    if swayed < people.first:
        top = scene.labels[0]
    elif swayed < people.first + people.own and mine:
        top = mine[0]
    if top:
        ranking = [top, *(each for each in ranking if each != top)]
    scores = {each: max(10 - 2 * place, 1) for place, each in enumerate(ranking)}
    marked: dict[str, object] = {**scores}
    if scene.reads_as == "rubric-review":
        marked = {label: dict.fromkeys(RUBRIC, score) for label, score in scores.items()}
    said = msgspec.json.encode({"ranking": ranking, "scores": marked}).decode()
    return f"I have compared them.\n{said}"


def write_scores(people: Population, call: Call, scene: Scene, chance: Random) -> str | None:
    """Return a score for each response of a prompt that names the highest; None for any other.

    With the probability ``discernment`` right answers have the highest and all others the lowest;
    else scores are drawn evenly. With the probability ``first`` what is shown first has the
    highest, and with the probability ``own`` the agent's own.

    Args:
        people: the population.
        call: as for ``write_review``.
        scene: as for ``write_review``.
        chance: draws.
    """
    prompt = call.messages[-1].content
    if not (found := _TOP.search(prompt)):
        return None
    top, answers = int(found[1]), _find_answers(prompt, scene.labels)
    right = {normalize_answer(each) for each in scene.question.answers}
    discerns, swayed = chance.random() < people.discernment, chance.random()
    scores = {
        label: (top if answers.get(label) in right else 1) if discerns else chance.randint(1, top)
        for label in scene.labels
    }
    if swayed < people.first:
        scores[scene.labels[0]] = top
    elif swayed < people.first + people.own:
        named = zip(scene.labels, scene.others, strict=True)
        scores |= dict.fromkeys((label for label, name in named if name == scene.agent), top)
    return msgspec.json.encode({"scores": scores}).decode()


def _find_answers(prompt: str, labels: tuple[str, ...]) -> dict[str, str]:
    """Return the answer of each response, found under the line with its label."""
    found = {}
    for label in labels:
        _, heading, rest = prompt.partition(f"\n{label}:\n")
        if heading and (answer := _ANSWER.search(rest)):
            found[label] = normalize_answer(answer[1])
    return found
