"""The accuracy of a network's nodes, layers and sweeps, as values beside the registered metrics.

They are no metrics: how many there are depends on the network. ``node:C1`` is the accuracy of one
node, ``layer:2`` the mean over the nodes of a layer, ``sweep:3`` that over the nodes of a sweep
(MAD-Community, tables 2 to 5).
"""

from collections import defaultdict
from statistics import fmean

from moot.core.events import Transcript
from moot.core.recorded_settings import NetworkSettings, read_settings
from moot.debate.graph import Graph
from moot.metrics.debaters import find_right

NODE, LAYER, SWEEP = "node:", "layer:", "sweep:"


def measure_nodes(transcript: Transcript) -> dict[str, float | None]:
    """Return the accuracy of each node, and of each layer or sweep; empty without nodes.

    A node is right if its own verdict is; a node without a verdict, in a debate that failed, is not
    right. If nodes debate several times, its last verdict counts for the node, and its
    verdict in each sweep for the sweep. All are None if no right answer is known.
    """
    network = read_settings(transcript.opened.settings, NetworkSettings)
    names, edges = network.names, network.edges
    if not names:
        return {}
    known = find_right(transcript)
    swept = edges is None
    nodes = [node for node in transcript.nodes if node.node in names]  # not their sub-debates
    layer = {node.node: node.layer for node in nodes}
    if edges is not None and len(layer) < len(names):
        layer = Graph.build(names, edges).layer
    said = {(node.sweep, node.node): node.verdict.answer for node in nodes}
    sweeps = range(1, max((sweep for sweep, _ in said), default=1) + 1)
    values: dict[str, list[bool]] = defaultdict(list)
    for name in names:
        was = [known is not None and known[said.get((sweep, name))] for sweep in sweeps]
        values[NODE + name] = [was[-1]]
        for sweep, correct in zip(sweeps, was, strict=True):
            values[f"{SWEEP}{sweep}" if swept else f"{LAYER}{layer[name]}"].append(correct)
    return {name: None if known is None else fmean(each) for name, each in values.items()}
