"""Features: what one that is off says, and the order in which they stand."""

from moot.debate import feature
from moot.debate.debate_settings import DebateSettings
from moot.debate.protocol import registry


def test_what_is_off_is_what_the_settings_of_the_feature_say():
    """The tables by which nothing is imported for a feature that is off say the truth."""
    for name, usual in {**feature.ALWAYS, **feature.OFF}.items():
        found = feature.find_feature(name)
        assert getattr(found.Settings(), name) == usual
        assert name in found.names
    for protocol in registry:
        assert not protocol.read(protocol.check({}, absent=True)).features or protocol.check(
            {}, absent=True
        ).get("confidence")


def test_an_agent_without_tools_in_a_debate_without_any_makes_no_calls():
    society = registry.get("society-of-minds")
    assert society.count(society.check({"agents": [{"tools": []}, {}]})) == (4, 4)


def test_features_are_in_one_order_wherever_settings_stand():
    settings = {"tools": [{"name": "a", "command": "b"}], "evidence": "docs", "opening": "put"}
    turned = dict(reversed(settings.items()))
    both = [
        [each.feature.names[0] for each in DebateSettings(s).features] for s in (settings, turned)
    ]
    assert both == [["opening", "evidence", "tools"]] * 2
