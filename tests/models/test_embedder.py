"""The multilingual encoder as shipped: what is alike, what it survives, and what a damaged file says."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from footnoted.models import Embedder, ModelUnavailable
from footnoted.models.files import WEIGHTS, Shared

PASSAGES = [
    "The library is open from nine to five on weekdays.",
    "Broken bones are set in plaster for about six weeks.",
    "The train to the airport leaves every twenty minutes.",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wann hat die Bibliothek unter der Woche geöffnet?", 0),
        ("¿Cuánto tiempo se lleva el yeso?", 1),
        ("怎么坐火车去机场?", 2),
        ("when can I go and borrow a book", 0),
    ],
)
def test_a_question_in_any_language_is_nearest_to_what_answers_it(question: str, answer: int) -> None:
    likeness = Embedder.load().queries([question]) @ Embedder.load().passages(PASSAGES).T
    assert likeness.argmax() == answer


def test_vectors_have_length_one_and_do_not_depend_on_their_neighbours() -> None:
    together = Embedder(threads=2).passages(PASSAGES)
    alone = np.concatenate([Embedder(threads=1).passages([text]) for text in PASSAGES])
    assert np.array_equal(together, alone)
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "a" * 200_000, "ก" * 3_000, "\x00\u202e"])
def test_any_text_has_a_vector(text: str) -> None:
    (vector,) = Embedder.load().passages([text])
    assert vector.shape == (384,)
    assert np.isfinite(vector).all()


def test_every_processor_computes_the_same() -> None:
    """Where bytes are multiplied with sums that overflow, these numbers differ."""
    (vector,) = Embedder.load().passages(["You must tell us within 14 days."])
    assert vector[:8] == pytest.approx([0.0546, 0.0051, -0.048, -0.0791, 0.0781, -0.044, -0.0308, 0.0236], abs=2e-3)


def test_no_texts_no_vectors() -> None:
    assert Embedder.load().queries([]).shape == (0, 384)


def test_threads_share_one_embedder() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: Embedder.load().queries(["the same text"])[0], range(8)))
    assert all(np.array_equal(found[0], other) for other in found)


def test_the_word_table_is_read_as_it_was_written() -> None:
    block = np.frombuffer((WEIGHTS / "words.q4").read_bytes()[: 18 * 12], dtype=np.uint8).reshape(12, 18)
    scales = block[:, :2].copy().view("<f2").astype(np.float32)
    low, high = (block[:, 2:] & 15).astype(np.float32) - 8, (block[:, 2:] >> 4).astype(np.float32) - 8
    expected = (np.concatenate([low, high], axis=1) * scales).reshape(384)
    assert np.allclose(Shared.of().words([0])[0], expected)


@pytest.mark.parametrize("name", ["words.q4", "encoder.onnx", "tokenizer.json", "sha256.json"])
def test_a_damaged_or_missing_file_is_named(tmp_path, name: str) -> None:
    for file in ("words.q4", "encoder.onnx", "tokenizer.json", "sha256.json"):
        shutil.copy(WEIGHTS / file, tmp_path / file)
    content = bytearray((tmp_path / name).read_bytes())
    content[content.index(b"encoder.onnx") + 20 if name == "sha256.json" else len(content) // 2] ^= 1
    (tmp_path / name).write_bytes(bytes(content))
    with pytest.raises(ModelUnavailable, match=r"damaged|cannot be read"):
        Embedder(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ModelUnavailable):
        Embedder(tmp_path / ".")
