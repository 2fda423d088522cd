"""An essay that is stopped after a stage, edited, and gone on with."""

import msgspec
import pytest

import moot
from moot.contrib.essays.draft import Draft, DraftRemark, format_draft
from moot.contrib.essays.essay_forms import essay_markdown, essay_page
from moot.contrib.essays.written import to_builtins
from moot.debate.protocol import registry
from support.essays import ESSAY, PLAN, PROPOSITION, steps

TURNS = [text for _, _, text, _ in steps()]
REPLACE = msgspec.structs.replace


def house(turns=TURNS):
    return moot.Scripted(turns, name="house")


@pytest.mark.parametrize(
    ("until", "calls", "has"),
    [
        ("personas", 1, (4, 0, 0, False)),
        ("selection", 2, (4, 3, 0, False)),
        ("debate", 10, (4, 3, 8, False)),
        ("plan", 11, (4, 3, 8, True)),
    ],
)
async def test_it_stops_and_goes_on_to_the_very_same_essay(until, calls, has, tmp_path):
    whole = await moot.write(PROPOSITION, model=house(), store=tmp_path / "whole", pool=4)
    place = {"model": house(), "store": tmp_path / "store"}
    made = await moot.write(PROPOSITION, until=until, pool=4, **place)
    assert (made.essay, made.failed, made.calls) == (None, None, calls)
    assert (len(made.pool), len(made.personas), len(made.dialogue), bool(made.plan_text)) == has
    assert not made.outcomes
    file = tmp_path / "draft.toml"
    file.write_text(format_draft(made.draft()))
    done = await moot.write(draft=file, model=house(), store=tmp_path / "other")
    assert (done.essay, done.calls) == (ESSAY, 12 - calls)
    assert done.run != made.run
    assert REPLACE(done.draft(), settings={}) == REPLACE(whole.draft(), settings={})
    assert (done.stance, done.plan) == (whole.stance, whole.plan)
    assert [each.text for each in done.dialogue] == [each.text for each in whole.dialogue]
    [*_, taken] = done.outcomes
    assert taken.startswith("Taken from the draft and not asked: personas")
    again = await moot.write(
        draft=file, model=house(), store=tmp_path / "other", budget=moot.Budget(calls=12 - calls)
    )
    assert (again.run, again.essay) == (done.run, ESSAY)


async def test_a_remark_can_be_put_into_the_discussion(tmp_path):
    asked = []
    writer = moot.Scripted(lambda call: asked.append(call) or "1. So be it.", name="house")
    place = {"store": tmp_path / "store", "pool": 4}
    made = await moot.write(PROPOSITION, model=house(), until="debate", **place)
    draft = made.draft()
    more = DraftRemark(speaker="Agent B", text="And the roof leaks.")
    draft = REPLACE(draft, dialogue=(*draft.dialogue[:2], more))
    done = await moot.write(draft=draft, model=writer, until="plan", **place)
    said = asked[0].messages[-1].content
    assert said.index("Agent B: So I think.") < said.index("Agent B: And the roof leaks.")
    assert "Critic:" not in said
    assert (done.plan_text, done.calls, len(done.dialogue)) == ("1. So be it.", 1, 3)


