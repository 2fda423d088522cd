"""What can be set, how it is written, and what is said of a setting that cannot be."""

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.debate.protocol import registry
from moot.debate.protocol_settings import convert_settings, describe_settings


class Some(msgspec.Struct, frozen=True, kw_only=True):
    count: Annotated[int, Meta(ge=1, lt=2**31, description="how many")] = 3
    share: Annotated[float, Meta(gt=0, le=0.5)] = 0.25
    way: Literal["all", "one"] = "all"
    loud: bool = False
    label: str | None = None


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"count": "7"}, 7), ({"count": 7}, 7), ({"count": 7.0}, 7), ({"share": "1e-3"}, 0.001),
        ({"way": "one"}, "one"), ({"loud": "true"}, True), ({"loud": "0"}, False),
        ({"loud": "off"}, False), ({"loud": "On"}, True), ({"label": "12"}, "12"),
        ({"label": "off"}, "off"),
    ],
)  # fmt: skip
def test_values_and_texts_from_a_command_line_are_taken(given, value):
    [name] = given
    assert getattr(convert_settings(Some, given, where="here"), name) == value


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count": 0}, "setting count = 0: expected `int` >= 1"),
        ({"count": 2**31}, "expected `int` <= 2147483647"),
        ({"count": "many"}, "setting count = 'many': expected `int`, got `str`"),
        ({"count": True}, "setting count = True: expected `int`, got `bool`"),
        ({"count": None}, "setting count = None: expected `int`, got `null`"),
        ({"share": 0}, "setting share = 0: expected `float` > 0.0"),
        ({"share": "0.6"}, "expected `float` <= 0.5"),
        ({"share": "nan"}, "setting share = 'nan'"),
        ({"way": "some"}, "setting way = 'some': expected one of all, one"),
        ({"loud": "perhaps"}, "setting loud = 'perhaps': expected `bool`"),
    ],
)
def test_an_impossible_value_is_named_with_what_is_possible(given, said):
    with pytest.raises(InputError, match="^here: .*" + said):
        convert_settings(Some, given, where="here")


def test_an_unknown_setting_or_style_names_the_nearest():
    with pytest.raises(UnknownName, match=r"^x\.toml: unknown style 'ctt'; did you mean 'cot'"):
        registry.get("single").check({"style": "ctt"}, where="x.toml")
    with pytest.raises(UnknownName) as caught:
        convert_settings(Some, {"cuont": 3}, where="study.toml, arm 2")
    assert (caught.value.nearest, caught.value.where) == ("count", "study.toml, arm 2")
    assert str(caught.value).startswith("study.toml, arm 2: unknown setting 'cuont'; did you mean")


def test_settings_are_described_in_words():
    assert convert_settings(Some, {}, where="here") == Some(), "what is not given has its default"
    said = {each.name: (each.type, each.default, each.help) for each in describe_settings(Some)}
    assert said == {
        "count": ("int >= 1 < 2147483648", 3, "how many"),
        "share": ("float > 0 <= 0.5", 0.25, ""),
        "way": ("'all' | 'one'", "all", ""),
        "loud": ("bool", False, ""),
        "label": ("str or none", None, ""),
    }


@pytest.mark.parametrize("name", [each.name for each in registry if each.is_installed])
def test_every_setting_of_every_protocol_can_be_listed_and_set(name):
    protocol = registry.get(name)
    own = protocol.own.__struct_fields__
    listed = [setting.name for setting in protocol.described_settings]
    assert tuple(listed[: len(own)]) == own
    assert {"model", "style", "temperature", "seed"} <= set(listed)
    for setting in protocol.described_settings:
        assert setting.help
        assert setting.type
        assert protocol.check({setting.name: setting.default}) == protocol.check({})
