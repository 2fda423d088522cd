"""Files of what was fitted for a gate: ``moot tune`` writes them, a setting of the gate names them.

A file says on which questions it was fitted, by hashes of their words. A study that asks any of
them is refused: on these a gate looks better than it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from moot.core.encoding import describe_not_json, drop_mark
from moot.core.errors import InputError
from moot.core.events import Transcript
from moot.core.files import read_small, write_file
from moot.core.questions import Question
from moot.core.results import Difference, Mean
from moot.core.stored import Arm
from moot.debate.agent_config import models_in
from moot.debate.protocol import Protocol
from moot.debate.reply_features import OFFSET, SIGNAL, estimate_probability
from moot.parsing.self_critique import ReplyFeatures
from moot.statistics.calibration import ScoredConfidence
from moot.statistics.calibration_maps import fit_map
from moot.statistics.logistic import LogisticModel, fit_logistic

THRESHOLD, CLASSIFIER, FILLED_IN = "threshold", "classifier", "fitted"
SHOWN = 3
"""Questions that an error names."""


def hash_question(question: Question) -> str:
    """Return the hash of a question's words, 16 hexadecimal digits; equal for two copies of it."""
    words = question.flat_words.encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=8).hexdigest()


class FittedThreshold(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A threshold, and all that says where it comes from.

    Attributes:
        kind: ``"threshold"``.
        signal: what is compared with it: ``"confidence"`` or ``"agreement"``.
        protocol: the gate it was fitted for.
        threshold: the gate accepts what is above it.
        why: why this one of all that were looked at.
        settings: of the gate, but for those of a single run.
        models: the names of all models that speak.
        datasets: the names of the datasets.
        runs: the keys of the runs it was fitted on.
        made: the day on which the first of them began, in UTC.
        questions: the hashes of the words of the questions, sorted.
        n: the debates.
        right: those whose first round was right.
        unread: those in which the signal could not be read.
        auroc: how well the signal tells right first rounds from wrong ones.
        margin: how much accuracy it may cost.
        difference: the accuracy with the gate minus that of always debating, paired.
        accepted: the share of debates that the gate would have spared.
        share: what debates with the gate would have taken, as a share of what always debating
            took: of tokens, or of calls where an endpoint reported no tokens.
    """

    kind: str = "threshold"
    signal: str
    protocol: str
    threshold: float
    why: str
    settings: dict[str, Any]
    models: list[str]
    datasets: list[str]
    runs: list[str]
    made: str
    questions: list[str]
    n: int
    right: int
    unread: int
    auroc: Mean
    margin: float
    difference: Difference
    accepted: float
    share: float

    @property
    def digest(self) -> str:
        """The content hash, 16 hexadecimal digits; the day is not in it."""
        content = msgspec.json.encode(msgspec.structs.replace(self, made=""), order="sorted")
        return blake2b(content, digest_size=8).hexdigest()

    @property
    def filled_in(self) -> dict[str, Any]:
        """The setting of the gate that names the file, with what it stands for."""
        return {THRESHOLD: self.threshold}

    @staticmethod
    def hash_questions(questions: Iterable[Question]) -> list[str]:
        """Return the hashes of the words of questions, each once, sorted."""
        return sorted({hash_question(each) for each in questions})

    def with_classifier(self, classifier: "ReplyClassifier") -> "FittedThreshold":
        """Return the same with a classifier of replies, which the file is then of."""
        own = msgspec.structs.asdict(self) | {"kind": CLASSIFIER}
        return FittedClassifier(**own, classifier=classifier)

    def write(self, path: Path) -> None:
        """Write the file, as JSON for people to read."""
        write_file(path, msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n")


class ReplyClassifier(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What turns the features of a reply into the probability that its answer is right.

    Attributes:
        model: the logistic regression.
        slope: what its log-odds are multiplied by, so that the probability is calibrated.
        shift: what is added to them then.
        fitted: how many answers the weights were fitted on.
        apart: how many others calibrated it, and measured how well it tells right from wrong.
    """

    model: LogisticModel
    slope: float
    shift: float
    fitted: int
    apart: int

    @classmethod
    def fit(cls, cases: Sequence[Mapping[str, float]], right: Sequence[bool]) -> "ReplyClassifier":
        """Return the classifier of these cases, not calibrated yet.

        Args:
            cases: the features of each answer, the same in all; at least one.
            right: whether each answer is right; some are and some are not.
        """
        model = fit_logistic(cases, right)
        return cls(model=model, slope=1.0, shift=0.0, fitted=len(cases), apart=0)

    def calibrate(self, answers: Sequence[ScoredConfidence]) -> "ReplyClassifier":
        """Return the same with Platt's map, fitted on its probabilities of other answers."""
        slope, shift = fit_map("platt", answers, source=SIGNAL, model="").parameters
        return msgspec.structs.replace(self, slope=slope, shift=shift, apart=len(answers))

    def estimate(self, features: Mapping[str, float]) -> float:
        """Return the probability that an answer with these features is right, 0 to 1."""
        return estimate_probability(features, self.weights)

    @staticmethod
    def read_features(transcript: Transcript) -> Mapping[str, float] | None:
        """Return the features that a debate has recorded of its first reply; None without any."""
        counted = (each.reading for each in transcript.notes if each.what == "count")
        return next((each.values for each in counted if isinstance(each, ReplyFeatures)), None)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each feature as the gate counts it, and the offset."""
        offset, weights = self.model.unscale(self.slope, self.shift)
        return {OFFSET: offset, **weights}


class FittedClassifier(FittedThreshold, frozen=True, kw_only=True):
    """A classifier of replies, and all that says where it comes from.

    The threshold was set and not fitted; the gate's figures are of the questions that calibrated.

    Attributes:
        classifier: what gives the probability that is compared with it.
    """

    kind: str = CLASSIFIER
    classifier: ReplyClassifier

    @property
    def filled_in(self) -> dict[str, Any]:
        """The setting of the gate that names the file, with what it stands for."""
        return {CLASSIFIER: self.classifier.weights}


FILES: dict[str, type[FittedThreshold]] = {THRESHOLD: FittedThreshold, CLASSIFIER: FittedClassifier}
"""What a file holds, by its kind, which is also the setting that names it."""


def load_fitted(path: Path, kind: str, *, where: str) -> FittedThreshold:
    """Read a file of a kind. Raises ``InputError`` naming it and what is wrong."""
    try:
        content = read_small(path)
    except OSError as error:
        raise InputError(
            f"{where}: {path}: {error.strerror or error}; moot tune writes such a file"
        ) from None
    try:
        found = msgspec.json.decode(drop_mark(content), type=FILES[kind])
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        fault = describe_not_json(error, content)
        raise InputError(f"{where}: {path} is no file of a fitted {kind}: {fault}") from None
    if found.kind != kind:
        raise InputError(f"{where}: {path} is no file of a fitted {kind}: kind {found.kind!r}")
    return found


def fill_fitted(
    settings: Mapping[str, Any], protocol: Protocol, folder: Path | None, *, where: str
) -> dict[str, Any]:
    """Return settings in which a file that a gate's setting names is its content and its hash.

    Args:
        settings: as they were given.
        protocol: whose settings they are; those of one that is no gate are returned as they are.
        folder: what the file is relative to, or else to the folder of this process.
        where: the place of the settings, for errors.

    Raises:
        InputError: there is no such file, or it is for another signal.
    """
    given, setting = dict(settings), protocol.fitted_setting
    named = given.get(setting)
    if not isinstance(named, str) or _is_number(named):
        return given
    found = load_fitted(_find(named, folder), setting, where=f"{where}: {setting}")
    if found.signal != protocol.signal:
        raise InputError(
            f"{where}: {setting} = {named!r}: it is one of {found.signal}, and {protocol.name} "
            f"looks at {protocol.signal}"
        )
    return given | found.filled_in | {FILLED_IN: f"{named} {found.digest}"}


def check_fitted(
    arm: Arm, questions: Iterable[Question], folder: Path | None, *, where: str
) -> None:
    """Check that what was fitted for an arm is of its models, and of none of these questions.

    Args:
        arm: with settings as ``fill_fitted`` returns them; one without a file is not looked at.
        questions: what it will be asked.
        folder: what the file is relative to.
        where: the arm's place, for errors.

    Raises:
        InputError: it is of other models or of some of the questions, or has changed since.
    """
    named, _, digest = str(arm.settings.get(FILLED_IN, "")).rpartition(" ")
    if not named:
        return
    setting = CLASSIFIER if CLASSIFIER in arm.settings else THRESHOLD
    place = f"{where}: {setting} = {named!r}"
    found = load_fitted(_find(named, folder), setting, where=f"{where}: {setting}")
    if found.digest != digest:
        raise InputError(f"{place}: the file has changed meanwhile")
    speaking = sorted(models_in(arm.settings))
    if speaking != found.models:
        raise InputError(
            f"{place}: it was fitted on replies of {', '.join(found.models)}, and here "
            f"{', '.join(speaking)} speaks: fit it for that"
        )
    known = set(found.questions)
    seen = [each.id for each in questions if hash_question(each) in known]
    if seen:
        raise InputError(
            f"{place}: it was fitted on {len(seen)} of these questions "
            f"({', '.join(seen[:SHOWN])}{' …' * (len(seen) > SHOWN)}), where it looks better than "
            "it is; ask others, by another seed or another part of the dataset"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _find(named: str, folder: Path | None) -> Path:
    """Return where a file is: in the study's folder, else in that of this process."""
    return folder / named if folder is not None and (folder / named).is_file() else Path(named)
