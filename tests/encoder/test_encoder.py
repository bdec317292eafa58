"""The encoder: the same text has the same vectors, long ones are read to their end, damage is said."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from footnoted.encoder import Encoder, EncoderUnavailable
from footnoted.encoder.encoder import WEIGHTS, _windows
from footnoted.errors import ConfigurationError

SENTENCES = ["You must tell us within 14 days.", "A claim has to be made in a fortnight.", "The dog barks."]
FIRST_OF_WHOLE = [-0.0319, 0.0170, 0.0843, 0.0309, 0.0569, -0.0386, -0.0682, 0.0108]


@pytest.fixture(scope="module")
def encoder():
    return Encoder.load()


def test_like_sentences_stand_closer_than_unlike_ones(encoder):
    """Two wordings of one rule are nearer to each other than to a sentence about something else."""
    vectors = encoder.sentences(SENTENCES)
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert vectors[0] @ vectors[1] > 0.3 > vectors[0] @ vectors[2]


def test_a_text_does_not_depend_on_its_neighbours(encoder):
    """A text read alone, in company or in another order has exactly the same vectors."""
    fresh = Encoder(kept_bytes=0)
    alone = [fresh.encode([text])[0] for text in SENTENCES]
    together = fresh.encode([SENTENCES[2] * 3, *SENTENCES])[1:]
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one.states, other.states)
        assert np.array_equal(one.whole, other.whole)


def test_every_processor_computes_the_same(encoder):
    """Where bytes are multiplied with sums that overflow, these numbers differ from the second digit on."""
    (read,) = encoder.encode(["You must tell us within 14 days."])
    assert read.whole[:8] == pytest.approx(FIRST_OF_WHOLE, abs=2e-3)


def test_offsets_point_at_the_words_in_code_points(encoder):
    """Offsets count code points, accents and emoji before them included."""
    text = "Überfällig 🚗 – die Prüfung kostet 40 €."
    ((offsets, vectors),) = encoder.tokens([text])
    assert len(offsets) == len(vectors)
    assert "40" in {text[start:end] for start, end in offsets}


def test_a_long_text_is_read_to_its_end(encoder):
    """Every token of a text of many windows has a vector, and its last words change it."""
    long = "The policy covers storms and floods in every county. " * 120
    first, second = encoder.encode([long + "Yes.", long + "Never."])
    assert first.offsets[-1][1] == len(long) + 4
    assert len(first.vectors) == len(first.offsets) > 1000
    assert np.isfinite(first.states).all()
    assert not np.array_equal(first.states[-3:], second.states[-3:])


@pytest.mark.parametrize("count", [0, 1, 253, 254, 255, 300, 444, 445, 1000, 9104])
def test_windows_keep_every_token_once(count):
    """The kept parts of the windows cover all tokens in order without gap or overlap, inside what was read."""
    kept = [position for start, end, first, last in _windows(count) for position in range(first, last)]
    assert kept == list(range(count))
    assert all(start <= first <= last <= end and end - start <= 254 for start, end, first, last in _windows(count))


def test_an_empty_text_has_no_tokens(encoder):
    """Nothing in, nothing out, and no error."""
    (encoded,) = encoder.encode([""])
    assert encoded.offsets.shape == (0, 2)
    assert encoded.vectors.shape == (0, 384)
    assert encoder.sentences([]).shape == (0, 384)


def test_the_process_has_one_encoder():
    """Loading from many threads opens the model once."""
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(lambda _: Encoder.load(), range(8)))
    assert len({id(one) for one in loaded}) == 1


def test_threads_get_the_same_answers(encoder):
    """Eight threads at once read what one thread reads."""
    texts = [f"Claim number {n} was paid after {n + 2} days." for n in range(24)]
    expected = Encoder(threads=1).sentences(texts)
    with ThreadPoolExecutor(8) as pool:
        got = np.stack(list(pool.map(lambda text: encoder.sentences([text])[0], texts)))
    assert np.array_equal(expected, got)


def test_what_is_kept_stays_within_its_budget():
    """The cache of encoded texts never holds more bytes than allowed, and answers stay right."""
    small = Encoder(kept_bytes=40_000)
    texts = [f"Sentence {n} about the weather in Leeds." for n in range(12)]
    first = small.sentences(texts)
    assert 0 < small._kept_bytes <= 40_000
    assert small._kept_bytes == sum(encoded.nbytes for encoded in small._kept.values())
    assert np.array_equal(first, small.sentences(texts))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "sha256.json"])
def test_a_missing_file_is_said(tmp_path, name):
    """Without one of its files the encoder says so with its own error, which is a configuration error."""
    folder = _copy(tmp_path)
    (folder / name).unlink()
    with pytest.raises(EncoderUnavailable):
        Encoder(folder)
    assert issubclass(EncoderUnavailable, ConfigurationError)


def test_a_damaged_file_is_said(tmp_path):
    """One flipped byte of the weights is noticed before anything runs on them."""
    folder = _copy(tmp_path)
    weights = bytearray((folder / "model.onnx").read_bytes())
    weights[len(weights) // 2] ^= 1
    (folder / "model.onnx").write_bytes(weights)
    with pytest.raises(EncoderUnavailable, match="damaged"):
        Encoder(folder)


def _copy(tmp_path):
    folder = tmp_path / "weights"
    shutil.copytree(WEIGHTS, folder)
    return folder
