"""Draws the tables and pictures of what was measured beside other libraries."""

from __future__ import annotations

from typing import Any

from _peers.registry import CLIENTS

from _figures.drawing import Bar, Cell, bars, matrix, picture
from _figures.spread import of, ratio, spread, words
from _figures.words import table

# The class of what a caller saw: how it is shown, and in which words.
SAW = {
    "whole": ("good", "whole"),
    "raises": ("good", "✓ raises"),
    "says so": ("good", "✓ says so"),
    "closed": ("good", "✓ closed"),
    "unsaid": ("warn", "? unsaid"),
    "as if whole": ("bad", "✗ as whole"),
    "empty": ("bad", "✗ empty"),
    "waits": ("bad", "✗ waits"),
    "open": ("bad", "✗ open"),
    "unclear": ("warn", "–"),
}
FATES = {
    "kept": "kept",
    "corrected": "**moved to the right source**",
    "unmarked": "shown, marker taken out",
    "withheld": "**withheld**",
    "flagged": "**shown, flagged**",
    "logged": "shown, a warning logged",
    "shown": "shown as it came",
}
FLOORS = {"openai": "bare", "anthropic": "bare-anthropic", "gemini": "bare-gemini"}


def title(client: str) -> str:
    """What a client is called."""
    return CLIENTS[client].title


def _whose(client: str) -> str:
    return "ours" if client.startswith("footnoted") else "floor" if client.startswith("bare") else "peer"