async def test_what_cannot_be_gone_on_from_is_told(tmp_path):
    place = {"model": house(), "store": tmp_path / "store"}
    made = await moot.write(PROPOSITION, pool=4, **place)
    draft = made.draft()
    cut = await moot.write(draft=draft, until="selection", **place)
    assert (cut.calls, len(cut.personas), cut.dialogue) == (0, 3, ())

    async def refused(said, draft=draft, **given):
        with pytest.raises(moot.InputError, match=said):
            await moot.write(draft=draft, **place, **given)

    await refused("alternatives: the draft has its essay; delete", alternatives=2)
    await refused("proposition 'x': the draft has another: 'Museums", proposition="x")
    await refused("protocol 'essay-plan': the draft has another: 'deb", protocol="essay-plan")
    without = REPLACE(draft, essay="")
    await refused("unknown stage 'plans'; did you mean 'plan'", without, until="plans")
    await refused("neither a pool nor a team", without, personas=False)
    speaker = (DraftRemark(speaker="Agent D", text="I?"),)
    await refused(
        r"debate\[1\]: unknown speaker 'Agent D'; .*Agent A, Agent B, Agent C, Critic",
        REPLACE(without, dialogue=speaker, plan=""),
    )
    await refused("expected a Draft, its file, an essay or a run's id, got 3", 3)
    with pytest.raises(moot.InputError, match="unknown stage 'plan'"):
        await moot.write(PROPOSITION, protocol="essay-direct", until="plan", **place)


def reply(call):
    said = {"personas": TURNS[0], "select": TURNS[1], "plan": PLAN}
    if call.scene.step in {"essay", "revise"}:
        return f"Essay {call.draw.repeat} of step {call.scene.step}, which nobody would call long."
    return said.get(call.scene.step, "So.\nSatisfied: yes\nPersuaded: yes")


@pytest.fixture
def place(tmp_path):
    return {"store": tmp_path / "store", "model": moot.Scripted(reply, name="house")}


@pytest.mark.parametrize("protocol", ["debate-to-write", "essay-plan", "essay-direct"])
async def test_an_essay_is_revised_by_a_remark_in_one_call(protocol, place):
    asked = []
    made = await moot.write(PROPOSITION, protocol=protocol, words=80, **place)
    writer = moot.Scripted(lambda call: asked.append(call) or "Better.", name="house")
    done = await moot.write(draft=made, revise="Say it shorter.", **{**place, "model": writer})
    assert (done.essay, done.calls, done.plan_text) == ("Better.", 1, made.plan_text)
    said = asked[0].messages[-1].content
    assert f"argues against it:\n\n{made.essay}\n\nThe remark" in said
    assert "\n\nSay it shorter.\n\n" in said
    assert "80 words" in said
    assert asked[0].messages[0].content.startswith("You write argumentative essays")
    assert [each.text for each in done.dialogue if each.step == "essay"] == [made.essay]
    again = await moot.write(draft=done, revise="And louder.", **{**place, "model": writer})
    assert "argues against it:\n\nBetter.\n\nThe remark" in asked[1].messages[-1].content
    assert again.run != done.run


EDITED = (
    "Conclusion: a free door is no free museum. The house says “repairs doubled in ten years” [1] "
    "and “repairs tripled in ten years” [1].\n\nLet me know if you come.\n"
)


@pytest.mark.parametrize("protocol", ["debate-to-write", "essay-plan", "essay-direct"])
async def test_an_edited_essay_is_checked_again_for_no_call(protocol, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "house.md").write_text("In museums, repairs doubled in ten years.\n")
    more = {} if protocol == "essay-direct" else {"evidence": tmp_path / "notes", "strict": True}
    place = {"store": tmp_path / "store", "model": moot.Scripted(reply, name="house")}
    made = await moot.write(PROPOSITION, protocol=protocol, words=11, **more, **place)
    asked = []
    silent = moot.Scripted(lambda call: asked.append(call) or "No.", name="house")
    done = await moot.write(
        draft=REPLACE(made.draft(), essay=EDITED),
        model=silent,
        store=tmp_path / "store",
        budget=moot.Budget(calls=0),
    )
    assert (asked, done.calls, done.failed) == ([], 0, None)
    assert done.essay == EDITED.strip()  # its label and its last line are the writer's own
    assert done.run != made.run
    if more:
        found, altered = done.quotes
        assert (found.state, altered.state) == ("found", "altered")
        assert "repairs doubled in ten years" in altered.nearest
        assert [each.source for each in done.passages] == ["house.md:1"]
    assert any("more than the 11 asked for" in each for each in done.outcomes)
    assert done.draft().essay == EDITED.strip()
    again = await moot.write(draft=done, model=silent, store=tmp_path / "store")
    assert (again.essay, asked) == (done.essay, [])


