"""What the nodes, layers and sweeps of a network came to."""

from moot.core.questions import Question
from moot.metrics.metric import measure
from moot.metrics.network_accuracy import measure_nodes

CHAIN = {
    "nodes": [{"name": "C1"}, {"name": "C2"}, {"name": "C3"}],
    "edges": [["C1", "judge"], ["C2", "C3"], ["C3", "judge"]],
}
SWEPT = {"nodes": [{"name": "A"}, {"name": "B"}], "sweeps": 3}


def test_each_node_and_the_mean_of_each_layer(debate, node):
    names = ("node:C1", "node:C2", "node:C3", "layer:1", "layer:2")
    said = [node("C1", "4", 0), node("C2", "5", 1), node("C3", "8/2", 2, layer=2)]
    found = measure_nodes(debate(settings=CHAIN, nodes=said))
    assert found == dict(zip(names, (1, 0, 1, 0.5, 1), strict=True))
    # A node that came to no verdict is not right.
    stopped = measure_nodes(debate(settings=CHAIN, nodes=[node("C1", "4", 0)], failed=True))
    assert stopped == dict(zip(names, (1, 0, 0, 0.5, 0), strict=True))


def test_of_several_sweeps_each_counts_and_the_last_for_the_node(debate, node):
    said = [node("A", "5", 0), node("B", "4", 1), node("A", "4", 2, sweep=2)]
    said.append(node("B", "4.0", 3, sweep=2))
    found = measure_nodes(debate(settings=SWEPT, nodes=said))
    assert found == {"node:A": 1.0, "node:B": 1.0, "sweep:1": 0.5, "sweep:2": 1.0}
    # A debate that failed at once had one sweep.
    failed = measure_nodes(debate(settings=SWEPT, failed=True))
    assert failed == {"node:A": 0.0, "node:B": 0.0, "sweep:1": 0.0}


def test_without_a_known_answer_no_node_is_right_or_wrong(debate, node):
    opinion = Question(id="q", kind="text", text="Is it good?")
    said = [node("C1", "yes", 0), node("C2", "no", 1), node("C3", "no", 2, layer=2)]
    values = measure_nodes(debate(settings=CHAIN, nodes=said, question=opinion))
    assert values == dict.fromkeys(values)
    assert len(values) == 5


def test_they_stand_beside_the_metrics(debate, node, society):
    assert measure_nodes(society) == {}
    said = [node("A", "4", 0), node("B", "4", 1)]
    values = measure(debate(settings=SWEPT, nodes=said))
    assert values["accuracy"] == values["node:A"] == 1.0
    assert values["sweeps"] == 1
