"""Views can be stripped, relabelled and reordered; the turns stay those that were read."""

from moot.debate.recorded import views_of
from moot.debate.views import Views
from moot.models.scripted import Scripted
from support.debates import SUM, hold, staged, stand


async def test_views_are_stripped_to_answers_or_to_reasons(store):
    script = ["Two and two,\nadded.\nFinal answer: 4"]
    bare = stand("4", None).to_answers()
    assert ([view.text for view in bare], bare.answers) == (["4", ""], ("4", None))
    views = views_of(await hold("single", script, store)).to_reasons(SUM)
    assert [view.text for view in views] == ["Two and two,\nadded."]
    assert views.answers == (None,)


def test_views_are_relabelled_and_reordered():
    views = stand("4", "5", "6")
    named = views.relabel(lambda view: f"seat {view.turn.seat}").reorder([2, 0, 1])
    assert [view.agent.label for view in named] == ["seat 2", "seat 0", "seat 1"]
    assert [view.agent.label for view in named.anonymous()] == ["Agent 1", "Agent 2", "Agent 3"]
    assert [view.turn.id for view in named] == [12, 10, 11]


def test_an_order_is_drawn_from_its_key_alone():
    views = stand(*"123456789")
    assert views.shuffle("q", 1).answers == views.shuffle("q", 1).answers
    assert views.shuffle("q", 1).answers != views.shuffle("q", 2).answers
    assert sorted(views.shuffle("q", 1).answers) == [*"123456789"]


def test_the_newest_view_of_each_speaker():
    first, second = stand("4", "5")
    again = Views((first, second, second.relabel("Agent 2", "6", 2)))
    assert again.newest([first.agent]).answers == ("4",)
    assert Views((first, second, first)).last == Views((first, second))


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
