"""Train a graph-attention network of two layers with PyTorch: Ein inside of ``torch.nn.Module``.

    python examples/gat_torch.py [--steps N] [--compile] [--plot FILE]

The layer is an Ein function (see graph_attention.py); parameters, activation, loss and optimiser
are PyTorch's, and gradients flow through all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from graph_attention import (
    KNOWN,
    RATE,
    WEIGHT_DECAY,
    Step,
    graph_attention,
    initial_parameters,
    plot,
    read_karate_club,
    report,
)
from torch import Tensor


class Attention(torch.nn.Module):
    """A layer: its parameters, and the Ein function applied to them."""

    def __init__(self, *parameters: Tensor):
        super().__init__()
        self.weights, self.sent, self.received = map(torch.nn.Parameter, parameters)

    def forward(self, x: Tensor, adjacent: Tensor) -> Tensor:
        return graph_attention(x, self.weights, self.sent, self.received, adjacent)


class Network(torch.nn.Module):
    """Two layers, with tanh between them."""

    def __init__(self, members: int):
        super().__init__()
        parameters = initial_parameters(members)
        self.first, self.second = (Attention(*map(torch.from_numpy, p)) for p in parameters)

    def forward(self, x: Tensor, adjacent: Tensor) -> Tensor:
        return self.second(torch.tanh(self.first(x, adjacent)), adjacent)


def train(steps: int, compiled: Mapping[str, Any] | None = None) -> list[Step]:
    """Loss and accuracy at each step of Adam; ``compiled`` has the options of torch.compile."""
    graph = read_karate_club()
    adjacent, clubs = torch.from_numpy(graph.adjacent), torch.from_numpy(graph.clubs)
    network, x, known = Network(len(clubs)), torch.eye(len(clubs)), list(KNOWN)
    forward = network if compiled is None else torch.compile(network, **compiled)
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY)
    history = list[Step]()
    for _ in range(steps):
        optimiser.zero_grad()
        logits = forward(x, adjacent)
        loss = torch.nn.functional.cross_entropy(logits[known], clubs[known])
        loss.backward()
        optimiser.step()
        accuracy = (logits.argmax(dim=1) == clubs).float().mean()
        history.append(Step(loss.item(), accuracy.item()))
    return history


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a graph-attention network with PyTorch.")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    parser.add_argument("--plot", type=Path, default=Path("out/gat_torch.png"), metavar="FILE")
    arguments = parser.parse_args()
    steps = train(arguments.steps, {} if arguments.compile else None)
    report(steps)
    plot({"PyTorch": steps}, arguments.plot)


if __name__ == "__main__":
    main()
