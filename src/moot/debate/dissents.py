"""The dissents of a recorded debate: minorities, and what its protocol recorded as one."""

from moot.core.dissent import Dissent
from moot.core.events import Noted, Transcript
from moot.debate.recorded import RecordedVoters
from moot.debate.views import View
from moot.parsing.same import answer_value, is_same


def list_dissents(transcript: Transcript) -> tuple[Dissent, ...]:
    """Return what speaks against the verdict of a debate; empty without a verdict.

    Those that the protocol recorded come first. Then comes a dissent for each final answer of those
    who vote that is not the verdict's, the most frequent first. Open answers, of which no two are
    the same, are no minorities of one another.
    """
    if transcript.verdict is None:
        return ()
    noted = (
        _describe_note(note, transcript) for note in transcript.notes if note.what == "dissent"
    )
    return (*noted, *_find_minorities(transcript))


def _describe_note(note: Noted, transcript: Transcript) -> Dissent:
    words = next((turn.text for turn in transcript.turns if turn.id == note.turn), "")
    return Dissent(agents=note.agents, why=note.why, words=words, turn=note.turn)


def _find_minorities(transcript: Transcript) -> list[Dissent]:
    """Return the answers of those who vote that are not the verdict's, with who gives them."""
    verdict, question = transcript.verdict, transcript.question
    if verdict is None or verdict.answer is None:
        return []
    groups: dict[object, list[View]] = {}
    for view in RecordedVoters(transcript).final:
        if view.answer is not None:
            groups.setdefault(answer_value(view.answer, question.kind), []).append(view)
    if question.kind == "text" and max(map(len, groups.values()), default=0) < 2:
        return []
    others = [
        views
        for views in groups.values()
        if not is_same(views[0].answer, verdict.answer, question.kind)
    ]
    return [
        Dissent(
            agents=tuple(view.agent.seat.agent for view in views),
            why=f"answer{'s' if len(views) == 1 else ''} {views[0].answer}",
            answer=views[0].answer,
            words="" if views[0].turn.order else views[0].text,  # it speaks of other letters
            turn=views[0].turn.id,
        )
        for views in sorted(others, key=len, reverse=True)
    ]
