"""The moves that protocols of argued essays share."""

import pytest

from moot import InputError
from moot.debate.protocol import registry
from support.essays import speaking, write_by

CURATOR = {"role": "member", "persona": "A curator"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cast": [CURATOR]}, "agent with persona 'A curator': members have those of the pool"),
        ({"cast": [{}, {"persona": "A curator"}]}, "members have those of the pool"),
        ({"cast": [CURATOR] * 3, "personas": False}, "3 personas for role member, and all members"),
    ],
)
def test_an_agent_has_no_persona_beside_that_of_the_pool(given, said):
    with pytest.raises(InputError, match=said):
        registry.get("debate-to-write").check(given)


async def test_three_members_without_a_pool_each_have_their_own_persona(store):
    cast = [{"persona": f"You are {who}."} for who in ("Ann", "Bo", "Cy")]
    _, _, sent = await write_by(store, speaking(), personas=False, cast=cast)
    assert [who in sent[turn] for turn, who in enumerate(("Ann", "Bo", "Cy"), 1)] == [True] * 3
    assert "Cy" not in sent[1]
