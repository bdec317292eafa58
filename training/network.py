"""Token states of claims and of their evidence in; logits of carried, contradicted, neither out.

Align and compare (cf. Parikh et al. 2016; Chen et al. 2017): each token of the claim is set beside what of the
evidence is nearest to it, and the other way round; what the comparison leaves on the claim's tokens is read once
more in order, because who did what to whom shows only there.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

STATES = 384  # of the shipped encoder
WIDTH = 192
HEADS = 6
MARKS = 3  # what a token is known by beside its state: it stands on the other side, and so do its two pairs


class Network(nn.Module):
    """Batches of claims (b, c, 384) and of evidence (b, e, 384), with their masks and marks."""

    def __init__(self, width: int = WIDTH, drop: float = 0.1) -> None:
        super().__init__()
        self.taken = nn.Linear(STATES, width)
        self.settled = nn.LayerNorm(width)
        self.asking = nn.Linear(width, width)
        self.offering = nn.Linear(width, width)
        self.compared = nn.Sequential(nn.Linear(4 * width + MARKS, width), nn.GELU(), nn.Linear(width, width))
        self.reading = Reading(width, drop)
        self.verdict = nn.Sequential(nn.Linear(4 * width + 2, width), nn.GELU(), nn.Dropout(drop), nn.Linear(width, 3))
        self.doubt = nn.Linear(width, 1)
        self.drop = nn.Dropout(drop)

    def forward(
        self, claim: Tensor, evidence: Tensor, c_mask: Tensor, e_mask: Tensor, c_marks: Tensor, e_marks: Tensor
    ) -> tuple[Tensor, Tensor]:
        """``(b, 3)`` logits and ``(b, c)`` doubts; masks are 1 for a token and 0 for padding."""
        mine = self.settled(self.taken(self.drop(claim)))
        theirs = self.settled(self.taken(self.drop(evidence)))
        likeness = self._alike(mine, theirs)
        hidden = (1.0 - e_mask)[:, None, None, :] * -1e4
        found = self._mixed(torch.softmax(likeness + hidden, dim=-1), theirs)
        hidden = (1.0 - c_mask)[:, None, None, :] * -1e4
        used = self._mixed(torch.softmax(likeness.transpose(2, 3) + hidden, dim=-1), mine)
        left = self.reading(self._beside(mine, found, c_marks), c_mask)
        right = self._beside(theirs, used, e_marks)
        doubts = self.doubt(left).squeeze(-1)
        worst = doubts + (1.0 - c_mask) * -1e4
        least = torch.logsumexp(worst, dim=1, keepdim=True)
        most = worst.max(dim=1, keepdim=True).values
        told = torch.cat(
            [_mean(left, c_mask), _most(left, c_mask), _mean(right, e_mask), _most(right, e_mask), least, most], dim=1
        )
        return self.verdict(told), doubts

    def _alike(self, mine: Tensor, theirs: Tensor) -> Tensor:
        b, width = mine.shape[0], mine.shape[2]
        asked = self.asking(mine).view(b, -1, HEADS, width // HEADS).transpose(1, 2)
        offered = self.offering(theirs).view(b, -1, HEADS, width // HEADS).permute(0, 2, 3, 1)
        return asked @ offered * (width // HEADS) ** -0.5

    def _mixed(self, shares: Tensor, states: Tensor) -> Tensor:
        b, width = states.shape[0], states.shape[2]
        parted = states.view(b, -1, HEADS, width // HEADS).transpose(1, 2)
        return (shares @ parted).transpose(1, 2).reshape(b, -1, width)

    def _beside(self, one: Tensor, other: Tensor, marks: Tensor) -> Tensor:
        return self.compared(self.drop(torch.cat([one, other, one - other, one * other, marks], dim=-1)))


class Reading(nn.Module):
    """One layer of self-attention over what the comparison left."""

    def __init__(self, width: int, drop: float) -> None:
        super().__init__()
        self.before = nn.LayerNorm(width)
        self.joint = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.between = nn.LayerNorm(width)
        self.wide = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(drop), nn.Linear(2 * width, width))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """The states after they looked at one another."""
        b, width = states.shape[0], states.shape[2]
        asked, offered, told = self.joint(self.before(states)).view(b, -1, 3 * HEADS, width // HEADS).chunk(3, dim=2)
        likeness = asked.transpose(1, 2) @ offered.permute(0, 2, 3, 1) * (width // HEADS) ** -0.5
        shares = torch.softmax(likeness + (1.0 - mask)[:, None, None, :] * -1e4, dim=-1)
        states = states + self.out((shares @ told.transpose(1, 2)).transpose(1, 2).reshape(b, -1, width))
        return states + self.wide(self.between(states))


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    return (states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)


def _most(states: Tensor, mask: Tensor) -> Tensor:
    return (states + (1.0 - mask)[:, :, None] * -1e4).max(dim=1).values
