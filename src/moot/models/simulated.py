"""A population of agents without a language model: the null model of debate, with knobs.

From the command line: ``simulated/NAME?accuracy=0.6&truth_drift=0.1``; see ``Population`` for all
knobs. Everything computed from it is labelled as simulated.
"""

import re
from collections.abc import Mapping
from copy import copy
from random import Random
from urllib.parse import urlencode

import msgspec

from moot.core.calls import Call, Reply, Scene, identity
from moot.core.confidence_scales import P_TRUE, ConfidenceScale, state_confidence
from moot.core.errors import InputError, RefusedError, check_known, place_errors, split_fault
from moot.models.fluent import MUST_DECIDE, Speech, word_reply
from moot.models.free_model import ComputedModel, parse_latency
from moot.models.model_names import ModelName, model_registry
from moot.models.population import Population, lean, make_random, normalize_answer, pick, restrict
from moot.models.scripted import make_reply
from moot.models.simulated_advocate import ARGUMENT, write_argument
from moot.models.simulated_ballot import weigh_letters, write_ballot
from moot.models.simulated_judge import find_sides, parse_favours, rule
from moot.models.simulated_match import state_strength, write_match_ruling
from moot.models.simulated_reading import MAY_NOT_KNOW, choose_passages, find_stated
from moot.models.simulated_review import write_review, write_scores
from moot.models.simulations import simulate

_UNDECIDED = (
    "There is something to be said for each of these views, and I leave it open.\nFinal answer:"
)
"""The empty marker makes it no answer even to a question that accepts any text."""

_UNKNOWN = "The document does not say.\nFinal answer: unknown"

CHOOSES = "choose"
"""The step in which a judge chooses one of the responses that it is shown."""

RATE, RATE_CRITIQUE = "rate", "rate-critique"
"""The steps in which a rater answers with one letter."""

_STATED = re.compile(r"\nConfidence: (\d+)%$", re.MULTILINE)
"""The confidence in an agent's reply, which is also the probability of its tokens."""
_MARK = re.compile(r"\(confidence (\d+)\)")
"""How sure another agent is shown to be, beside its name."""
_SPEAKS_AS = re.compile(r"\byou speak as ([^.\n]{1,200})\.")

SCALES: Mapping[str, ConfidenceScale] = {
    "confidence": "unit",
    "confidence-ten": "ten",
    "confidence-words": "words",
}
"""The scales of confidences by the parsers that read them, where it is not percent."""

_SCORED = ("General Public", "Critic", "Scientist")
"""The labels of ``chateval-scored``: agents score each of them."""


