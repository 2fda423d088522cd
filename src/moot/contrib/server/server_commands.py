"""The commands that serve, each of which is imported when it is used."""

from moot.extend.commands import CommandPlace

serve = CommandPlace(
    "moot.contrib.server.serve:serve",
    "Serve debates: web pages, and an endpoint for OpenAI's clients.",
    extra="serve",
    group="Ask",
)
mcp = CommandPlace(
    "moot.contrib.server.mcp:mcp",
    "Give assistants the tools ask, council, review and transcript.",
    extra="mcp",
    group="Ask",
)