def versions(found: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    """Which packages each client stood on."""
    given = [pair for part in found.values() for pair in part.get("versions", {}).items()]
    rows = {title(client): packages for client, packages in given if client in CLIENTS and isinstance(packages, dict)}
    return [(name, ", ".join(f"{package} {number}" for package, number in of.items())) for name, of in rows.items()]


# --- faults


def _fault_columns(rows: dict[str, Any]) -> list[str]:
    """footnoted first, the floor last; footnoted over the other protocols only where it differs."""
    ours = {play: row["saw"] for play, row in rows["footnoted"]["rows"].items()}
    same = {
        client
        for client in rows
        if client.startswith("footnoted-") and {p: r["saw"] for p, r in rows[client]["rows"].items()} == ours
    }
    middle = [client for client in rows if client not in {"footnoted", "bare", *same}]
    return ["footnoted", *middle, *(["bare"] if "bare" in rows else [])]


def _fault_cell(play: str, row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    kind, word = SAW[row["saw"]]
    timed = play.startswith(("silence", "no headers", "keep-alives"))  # else a clock would tell of the machine's load
    after = f" {row['seconds']:.0f} s" if timed and row["saw"] in {"raises", "says so", "waits"} else ""
    return f"**{word}**{after}" if kind == "bad" else f"{word}{after}"


def faults(part: dict[str, Any]) -> str:
    """The fault tables: with defaults, and where own limits change something."""
    default, limited = part["tables"]["defaults"], part["tables"]["own limits"]
    columns = _fault_columns(default)
    plays = list(default["footnoted"]["rows"])
    rows = [[play, *(_fault_cell(play, default[client]["rows"].get(play)) for client in columns)] for play in plays]
    changed = [
        play
        for play in plays
        if play in limited["footnoted"]["rows"]
        and any(
            default[c]["rows"].get(play, {}).get("saw") != limited.get(c, default[c])["rows"].get(play, {}).get("saw")
            or limited.get(c, default[c])["rows"].get(play, {}).get("saw") == "waits"
            for c in columns
        )
    ]
    again = [
        [play, *(_fault_cell(play, limited.get(client, {}).get("rows", {}).get(play)) for client in columns)]
        for play in changed
    ]
    heads = ("what goes wrong", *(title(client).removesuffix(", citations decoded") for client in columns))
    limits = "; ".join(f"{title(c).removesuffix(', citations decoded')} `{part['limits'][c]}`" for c in columns)
    legend = (
        "*whole*: the right answer all the same. *raises*, *says so*: an exception, or a finish reason that no good answer "
        "has. *unsaid*: it ends without a word, and only a caller who looks sees that the finish reason is missing. "
        "*as whole*: it ends exactly as a good answer does. *empty*: no text and no error. *waits*: nothing after "
        f"{part['wait_s']:.0f} s. *open*: five seconds after its reader left, the server was still sending (where a client "
        "offers a context manager for the stream, leaving through that closes it)."
    )
    return (
        "## What a caller sees when the wire fails\n\n![The fault table as a picture](images/figures-faults.svg)\n\n"
        "The same broken answers from the same server (`footnoted.testing`, real sockets), read through each client the way "
        "its own documentation shows, with its defaults. The faults are those footnoted was built against. The class of each cell is computed "
        "(`benchmarks/_peers/faulty.py`, `saw`).\n\n"
        + table(heads, rows, side="---")
        + f"\n{legend}\n\nWith each client's own limits set ({limits}), the rows that change or still wait, "
        f"given up after {min(45, part['wait_s']):.0f} s:\n\n" + table(heads, again, side="---")
    )


def faults_picture(part: dict[str, Any]) -> str:
    """The fault table with defaults, as a matrix."""
    default = part["tables"]["defaults"]
    columns = _fault_columns(default)
    plays = [play for play in default["footnoted"]["rows"] if play != "nothing wrong"]
    rows = [
        (play, [Cell(*SAW[default[client]["rows"].get(play, {}).get("saw", "unclear")]) for client in columns])
        for play in plays
    ]
    names = [title(client).removesuffix(", citations decoded") for client in columns]
    below = (
        "✓ the caller is told · ? only a missing finish reason tells · ✗ the caller takes it for an answer, waits "
        f"{part['wait_s']:.0f} s, or upstream goes on\n"
        f"Each with its defaults, same server, {part['measured']['date'][:10]}; python benchmarks/peers.py faults"
    )
    return matrix("What a caller sees when the wire fails", below, names, rows)


# --- cost


def cost(part: dict[str, Any]) -> str:
    """CPU a stream and the wait for the first text."""
    rows = part["rows"]
    out = "## What a streamed answer costs\n\n![CPU a streamed answer](images/figures-cost.svg)\n\n"
    out += (
        f"{part['chunks']} chunks at {part['pace']} a second, {part['streams']} streams at a time in a fresh process, the "
        "same prompt and five sources; CPU is user and system time of the client's process. footnoted builds the prompt, "
        "decodes the citations and points them into the sources besides. *Every sentence checked* is its default: sentences "
        "of a policy it never met, each weighed before it leaves, which no other row does. The bare loop is a floor, not a "
        "peer: no deadline, no retry, no look at the ending. Its cost is mostly the waking, so on a busy machine, where late "
        "wake-ups find several chunks at once, ratios to it come out low and waits for text long; read them with the load.\n"
    )
    for protocol, floor in FLOORS.items():
        clients = [client for client in rows if CLIENTS[client].protocol == protocol]
        if floor not in rows or len(clients) < 2:
            continue
        lines = [
            (
                title(client),
                words(of(rows[client], "cpu_ms")),
                words(ratio(rows[client], rows[floor], "cpu_ms"), ".2f"),
                words(of(rows[client], "first_ms")),
                words(of(rows[client], "first_paced_ms"), ".0f"),
            )
            for client in clients
        ]
        columns = ("client", "CPU ms a stream", "× bare", "first text ms, alone", "first text ms, among the streams")
        out += f"\nOver {protocol.title().replace('ai', 'AI')}'s protocol:\n\n" + table(columns, lines)
    return out


def cost_picture(part: dict[str, Any]) -> str:
    """CPU a stream, over OpenAI's protocol."""
    rows = []
    for client, rounds in part["rows"].items():
        found = of(rounds, "cpu_ms")
        if CLIENTS[client].protocol == "openai" and found:
            label = f"{found.middle:.0f} ms"
            rows.append(Bar(title(client), found.middle, found.least, found.most, _whose(client), label))
    rows.sort(key=lambda row: row.middle)
    count = max(len(rounds) for rounds in part["rows"].values())
    began, ended = part["measured"]["load"]
    below = (
        f"CPU milliseconds of the client's process for one answer of {part['chunks']} chunks: median and range of {count} "
        f"rounds\nRanges that overlap are no difference; the machine's load was {began:.0f} to {ended:.0f} on its cores; "
        f"{part['measured']['date'][:10]}; benchmarks/peers.py cost"
    )
    return bars("What a streamed answer costs", below, rows)


# --- many at once


def many(part: dict[str, Any]) -> str:
    """So many streams at once."""
    sizes = sorted({int(size) for rounds in part["rows"].values() for size in rounds})
    out = (
        "## Many streams at once in one process\n\nEach stream ideally takes "
        f"{part['ideal_s']:.0f} s; longer means that the client's one core is full. *Memory* is growth over a warmed-up "
        "process at its highest, a stream. *Whole answers* are those of more than 200 characters. A sentence whose verdict takes "
        "over five seconds is withheld, unchecked, so where checking finds no processor time, answers come out short: that row "
        "is an overload, and fails closed.\n"
    )
    for size in sizes:
        lines = []
        for client, by_size in part["rows"].items():
            rounds = by_size.get(str(size))
            if rounds:
                ended = spread(each.get("finished", 0) for each in rounds)
                failed = {each["failed"] for each in rounds if "failed" in each}
                lines.append(
                    (
                        title(client),
                        "; ".join(failed) or f"{ended.least if ended else 0:.0f}",
                        words(of(rounds, "wall_s")),
                        words(of(rounds, "cpu_s")),
                        words(of(rounds, "first_p95_s"), ".2f"),
                        words(of(rounds, "kb"), ".0f"),
                    )
                )
        columns = ("client", "whole answers", "wall s", "CPU s", "first text p95 s", "memory KB a stream")
        out += f"\n{size:,} at once:\n\n" + table(columns, lines)
    return out


# --- citations


def cited(part: dict[str, Any]) -> str:
    """The fates of planted sentences."""
    rows = part["rows"]
    planted = next(iter(rows.values()))["fates"]
    lines = [
        (name, *(FATES[row["fates"][what]] for what in planted)) if "fates" in row else (name, row["failed"])
        for name, row in rows.items()
    ]
    sentences = "\n".join(f"{number}. {text}" for number, text in enumerate(part["planted"], 1))
    return (
        "## What becomes of a model's mistakes\n\nA scripted model answers with five sentences over five sources; the first "
        f"is right. Each library's seat for citations reads the answer:\n\n{sentences}\n\n"
        + table(("library", *planted), lines, side="---")
        + "\nSeats: LlamaIndex's CitationQueryEngine, Haystack's AnswerBuilder with a reference pattern, LangChain's structured "
        "answer with ids and quotes, the Anthropic API's own citations (where the real API writes the pointers itself, so that "
        "`[9]` cannot come from it); a regex over the text for those that have none. The fate is computed "
        "(`benchmarks/_peers/citing.py`, `fate`). These are one sentence of each kind: how often the check is right is "
        "the table of public sets below.\n"
    )


# --- starting


def start(part: dict[str, Any]) -> str:
    """Import, memory, disk, first answer."""
    lines = []
    for client, row in part["rows"].items():
        checked = client == "footnoted-checked"
        lines.append(
            (
                title(client),
                "as above" if checked else words(spread(row["import_cpu_ms"]), ".0f"),
                "as above" if checked else words(spread(row["import_mb"]), ".0f"),
                words(spread(row["cold_cpu_s"]), ".2f"),
                words(spread(row["cold_s"]), ".2f"),
                words(spread(row["answered_mb"]), ".0f"),
                "as above" if checked else f"{row['mb']:.0f}",
                "as above" if checked else f"{row['distributions']}",
            )
        )
    columns = (
        "library",
        "import, CPU ms",
        "import, MB of memory",
        "first answer from cold, CPU s",
        "by the clock, s",
        "memory then, MB",
        "on disk, MB",
        "distributions",
    )
    return (
        "## What it costs to have\n\n![Import, memory and disk](images/figures-start.svg)\n\nEach in an environment that holds "
        "it alone, as pip installs it; a fresh process each time, modules compiled, files in the page cache. Import and its "
        "memory are over a bare interpreter; for footnoted every room is opened (`from footnoted import *`) and its HTTP "
        "client. *On disk* leaves compiled modules out.\n\n" + table(columns, lines)
    )


def start_picture(part: dict[str, Any]) -> str:
    """Three small columns of bars: import, memory after the first answer, disk."""
    panels = (
        ("import, CPU ms", lambda row: spread(row["import_cpu_ms"])),
        ("memory after an answer, MB", lambda row: spread(row["answered_mb"])),
        ("on disk, MB", lambda row: spread([row["mb"]])),
    )
    clients = [client for client in part["rows"] if client != "footnoted-checked"]
    names, wide, left, top, step = [title(c).removesuffix(", citations decoded") for c in clients], 178, 150, 76, 24
    drawn = ['<text class="title" x="16" y="24">What it costs to have</text>']
    for number, (client, name) in enumerate(zip(clients, names, strict=True)):
        kind = "oursname" if _whose(client) == "ours" else ""
        drawn.append(
            f'<text class="{kind}" x="{left - 10}" y="{top + number * step + 14}" text-anchor="end">{name}</text>'
        )
    for place, (label, figure) in enumerate(panels):
        x = left + place * (wide + 14)
        drawn.append(f'<text class="soft" x="{x}" y="{top - 14}">{label}</text>')
        values = [found.middle if (found := figure(part["rows"][client])) else 0.0 for client in clients]
        for number, (client, value) in enumerate(zip(clients, values, strict=True)):
            y, long = top + number * step, max(1.0, value / max(values) * (wide - 44))
            drawn.append(
                f'<rect class="{_whose(client)}" x="{x}" y="{y + 3}" width="{long:.1f}" height="14" rx="2"/>'
                f'<text class="soft" x="{x + long + 6:.1f}" y="{y + 14.5}">{value:,.0f}</text>'
            )
    floor = top + len(clients) * step
    drawn.append(
        f'<text class="soft" x="16" y="{floor + 24}">Medians. Memory is without a check; with one, footnoted loads '
        "its models: see the table.</text>"
        f'<text class="soft" x="16" y="{floor + 40}">{part["measured"]["date"][:10]}; python benchmarks/peers.py start</text>'
    )
    return picture(left + 3 * (wide + 14) + 4, floor + 54, "What it costs to have", drawn)


def prompt(part: dict[str, Any]) -> str:
    """Characters that are neither source nor question."""
    lines = [(name, f"{added:,}") for name, added in part["rows"].items()]
    return "## What a prompt adds\n\nCharacters around five sources and a question.\n\n" + table(
        ("prompt", "characters added"), lines
    )
