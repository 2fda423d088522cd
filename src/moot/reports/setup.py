"""How a run was made: what a reader needs to make it again."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

from msgspec.structs import replace

from moot.core.display_text import make_visible
from moot.core.events import Transcript
from moot.core.recorded_settings import CastSettings, NetworkSettings, read_settings
from moot.core.stored import Arm, RunRow, StudyRow, decode_study
from moot.debate.agent_config import models_in
from moot.debate.graph import PRESETS
from moot.debate.protocol import registry
from moot.protocols import NODE


class Setup(NamedTuple):
    """What a run was begun with.

    Attributes:
        study: its name.
        run: the run's key.
        begun: date and time in UTC; also of a run that was gone on with later.
        version: of the moot that reports.
        arms: by name, the protocol and the settings that not all arms have, in one line.
        models: the names of those that speak in it, each once.
        standing: how it stands, see ``RunRow``.
        origin: where its debates were recorded; empty for moot's own.
        shared: the settings that all arms have, without defaults, in one line.
    """

    study: str
    run: str
    begun: str
    version: str
    arms: dict[str, str]
    models: tuple[str, ...] = ()
    standing: str = "done"
    origin: str = ""
    shared: str = ""

    @property
    def words(self) -> str:
        """Everything but the arms, in one line that is safe to look at."""
        run = f"study {self.study} · run {self.run} · begun {self.begun}"
        run += "" if self.standing == "done" else f" · {self.standing}"
        run += f" · {self.origin}" if self.origin else ""
        return make_visible(f"{run} · reported by moot {self.version}")


def describe_setup(row: RunRow, *, paths: bool = True) -> Setup:
    """Return the setup of a run in the store: its study, arms, models and time.

    Args:
        row: the run.
        paths: whether the user's files and folders are named; see ``describe_settings``.
    """
    study = decode_study(row)
    begun = datetime.fromtimestamp(row.created, UTC)
    own = {arm.name: describe_settings(arm.factors, paths=paths) for arm in study.arms}
    shared: list[str] = []
    if len(study.arms) > 1:
        shared, own = share_settings(study.arms, paths=paths)
    arms = {arm.name: " · ".join([arm.protocol, *own[arm.name]]) for arm in study.arms}
    when, models = f"{begun:%Y-%m-%d %H:%M} UTC", list_models(study)
    named = row.name, row.key, when, version("moot")
    standing = row.described_status
    return Setup(*named, arms, models, standing, study.origin, " · ".join(shared))


def list_models(study: StudyRow) -> tuple[str, ...]:
    """Return the models of the agents of all arms, each once."""
    speak = (models_in(arm.settings) for arm in study.arms if "model" in arm.settings)
    return tuple(dict.fromkeys(name for names in speak for name in names))


class SharedSettings(NamedTuple):
    """The settings of several arms, apart from those that nobody set.

    Attributes:
        shared: what all arms have alike, without defaults.
        own: by arm, what others do not have.
    """

    shared: list[str]
    own: dict[str, list[str]]


def share_settings(arms: Sequence[Arm], *, paths: bool = True) -> SharedSettings:
    """Return the settings that arms share and those of each alone, as ``describe_settings``.

    Of what all have, the defaults are left out; of a single arm everything that is a default is.
    """
    every = {arm.name: describe_settings(arm.factors, paths=paths) for arm in arms}
    usual = set[str]()
    for arm in arms[:1]:
        known = registry.find(arm.protocol)
        defaults = {e.name: e.default for e in known.described_settings} if known else {}
        usual = set(describe_settings(defaults))
    common = [each for each in every[arms[0].name] if all(each in own for own in every.values())]
    own = {name: [each for each in told if each not in common] for name, told in every.items()}
    return SharedSettings([each for each in common if each not in usual], own)


NOT_SHOWN = "(not shown)"
"""What stands for where a user's files are."""
_FILES = ("evidence", "examples", "sources")
"""Settings that name files or folders."""


def describe_settings(settings: Mapping[str, Any], *, paths: bool = True) -> list[str]:
    """Return settings as ``name = value``, without those that are unset or have no effect.

    Args:
        settings: by name.
        paths: whether the user's files and folders are named; False where others read it.
    """
    if not paths:
        settings = hide_paths(settings)
    idle = _idle(settings) if _is_network(settings) else set()
    own = {
        key: value for key, value in settings.items() if not _is_empty(value) and key not in idle
    }
    return [f"{key} = {_in_words(key, value, own)}" for key, value in own.items()]


def _is_empty(value: object) -> bool:
    return value is None or value in ([], "")


def hide_paths(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings, and those of a network's nodes, without where files and servers are."""
    made = _hide_files(settings)
    if made.get("tools"):  # a server's command or address, and the names of its secrets
        shown = {"name", "allow"}
        made["tools"] = [{key: each[key] for key in each if key in shown} for each in made["tools"]]
    if cast := read_settings(settings, CastSettings).cast:
        made["cast"] = [_hide_files(each) for each in cast]
    if _is_network(settings):
        made["nodes"] = [hide_paths(node) for node in made["nodes"]]
    return made


def _hide_files(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: NOT_SHOWN if value and key in _FILES else value for key, value in settings.items()}


def hide_paths_of_debate(transcript: Transcript) -> Transcript:
    """Return a transcript whose settings are without where files and servers are."""
    opened, events = transcript.opened, transcript.events
    return Transcript((replace(opened, settings=hide_paths(opened.settings)), *events[1:]))


def _is_network(settings: Mapping[str, Any]) -> bool:
    """Whether it has nodes as networks have them, and not a setting that is called so."""
    nodes = settings.get("nodes")
    return isinstance(nodes, list) and all(isinstance(n, Mapping) and "name" in n for n in nodes)


def _idle(settings: Mapping[str, Any]) -> set[str]:
    """What stands for nothing in a network whose nodes and edges are told one by one."""
    network = read_settings(settings, NetworkSettings)
    wired, preset = network.edges or [], PRESETS.get(str(network.graph))
    return {"communities"} if wired == preset else {"communities", "graph"}


def _in_words(key: str, value: Any, settings: Mapping[str, Any]) -> str:  # noqa: ANN401 -- a setting is anything
    if key == "cast":
        return "; ".join(_table(entry) for entry in value)
    if key == "draft" and isinstance(value, Mapping):
        return ", ".join(stage for stage, content in value.items() if content)
    if key == "edges" and _is_network(settings):
        return ", ".join("→".join(edge) for edge in value)
    if key == "nodes" and _is_network(settings):
        return ", ".join(_node(node, settings) for node in value)
    if key == "inner" and isinstance(value, Mapping):
        kind = value["protocol"]
        return _node({**value, "name": kind}, {**settings, "protocol": kind})
    return str(value)


def _node(node: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return a node by its name and by what it has neither from the network nor by default."""
    kind = node.get("protocol", NODE)
    known = registry.get(kind).described_settings if kind in registry.names() else ()
    usual = {"protocol": NODE, **{setting.name: setting.default for setting in known}}
    usual |= {key: value for key, value in settings.items() if key != "cast"}
    own = {
        key: value
        for key, value in node.items()
        if key != "name" and not _is_empty(value) and value != usual.get(key)
    }
    cast = own.pop("cast", ())
    told = [_table(own)] if own else []
    said = ", ".join(told + [f"agent: {_table(entry)}" for entry in cast])
    return f"{node['name']} ({said})" if said else str(node["name"])


def _table(entry: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in entry.items())
