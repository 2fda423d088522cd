"""What the page of a debate that goes on offers: to reply, to invite, to steer."""

from typing import Any, NamedTuple

from moot import InputError, Steering
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.live_debates import LiveDebates
from moot.contrib.server.pages.person_page import PersonAddress
from moot.contrib.server.people_desk import AskingDebate


class Invitation(NamedTuple):
    """A person whom a debate waits for.

    Attributes:
        person: who.
        asked: what the person is asked, in words.
        reply: the URL of the person's page, for a client of the server.
        invite: the URL that is enough by itself.
    """

    person: str
    asked: str
    reply: str
    invite: str


def list_invitations(debates: LiveDebates, live: LiveDebate) -> list[Invitation]:
    """Return the people whom a debate waits for, the first asked first, each once."""
    if (desk := debates.people) is None:
        return []
    name = AskingDebate(live.run, live.replicate).name
    found: dict[str, Invitation] = {}
    for each in desk.list_waiting(debate=name):
        scene = each.call.scene
        asked = f"{scene.agent}, round {scene.round}" if scene else ""
        key = desk.make_key(each.person, name)
        own, link = PersonAddress(each.person, name), PersonAddress(each.person, name, key)
        found.setdefault(each.person, Invitation(each.person, asked, own.url(), link.url()))
    return list(found.values())


def describe_controls(debates: LiveDebates, live: LiveDebate | None) -> dict[str, Any] | None:
    """Return what the controls of a debate show; None where it does not go on."""
    if live is None or live.done:
        return None
    steps = [] if live.steering is None else live.steering.steps
    why = ""
    try:
        live.plan.require_steerable()
    except InputError as error:
        why = str(error).partition(";")[0]
    return {
        "invitations": list_invitations(debates, live),
        "steps": steps,
        "why": why,
        "longest": Steering.LONGEST,
    }