class Simulated(ComputedModel):
    """Agents that hold Dirichlet beliefs about a question and count the answers they read.

    The question, the answers heard and the opening come from ``call.scene``. A judge reads in the
    messages which side is shown first, and its name. A reply depends only on the call's identity
    and scene: it is the same at any concurrency and in any order, and two protocols that share a
    draw get one reply. Token counts are words between white space. Of ``sampling`` only the
    temperature and the schema have an effect.

    Args:
        name: the text after ``simulated/`` in the model's name; it tells apart equal populations.
        latency: seconds before each reply, 0 or more.
        knobs: the fields of ``Population``.

    Raises:
        UnknownName: a knob does not exist.
        InputError: a knob's value is out of its range, or the latency is negative.
    """

    gives_logprobs = True

    def __init__(
        self, name: str = "population", *, latency: float = 0.0, **knobs: float | str
    ) -> None:
        where = f"model 'simulated/{name}'"
        self.population = _population(knobs, where=where)
        changed = {
            field: value
            for field, value in msgspec.structs.asdict(self.population).items()
            if value != getattr(Population(), field)
        }
        full = f"simulated/{name}" + (f"?{urlencode(changed)}" if changed else "")
        super().__init__(full, latency=latency, where=where)

    def without_latency(self) -> "Simulated":
        """Return a copy that answers without latency."""
        made = copy(self)
        made.latency = 0.0
        return made

    async def compute(self, call: Call) -> Reply:
        """Answer by a draw from the agent's belief.

        Raises:
            RefusedError: the call has no scene, and so no question.
        """
        if call.scene is None:
            raise RefusedError(f"{self.name}: a simulated agent needs the call's scene")
        if call.scene.step == P_TRUE:
            return self._check(call)
        if call.scene.step in {RATE, RATE_CRITIQUE}:
            return self._rate(call, call.scene)
        reply = make_reply(call, self._speak(call, call.scene))
        stated = _STATED.search(reply.text) if call.sampling.logprobs else None
        sure = int(stated[1]) / 100 if stated else None
        return msgspec.structs.replace(reply, seconds=self.latency, token_probability=sure)

    def _check(self, call: Call) -> Reply:
        """Say whether its own last answer is right, with the confidence that it stated in it."""
        stated = _STATED.search(call.messages[-2].content)
        sure = int(stated[1]) / 100 if stated else 0.5
        holds = make_random(identity(call.request(), call.draw)).random() < sure
        reply = make_reply(call, str(holds))
        chance = sure if holds else 1 - sure
        return msgspec.structs.replace(reply, seconds=self.latency, token_probability=chance)

    def _rate(self, call: Call, scene: Scene) -> Reply:
        """Answer with a letter: of a side as a ballot would, or whether a critique helps."""
        own = make_random(identity(call.request(), call.draw))
        helps = own.random()
        chances = {"Y": helps, "N": 1 - helps}
        if scene.step == RATE:
            chances = weigh_letters(self.population, call, scene)
        greedy = self.population.temperature and call.sampling.temperature == 0
        letter = max(chances, key=chances.__getitem__) if greedy else pick(chances, own.random())
        reply = make_reply(call, letter)
        return msgspec.structs.replace(
            reply, seconds=self.latency, token_probability=chances[letter]
        )

    def _speak(self, call: Call, scene: Scene) -> str:
        if (reply := simulate(call, scene, self.population)) is not None:
            return reply
        own = make_random(identity(call.request(), call.draw))
        # All drawn at once: a knob turned up must not shift the draws that the others use.
        readable, shares, chance, decides, swayed, coin, *guess = (own.random() for _ in range(8))
        if readable < self.population.unparseable:
            return _UNDECIDED
        if (form := self._write_form(call, scene, own)) is not None:
            return form
        understands = self.population.comprehension
        anchored, first = self._anchor(call, scene)
        heard = () if anchored else scene.heard
        belief = self.population.predictive(scene.question, heard)
        if scene.step == CHOOSES:
            belief = restrict(belief, scene.heard)
        if shares < self.population.correlation:
            chance = self._common(call, scene)
        stated = find_stated(call, scene)
        if stated == [] and MAY_NOT_KNOW in call.messages[-1].content and coin < understands:
            return _UNKNOWN
        belief = lean(belief, stated or (), understands)
        belief = self.population.sample(belief, call.sampling.temperature)
        if not anchored:
            belief = self._lean(belief, scene)
        answer = pick(belief, first if anchored else chance)
        if scene.reads_as in {"ruling", "decision", "conclusion", "support"}:
            shown = find_sides(call.messages, scene.heard)
            side, answer = rule(self.population, shown, answer, coin=coin, swayed=swayed)
            return word_reply(scene, _judgement(scene, answer, side.name, decides))
        sure = self.population.confidence(
            scene.question, belief, answer, guess=(guess[0], guess[1]), reads=bool(scene.others)
        )
        scores = self._scores(scene) if scene.reads_as == "scored" else {}
        said = Speech(
            answer=answer,
            decides=_ends_debate(scene, answer, decides),
            reason=_persona(call) + state_strength(self.population, scene) + _argument(scene, sure),
            confidence=sure,
            scores=scores,
        )
        return word_reply(scene, said)

    def _write_form(self, call: Call, scene: Scene, own: Random) -> str | None:
        """Return a review, a ballot, a ruling, a choice or an argument, where one is asked for."""
        if scene.reads_as in {"review", "rubric-review"} and scene.labels:
            return write_review(self.population, call, scene, own)
        if scene.reads_as == "ballot" and scene.labels:
            marked = write_scores(self.population, call, scene, own)
            return marked or write_ballot(self.population, call, scene, own)
        if scene.reads_as == "passage-choice":
            understands = own.random() < self.population.comprehension
            return choose_passages(call, scene, understands=understands)
        if scene.reads_as == "text" and ARGUMENT in call.messages[-1].content:
            return write_argument(self.population, scene, own)
        if scene.reads_as == "match-ruling" and scene.labels:
            return write_match_ruling(self.population, call, scene, own)
        return None

    def _lean(self, belief: dict[str, float], scene: Scene) -> dict[str, float]:
        """Return the belief after the opening, the agreement, and the last answers of all."""
        people = self.population
        belief = lean(belief, scene.opening, people.anchor)
        belief = people.adjust_to_agreement(belief, scene.others, scene.agreement)
        belief = lean(belief, () if scene.own is None else (scene.own,), -people.revise)
        shown = zip(scene.others, scene.shown_as, strict=False)
        belief = people.take_over(belief, scene.own, shown)
        return lean(belief, _find_surest(scene), people.heed) if people.heed else belief

    def _scores(self, scene: Scene) -> dict[str, int]:
        """Return a score for each role, 1 to 10; it does not depend on the answers."""
        key = ("score", self.name, scene.question.id, scene.agent)
        return {label: make_random(*key, label).randint(1, 10) for label in _SCORED}

    def _common(self, call: Call, scene: Scene) -> float:
        """Return the draw that all agents share on this question in this round.

        It is new in every round. The same draw in all rounds would favour one answer again and
        again, and belief would be no martingale.
        """
        question, seed = scene.question, self.population.seed
        key = ("common", seed, question.id, question.text, call.draw.replicate, scene.round)
        return make_random(*key).random()

    def _anchor(self, call: Call, scene: Scene) -> tuple[bool, float]:
        """Return whether this agent keeps its first answer, and the draw of that answer."""
        if not self.population.anchoring:
            return False, 0.0
        question, (replicate, seat, _) = scene.question, call.draw
        rng = make_random("anchor", self.name, question.id, question.text, replicate, seat)
        return rng.random() < self.population.anchoring, rng.random()


