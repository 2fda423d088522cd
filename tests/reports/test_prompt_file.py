"""A file of prompts to put words of one's own in: as it is, it changes none."""

import pytest

from moot.core.errors import InputError
from moot.debate.protocol import registry
from moot.reports.prompt_file import write_prompts
from support.commands import run_command

NAMES = ("society-of-minds", "multi-persona", "chateval", "community", "debate-to-write", "single")


def settings(name, **given):
    protocol = registry.get(name)
    return protocol.read(protocol.check(given, absent=True))


def texts(pack):
    found = {}
    for kind in ("role", "step", "part", "form", "style", "question", "agreement"):
        for name, step in pack.list_prompts(kind):
            parts = (step, step.kept, step.form, step.asked, step.answered)
            words = [part and part.source for part in parts]
            found[name] = [*words, step.reads_as, step.heard]
    return found


@pytest.mark.parametrize("faithful", ["ours", "paper", "code"])
@pytest.mark.parametrize("name", NAMES)
def test_a_file_laid_in_as_it_is_written_changes_no_word(name, faithful, tmp_path):
    own = settings(name, faithful=faithful)
    file = tmp_path / "mine.toml"
    file.write_text(write_prompts(own), "utf-8")
    laid = own.pack(file)
    assert texts(laid) == texts(own.pack())
    assert laid.unshown == ()


def test_only_prompts_that_are_sent_stand_in_it():
    text = write_prompts(settings("single", style="simple"))
    assert '["single".style.simple]' in text
    assert "style.cot" not in text
    assert "form.chat" not in text
    assert '["single".form.choice]' in text
    assert "# Slots: form, question." in text


def lay(tmp_path, text, name="society-of-minds"):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    return settings(name).pack(file)


def test_words_that_do_not_show_what_others_said_are_named(tmp_path):
    blind = '["society-of-minds".step.revise]\ntext = "Think again. {{ form }}"\n'
    assert lay(tmp_path, blind).unshown == ("step.revise: others",)
    heard = blind.replace("text =", 'heard = "others"\ntext =')
    assert lay(tmp_path, heard).unshown == ()
    shown = blind.replace("again.", "again: {% for o in others %}{{ o.text }}{% endfor %}")
    assert lay(tmp_path, shown).unshown == ()


def test_a_slot_or_a_prompt_that_there_is_not_is_named(tmp_path):
    slot = '["society-of-minds".step.revise]\nheard = "peers"\ntext = "{{ others }}"\n'
    with pytest.raises(InputError, match="step: revise: heard: unknown slot 'peers'"):
        lay(tmp_path, slot)
    with pytest.raises(InputError, match="unknown step prompt 'revize'; did you mean 'revise'"):
        lay(tmp_path, slot.replace("step.revise", "step.revize"))


def test_commands_print_the_file_and_say_what_it_does_not_show(tmp_path):
    code, out, err = run_command(tmp_path, "protocols", "chateval", "--prompts")
    assert (code, err) == (0, "")
    assert '["chateval".step.speak]' in out
    code, out, _ = run_command(
        tmp_path, "protocols", "chateval", "--prompts", "--set", "faithful=code"
    )
    assert code == 0
    assert 'heard = "history"' in out
    code, _, err = run_command(tmp_path, "protocols", "--prompts")
    assert code == 2
    assert "--prompts: name the one protocol" in err
    (tmp_path / "mine.toml").write_text('["chateval".step.speak]\ntext = "{{ task }}"\n')
    asked = ("ask", "2+2?", "--kind", "number", "--protocol", "chateval", "--prompts", "mine.toml")
    code, _, err = run_command(tmp_path, *asked, "--model", "simulated/people")
    assert code == 0
    assert "mine.toml: step.speak: history: not shown" in err
