"""The commands of argument writing, each of which is imported when it is used."""

from moot.extend.commands import CommandPlace

write = CommandPlace(
    "moot.contrib.essays.write_command:write",
    "Write an essay that argues against PROPOSITION, or for it.",
    group="Ask",
)
check = CommandPlace(
    "moot.contrib.essays.check_command:check",
    "Check what FILE quotes against your documents.",
    group="Ask",
)
essays = CommandPlace(
    "moot.contrib.essays.assess.essays_command:essays",
    "Tell how diverse, how long and how persuasive the essays of RUN are.",
    group="More",
    follows="stance",
)