def _find_surest(scene: Scene) -> tuple[str, ...]:
    """Return the answers of those that are shown as the surest; none where all are shown alike."""
    marked = [
        (int(found[1]), answer)
        for label, answer in zip(scene.labels, scene.others, strict=False)
        if answer is not None and (found := _MARK.search(label))
    ]
    most = max(marked, default=(0, ""))[0]
    alike = len({mark for mark, _ in marked}) < 2
    return () if alike else tuple({answer: None for mark, answer in marked if mark == most})


def _persona(call: Call) -> str:
    """Return a sentence that names the persona in the prompt; an empty text without one."""
    for message in call.messages:
        if message.role == "assistant" or "you speak as " not in message.content:
            continue  # a look for plain words takes a fiftieth of the time
        if found := _SPEAKS_AS.search(message.content):
            return f"I speak as {found[1]}. "
    return ""


def _argument(scene: Scene, sure: float) -> str:
    """Return the words of an agent before its answer."""
    weighed = "Having weighed the answers so far" if any(scene.heard) else "Going by what I know"
    stated = state_confidence(sure, SCALES.get(scene.reads_as, "percent"))
    return f"{weighed}, I hold this to be right.\nConfidence: {stated}"


def _judgement(scene: Scene, answer: str, side: str, decides: float) -> Speech:
    """Return the reply of a judge. It decides where it must, or where the answers heard agree."""
    must = scene.reads_as in {"decision", "support"} or scene.step in MUST_DECIDE
    prefers = must or _is_settled(scene, decides)
    reason = "The answers agree well enough." if prefers else "Neither side has carried the point."
    return Speech(answer=answer, decides=prefers, reason=reason, side=side)


def _ends_debate(scene: Scene, answer: str, chance: float) -> bool:
    """Return whether an agent ends the debate; a consultant does when shown its own answer."""
    if scene.reads_as != "opinion":
        return _is_settled(scene, chance)
    reviewed = scene.others[-1] if scene.others else None
    return reviewed is not None and normalize_answer(reviewed) == normalize_answer(answer)


def _is_settled(scene: Scene, chance: float) -> bool:
    """Return whether the debate looks settled: the more answers agree, the more probably."""
    heard = [found for found in scene.heard if found is not None]
    return chance < (max(map(heard.count, set(heard))) / len(heard) if heard else 0.0)


def _population(knobs: dict[str, float | str], *, where: str) -> Population:
    """Return the population of these knobs, given as numbers or as texts."""
    check_known("knob", knobs, Population.__struct_fields__, where=where)
    try:
        population = msgspec.convert(knobs, Population, strict=False)
    except msgspec.ValidationError as error:
        knob, fault = split_fault(error)
        raise InputError(f"{where}: {knob}={knobs[knob]}: {fault}") from None
    with place_errors(where):
        share = parse_favours(population.favours)[1]
    if population.first + share > 1:
        raise InputError(f"{where}: first and the share of favours come to more than 1")
    for name in ("own", "quotations"):
        if population.first + getattr(population, name) > 1:
            raise InputError(f"{where}: first and {name} come to more than 1")
    return population


@model_registry.decorate("simulated")
def make_simulated(name: ModelName) -> Simulated:
    """``simulated/NAME?knob=value``, with ``latency=SECONDS`` if wanted."""
    knobs: dict[str, float | str] = dict(name.options)
    latency = parse_latency(name)
    knobs.pop("latency", None)
    return Simulated(name.model or "population", latency=latency, **knobs)
