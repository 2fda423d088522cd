"""Talks about a proposition, in Markdown."""

FORM = "persuasion"
TALK = """# Persuasion Transcript

## Proposition

Museums should be free.

## Turn 1

- speaker_role: `persuader`
- speaker_model: `one`

Yes.

They should.

## Turn 2

- speaker_role: `target`
- speaker_model: `two`

I doubt it.
"""


def test_a_talk_has_roles_models_and_its_side(tmp_path, read):
    (tmp_path / "prop_1__one__two__con__x.md").write_text(TALK)
    (tmp_path / "note.md").write_text("# Persuasion Transcript\n")
    [debate], [unread], _ = read(tmp_path, form=FORM)
    assert (debate.id, debate.question.text) == ("prop_1", "Museums should be free.")
    assert debate.settings == {"side": "con"}
    assert [(turn.agent, turn.text, turn.reads) for turn in debate.turns] == [
        ("persuader", "Yes.\n\nThey should.", ()),
        ("target", "I doubt it.", (1,)),
    ]
    assert [(agent.model, agent.answers) for agent in debate.agents] == [
        ("one", False),
        ("two", False),
    ]
    assert unread.place == "note.md"