async def test_alternatives_are_draws_of_the_last_call_from_one_plan(place):
    made = await moot.write(PROPOSITION, alternatives=3, **place)
    assert [each.essay for each in made.alternatives] == [
        f"Essay {n} of step essay, which nobody would call long." for n in range(3)
    ]
    assert (made.essay, made.calls) == (made.alternatives[0].essay, 2 + 4 + 1 + 3)
    [one, two, _] = made.alternatives
    assert (one.words, one.alike, two.cut) == (10, 5 / 7, False)
    assert not any(each.step == "essay" for each in made.dialogue)
    text = " ".join(essay_markdown(made).split())
    assert "Essay 2 of 3: 10 words, 71% of it word for word as in another" in text
    assert "Essay 3 of 3" in essay_page(made)
    revised = await moot.write(draft=made, revise="More.", alternatives=2, **place)
    said = [each.essay[:26] for each in revised.alternatives]
    assert said == ["Essay 0 of step revise, wh", "Essay 1 of step revise, wh"]
    assert revised.calls == 2


async def test_a_run_an_essay_and_its_json_can_be_gone_on_from(place, tmp_path):
    made = await moot.write(PROPOSITION, protocol="essay-plan", **place)
    file = tmp_path / "essay.json"
    file.write_bytes(msgspec.json.encode(to_builtins(made)))
    runs = set()
    for source in (made, made.run, made.run[:8], file, made.draft()):
        done = await moot.write(draft=source, revise="More.", **place)
        runs.add(done.run)
    assert len(runs) == 1
    for source, said in {
        "ask-nothing": "unknown run 'ask-nothing'",
        tmp_path / "no.json": "draft .*no.json: No such file",
    }.items():
        with pytest.raises(moot.InputError, match=said):
            await moot.write(draft=source, revise="More.", **place)
    file.write_text('{"essay": 3}')
    with pytest.raises(moot.InputError, match="no essay as moot write --json prints it"):
        await moot.write(draft=file, revise="More.", **place)


@pytest.mark.parametrize(
    ("given", "calls"),
    [
        ({}, (5, 18)),
        ({"alternatives": 4}, (8, 21)),
        ({"revise": "x"}, (6, 19)),
        ({"draft": {"essay": "y"}, "revise": "z", "alternatives": 3}, (3, 3)),
        ({"draft": {"plan": "x"}, "alternatives": 4}, (4, 4)),
        ({"draft": {"plan": "x"}, "strict": True}, (1, 2)),
        ({"draft": {"selection": [{"description": "x"}, {"description": "y"}]}}, (3, 11)),
        ({"draft": {"personas": [{"description": "x"}]}, "until": "selection", "team": 1}, (1, 1)),
        ({"people": [{"description": "x"}], "until": "debate"}, (1, 6)),
        ({"until": "personas"}, (1, 3)),
    ],
)
def test_the_price_is_that_of_what_follows(given, calls):
    protocol = registry.get("debate-to-write")
    assert protocol.count(protocol.check(given)) == calls


async def test_what_cannot_be_revised_is_told(place):
    with pytest.raises(moot.InputError, match="revise: of which essay"):
        await moot.write(PROPOSITION, revise="More.", **place)
    made = await moot.write(PROPOSITION, until="plan", **place)
    with pytest.raises(moot.InputError, match="revise: the draft has no essay"):
        await moot.write(draft=made, revise="More.", **place)
    with pytest.raises(moot.InputError, match="strict mends one essay, and there are 2"):
        await moot.write(PROPOSITION, alternatives=2, strict=True, **place)
    with pytest.raises(moot.InputError, match="draft: protocol americano takes none"):
        await moot.write(
            draft=Draft(proposition="x", protocol="americano", essay="y"), revise="More.", **place
        )
