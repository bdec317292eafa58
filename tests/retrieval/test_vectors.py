"""Vectors on disk: what was kept is found again, what was torn costs nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from footnoted.retrieval.vectors import DIMENSIONS, Vectors, key_of


def unit(seed: int) -> np.ndarray:
    """A direction of its own."""
    vector = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    return vector / np.linalg.norm(vector)


def filled(path, *seeds: int) -> Vectors:
    vectors = Vectors(path)
    entries = [(key_of(str(seed)), f"document {seed % 2}", "-") for seed in seeds]
    vectors.add(entries, np.stack([unit(seed) for seed in seeds]))
    return vectors


@pytest.mark.parametrize("path", [None, "kept/vectors"])
def test_the_nearest_come_first_with_their_cosines(tmp_path, path):
    """Eight bits a number keep the order and nearly the value."""
    vectors = filled(tmp_path / path if path else None, *range(40))
    near = vectors.nearest(unit(7), 3, documents=None, scopes=None)
    assert near[0][0] == key_of("7")
    assert near[0][1] == pytest.approx(1.0, abs=0.01)
    exact = sorted((float(unit(seed) @ unit(7)) for seed in range(40)), reverse=True)[:3]
    assert [score for _, score in near] == pytest.approx(exact, abs=0.01)


def test_they_are_found_again_and_added_to(tmp_path):
    """A second opening maps what the first wrote; both may write."""
    first = filled(tmp_path / "vectors", 1, 2)
    second = filled(tmp_path / "vectors", 3)
    assert (len(first), len(second)) == (2, 3)
    third = Vectors(tmp_path / "vectors")
    assert len(third) == 3
    assert third.cosines(unit(3), [key_of("3"), key_of("9")]) == {key_of("3"): pytest.approx(1.0, abs=0.01)}


def test_a_write_that_was_cut_costs_one_record(tmp_path):
    """What is appended after a torn record stands at its place again."""
    filled(tmp_path / "vectors", 1, 2)
    data = (tmp_path / "vectors").read_bytes()
    (tmp_path / "vectors").write_bytes(data[:-100])
    assert len(Vectors(tmp_path / "vectors")) == 1
    filled(tmp_path / "vectors", 5)
    again = Vectors(tmp_path / "vectors")
    assert key_of("1") in again
    assert key_of("5") in again
    assert again.nearest(unit(5), 1, documents=None, scopes=None)[0][0] == key_of("5")


def test_a_search_is_bound_to_documents():
    """Only what belongs to one of the documents named is compared."""
    vectors = filled(None, *range(6))
    near = vectors.nearest(unit(0), 6, documents=["document 1"], scopes=["-"])
    assert {key for key, _ in near} == {key_of(str(seed)) for seed in (1, 3, 5)}
    assert vectors.nearest(unit(0), 6, documents=None, scopes=["elsewhere"]) == []


def test_what_is_not_wanted_is_forgotten_on_disk_too(tmp_path):
    """A deleted document leaves no vector behind."""
    filled(tmp_path / "vectors", 1, 2).keep(lambda key: key == key_of("2"))
    again = Vectors(tmp_path / "vectors")
    assert key_of("1") not in again
    assert key_of("2") in again


def test_what_two_processes_wrote_counts_once(tmp_path):
    """Neither found it there when it began, so it stands in the file twice; the neighbours are as many as before."""
    path, one, other = tmp_path / "vectors", *np.eye(2, 384, dtype=np.float32)
    for _ in range(2):
        begun = Vectors()
        begun._path = path  # as one that was opened before the other wrote
        begun.add([(b"a" * 16, "d", ""), (b"b" * 16, "d", "")], np.stack([one, other]))
    found = Vectors(path).nearest(one, 2, documents=None, scopes=None)
    assert [key for key, _ in found] == [b"a" * 16, b"b" * 16]
