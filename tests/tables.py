"""One rule held for every row of a table in one test: all rows are tried, and those that break it are named."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

SHOWN = 5  # tracebacks; every broken row is named


def every(
    names: str | tuple[str, ...], rows: Iterable[Any], *, ids: Callable[[Any], str] | Iterable[str] | None = None
) -> Any:
    """As `pytest.mark.parametrize`, but one test: thousands of rows cost what their rule costs and no more.

    Rows share the test's fixtures, so a rule that changes them wants parametrize.
    """
    table = list(rows)
    words = tuple(each.strip() for each in names.split(",")) if isinstance(names, str) else names
    assert table, "a rule without rows holds nothing"

    def told(row: Any) -> str:
        values = row if len(words) > 1 else (row,)
        return "-".join((ids(each) if callable(ids) else None) or repr(each)[:80] for each in values)

    called = dict(enumerate(map(str, ids) if ids is not None and not callable(ids) else map(told, table)))

    def given(row: Any) -> dict[str, Any]:
        return dict(zip(words, row if len(words) > 1 else (row,), strict=True))

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(rule):

            @functools.wraps(rule)
            async def test(**fixtures: Any) -> None:
                broken = []
                for place, row in enumerate(table):
                    try:
                        await rule(**fixtures, **given(row))
                    except (Exception, pytest.fail.Exception) as error:
                        broken.append((called[place], error))
                _report(broken, len(table))
        else:

            @functools.wraps(rule)
            def test(**fixtures: Any) -> None:
                broken = []
                for place, row in enumerate(table):
                    try:
                        rule(**fixtures, **given(row))
                    except (Exception, pytest.fail.Exception) as error:
                        broken.append((called[place], error))
                _report(broken, len(table))

        asked = inspect.signature(rule)
        left = [each for name, each in asked.parameters.items() if name not in words]
        test.__signature__ = asked.replace(parameters=left)  # type: ignore[attr-defined]
        return test

    return decorate


def _report(broken: list[tuple[str, BaseException]], rows: int) -> None:
    if not broken:
        return
    for name, error in broken:
        error.add_note(f"in the row {name}")
    names = ", ".join(name for name, _ in broken)
    raise BaseExceptionGroup(f"{len(broken)} of {rows} rows: {names}", [error for _, error in broken[:SHOWN]])
