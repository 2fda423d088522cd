"""Views can be stripped and relabelled; the turns stay those that were read."""

from moot.models.scripted import Scripted
from support.debates import staged


async def test_a_turn_reads_what_stood_in_its_prompt_however_it_was_shown(store):
    seen = []

    def script(call):
        seen.append(call.messages[-1].content)
        return f"Because {call.draw.seat}.\nFinal answer: {call.draw.seat}"

    debate = staged("society-of-minds", Scripted(script), store)
    minds = debate.seat("mind", 3)
    views = await debate.everyone(minds, "answer")
    shown = views.without(minds[0]).to_answers().anonymous()
    view = await debate.ask(minds[0], "revise", others=shown)
    assert "Because" not in seen[-1]
    assert "Agent 2" in seen[-1]
    assert view.turn.reads == (1, 2, 3)
