"""Finds a model's files by name, repository or folder, or raises an error that says what to do."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnoted.errors import ConfigurationError

ONNX_FILES = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_EXPORT = "optimum-cli export onnx --model {repo} FOLDER"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's files are; ``config`` is its config.json, read."""

    network: Path
    tokenizer: Path
    config: dict[str, Any]


def in_folder(folder: Path, *, file: str | None = None) -> ModelFiles:
    """The files of a folder as ``save_pretrained`` and an ONNX export leave it."""
    network = _first(folder, (file,) if file else ONNX_FILES)
    if network is None:
        raise ConfigurationError(
            f"{folder} holds no {file or 'model.onnx'}; export one: " + _EXPORT.format(repo="MODEL")
        )
    tokenizer = _first(folder, ("tokenizer.json", "onnx/tokenizer.json"))
    if tokenizer is None:
        raise ConfigurationError(
            f"{folder} holds no tokenizer.json; write it: AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)"
        )
    config = _first(folder, ("config.json", "onnx/config.json"))
    return ModelFiles(network, tokenizer, _read(config) if config else {})


def from_hub(
    repo: str,
    *,
    file: str | None = None,
    tokenizer: str | None = None,
    revision: str | None = None,
    cache_dir: str | Path | None = None,
) -> ModelFiles:
    """The files of a repository on the Hugging Face Hub, downloaded once; ``HF_HUB_OFFLINE`` and ``HF_ENDPOINT`` count.

    ``revision`` is of ``repo``; a commit makes it the same model every time.
    """
    config = _fetch(repo, ("config.json",), revision, cache_dir)
    network = _fetch(repo, (file,) if file else ONNX_FILES, revision, cache_dir)
    if network is None:
        raise ConfigurationError(
            f"{repo} holds no {file or 'ONNX file'}; export it ({_EXPORT.format(repo=repo)}) and load the folder, "
            "or name a repository that holds one with repo="
        )
    within = "onnx/" if network.parent.name == "onnx" and (config is None or network.parent != config.parent) else ""
    beside = f"{within}{network.stem}.onnx_data"  # where weights above 2 GB are
    _fetch(repo, (beside,), revision, cache_dir, optional=True)
    words = _fetch(repo, ("tokenizer.json",), revision, cache_dir, optional=tokenizer is not None)
    if words is None and tokenizer is not None:
        words = _fetch(tokenizer, ("tokenizer.json",), None, cache_dir)
    if words is None:
        raise ConfigurationError(f"{tokenizer or repo} holds no tokenizer.json, which is how its text is cut")
    return ModelFiles(network, words, _read(config) if config else {})


def _fetch(
    repo: str,
    names: tuple[str, ...],
    revision: str | None,
    cache_dir: str | Path | None,
    *,
    optional: bool = False,
) -> Path | None:
    """The first of these files that the repository holds."""
    try:
        os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"  # what is asked for is fetched, and nothing told besides
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import (
            EntryNotFoundError,
            HfHubHTTPError,
            HFValidationError,
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )
    except ImportError as error:
        raise ConfigurationError("loading a model by name needs: pip install 'footnoted[models]'") from error
    missed: Exception | None = None
    for name in names:
        try:
            return Path(hf_hub_download(repo, name, revision=revision, cache_dir=cache_dir))
        except LocalEntryNotFoundError as error:
            missed = error  # not here, and the hub was not asked: another of the names may be here
        except EntryNotFoundError:
            continue
        except RevisionNotFoundError as error:
            raise ConfigurationError(f"{repo} has no revision {revision!r}") from error
        except (RepositoryNotFoundError, HFValidationError) as error:
            raise ConfigurationError(
                f"there is no repository {repo!r} on the hub, or it is not open to you (HF_TOKEN); "
                "a folder is given by its path"
            ) from error
        except (HfHubHTTPError, OSError) as error:
            raise _unreachable(repo, error) from error
        except Exception as error:
            if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "requests"):
                raise _unreachable(repo, error) from error
            raise
    if missed is not None and not optional:
        raise _unreachable(repo, missed) from missed
    return None


def _unreachable(repo: str, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{repo} is not on this machine and the hub cannot be asked ({type(error).__name__}). Go online once, unset "
        "HF_HUB_OFFLINE, or download it elsewhere and load the folder by its path."
    )


def _first(folder: Path, names: tuple[str | None, ...]) -> Path | None:
    return next((folder / name for name in names if name and (folder / name).is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise ConfigurationError(f"{path} is not a model's configuration")
    return config
