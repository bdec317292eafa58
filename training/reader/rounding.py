"""A network's matrices in few steps, each rounding error made good by the weights that are not rounded yet.

GPTQ (Frantar et al. 2023, arXiv:2210.17323): what a matrix is multiplied by is summed over texts of the training, layer by layer and
from what the layers below say once rounded; a column's error then goes into the columns after it, as far as
these inputs go together. Rounding each weight to its nearest step instead takes back what training moved by less than half
a step: of a reader that is taught further from its own shipped weights that can be nearly all.
"""

from __future__ import annotations

import torch
from torch import nn

DAMPED = 0.01  # of the mean of the diagonal, added to it
TIMES = 256  # columns between two updates of all that follow
SHARES = (1.0, 0.92, 0.85, 0.78, 0.71, 0.64)  # of a row's largest weight: where its steps may end


def steps_of(weight: torch.Tensor, heavy: torch.Tensor, levels: int) -> torch.Tensor:
    """The step of each row (out, 1): of several the one whose errors weigh least, ``heavy`` (in,) being the inputs' squares."""
    most = weight.abs().amax(1, keepdim=True).clamp(min=1e-8)
    best, least = most / levels, torch.full_like(most, torch.inf)
    for share in SHARES:
        step = most * share / levels
        error = weight - (weight / step).round().clamp(-levels, levels) * step
        cost = (error.square() * heavy).sum(1, keepdim=True)
        best, least = torch.where(cost < least, step, best), torch.minimum(cost, least)
    return best


def compensated(weight: torch.Tensor, inputs: torch.Tensor, levels: int) -> torch.Tensor:
    """A matrix (out, in) in so many steps either side of nothing; ``inputs`` (in, in) is the sum of their outer products."""
    rest, made = weight.double().clone(), torch.zeros_like(weight, dtype=torch.double)
    inputs = inputs.double() / inputs.diagonal().mean()
    inputs.diagonal().add_(DAMPED)
    step = steps_of(rest, inputs.diagonal(), levels)
    share = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(inputs)), upper=True)
    for start in range(0, rest.shape[1], TIMES):
        end = min(start + TIMES, rest.shape[1])
        errors = torch.zeros(rest.shape[0], end - start, dtype=torch.double)
        for column in range(start, end):
            value = rest[:, column]
            made[:, column] = (value / step[:, 0]).round().clamp(-levels, levels) * step[:, 0]
            errors[:, column - start] = (value - made[:, column]) / share[column, column]
            rest[:, column:end] -= errors[:, column - start, None] * share[None, column, column:end]
        rest[:, end:] -= errors @ share[start:end, end:]
    return made.to(weight.dtype)


@torch.no_grad()
def round_layers(encoder: nn.Module, texts: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]], levels: int) -> None:
    """Rounds the matrices of an encoder's layers in place. ``texts`` are batches of (ids, mask, kinds) as it will read them."""
    states = [encoder.below(encoder.word(ids), mask, kinds) for ids, mask, kinds in texts]
    for layer in encoder.layers:
        for matrix in (child for child in layer.children() if isinstance(child, nn.Linear)):
            summed = torch.zeros(matrix.in_features, matrix.in_features)
            given: list[torch.Tensor] = []
            hook = matrix.register_forward_pre_hook(lambda _, inputs, given=given: given.append(inputs[0]))
            for (x, bias), (_, mask, _) in zip(states, texts, strict=True):
                layer(x, bias)
                rows = given.pop()[mask > 0]
                summed.addmm_(rows.T, rows)
            hook.remove()
            matrix.weight.copy_(compensated(matrix.weight, summed, levels))
        states = [(layer(x, bias), bias) for x, bias in states]
