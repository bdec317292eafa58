"""Computes by an ONNX classifier how probable it is that a premise carries a claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnoted.errors import ConfigurationError
from footnoted.grounding.models.labels import carried_label, contradicted_label, names_of
from footnoted.inert import storable
from footnoted.models.sessions import open_session
from footnoted.types import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from footnoted.grounding.models.conventions import Convention, Kind
    from footnoted.grounding.models.files import ModelFiles

_SHORTEST = 64  # tokens; a model that reads less at once can check nothing
_USUAL = 512
_MOST = 4096  # tokens of one reading on a CPU, whatever the model could take
_INPUTS = frozenset("input_ids attention_mask token_type_ids decoder_input_ids position_ids".split())
_RELATIVE = ("t5", "mt5", "deberta-v2")  # these have no table of places to run out of
_FROM_PAD = ("roberta", "xlm-roberta", "camembert", "longformer", "mpnet")  # their positions begin after the padding's


@dataclass(frozen=True, slots=True)
class Read:
    """What a model made of one premise and claim: probabilities (0–1); ``doubted`` spans of the claim (code points)."""

    carried: float
    contradicted: float = 0.0
    doubted: tuple[Span, ...] = ()


class Network:
    """A classifier in memory; safe to call from any thread. Raises `ConfigurationError` for files that are not one."""

    def __init__(self, files: ModelFiles, convention: Convention, *, threads: int = 2) -> None:
        self._session, self._tokenizer = _open(files, threads)
        self._convention = convention
        self._kind = _kind_of(files.config, convention)
        self._inputs = [one.name for one in self._session.get_inputs()]
        added = self._tokenizer.get_added_tokens_decoder().values()
        self._special = sorted((one.content for one in added if one.special), key=len, reverse=True)
        self._start = int(files.config.get("decoder_start_token_id") or 0)
        self.longest = _longest(files.config, convention)
        strange = set(self._inputs) - _INPUTS
        if strange:
            raise ConfigurationError(f"the model wants inputs that are not known here: {', '.join(sorted(strange))}")
        count = self._run(*self._encode("a", "a")[:2]).shape[-1]  # a broken model shows itself now, not at a claim
        if convention.vocabulary is not None:
            self._carried, self._contradicted = 1, None
        elif count == 1:
            self._carried, self._contradicted = 0, None
        else:
            names = names_of(files.config, count)
            self._carried = carried_label(names, convention.supported)
            self._contradicted = contradicted_label(names)

    def fits(self, premise: str, claim: str) -> bool:
        """Whether the model can read these at once, whole."""
        return len(self._encode(premise, claim)[0]) <= self.longest

    def read(self, premise: str, claim: str) -> Read | None:
        """The reading; ``None`` if they do not fit, or if what comes out is no number."""
        from footnoted.native import numpy as np

        ids, types, offsets, sides = self._encode(premise, claim)
        if len(ids) > self.longest:
            return None
        logits = self._run(ids, types)
        if not np.isfinite(logits).all():
            return None
        if self._kind == "tokens":
            return self._by_tokens(logits, offsets, sides)
        row = logits[0] if logits.ndim == 2 else logits[0, 0]  # of a row a token, the first token's
        if self._convention.vocabulary is not None:
            row = row[list(self._convention.vocabulary)]
        if len(row) == 1:
            return Read(float(1.0 / (1.0 + np.exp(-np.clip(row[0], -40, 40)))))
        shares = _softmax(row)
        excluded = 0.0 if self._contradicted is None else float(shares[self._contradicted])
        return Read(float(shares[self._carried]), excluded)

    def _by_tokens(
        self, logits: NDArray[np.float32], offsets: list[tuple[int, int]], sides: list[int | None]
    ) -> Read | None:
        """A claim is carried as far as its most doubtful token is."""
        shares = _softmax(logits[0])[:, self._carried]
        mine = [
            (Span(start, end), float(share))
            for (start, end), side, share in zip(offsets, sides, shares, strict=True)
            if side == 1 and end > start
        ]
        if not mine:
            return None
        return Read(min(share for _, share in mine), doubted=_joined([span for span, share in mine if share < 0.5]))

    def _encode(self, premise: str, claim: str) -> tuple[list[int], list[int], list[tuple[int, int]], list[int | None]]:
        """Token ids, segment ids, places in their text, and of which text (0 premise, 1 claim, ``None`` a mark)."""
        premise, claim = self._harmless(premise), self._harmless(claim)
        template = self._convention.template
        if template is not None:
            # Not str.format: a source may have braces, and words like {claim}, of its own.
            before, _, rest = template.partition("{premise}")
            between, _, after = rest.partition("{claim}")
            one = self._tokenizer.encode(f"{before}{premise}{between}{claim}{after}")
        else:
            before, _, after = self._convention.premise.partition("{premise}")
            one = self._tokenizer.encode(f"{before}{premise}{after}", claim)
        return one.ids, one.type_ids, one.offsets, one.sequence_ids

    def _harmless(self, text: str) -> str:
        """The text with the marks the model lives by blanked out, letter by letter, so that places stay.

        So are halves of characters, which no tokenizer takes.
        """
        text = str(storable(text))
        for mark in self._special:
            if mark in text:
                text = text.replace(mark, " " * len(mark))
        return text

    def _run(self, ids: list[int], types: list[int]) -> NDArray[np.float32]:
        from footnoted.native import numpy as np

        row = np.asarray([ids], dtype=np.int64)
        known = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.asarray([types], dtype=np.int64),
            "position_ids": np.arange(len(ids), dtype=np.int64)[None],
            "decoder_input_ids": np.asarray([[self._start]], dtype=np.int64),
        }
        try:
            out = self._session.run(None, {name: known[name] for name in self._inputs})[0]
        except Exception as error:  # onnxruntime raises bare classes of its own
            raise ConfigurationError(f"the model cannot be run: {error}") from error
        logits: NDArray[np.float32] = np.asarray(out, dtype=np.float32)
        wanted = 3 if self._kind == "tokens" or self._convention.vocabulary is not None else (2, 3)
        if logits.ndim not in (wanted if isinstance(wanted, tuple) else (wanted,)):
            raise ConfigurationError(f"the model's output has the shape {logits.shape}, which is no classifier's")
        return logits


def _open(files: ModelFiles, threads: int) -> tuple[Any, Any]:
    from footnoted.native import tokenizers

    try:
        session = open_session(files.network, threads=threads)
    except Exception as error:  # onnxruntime raises bare classes of its own
        raise ConfigurationError(f"{files.network.name} cannot be opened: {error}") from error
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # and so do tokenizers
        raise ConfigurationError(f"{files.tokenizer.name} cannot be read: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return session, tokenizer


def _kind_of(config: dict[str, Any], convention: Convention) -> Kind:
    if convention.kind is not None:
        return convention.kind
    architecture = str((config.get("architectures") or [""])[0])
    if architecture.endswith("ForTokenClassification"):
        return "tokens"
    if architecture.endswith("ForSequenceClassification"):
        return "sequence"
    raise ConfigurationError('config.json does not say what the model classifies; say kind="sequence" or kind="tokens"')


def _longest(config: dict[str, Any], convention: Convention) -> int:
    """Tokens of one reading: what the convention says, within what the model has places for."""
    places = config.get("max_position_embeddings")
    relative = config.get("model_type") in _RELATIVE
    room = _MOST
    if isinstance(places, int) and not relative:
        room = places - 2 if config.get("model_type") in _FROM_PAD else places
    longest = min(convention.longest or (_USUAL if not isinstance(places, int) else room), room, _MOST)
    if longest < _SHORTEST:
        raise ConfigurationError(f"the model reads {longest} tokens at once, too few for a claim beside a source")
    return longest


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    from footnoted.native import numpy as np

    raised: NDArray[np.float32] = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: NDArray[np.float32] = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    """Tokens that touch, or have only a space between them, as one."""
    joined: list[Span] = []
    for span in spans:
        if joined and span.start - joined[-1].end <= 1:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)
