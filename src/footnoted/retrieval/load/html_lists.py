"""Reads what a page counts, marks and explains: lists in lists, and terms with what they mean."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborNode as Node

from footnoted.retrieval.load.numerals import counted

BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer header "
    "hgroup hr html li main p section summary ul ol table pre h1 h2 h3 h4 h5 h6 tr td th tbody thead tfoot".split()
)
BREAK = "\u2028"  # a line break the page asks for, told from those of its source
DEEP = 200  # levels of nesting a page's layout may have; what lies deeper is taken as running text
_FORMS = {
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter",
    "lower-roman": "lowerRoman",
    "upper-alpha": "upperLetter",
    "upper-latin": "upperLetter",
    "upper-roman": "upperRoman",
}
_MORE_THAN_WORDS = frozenset("dl table pre h1 h2 h3 h4 h5 h6".split())


def inline(node: Node) -> str:
    """The running text under a node; line breaks kept, what no reader sees left out."""
    pieces: list[str] = []
    for child in node.traverse(include_text=True):
        tag = child.tag or ""
        if tag == "-text":
            pieces.append(child.text(deep=False) or "")
        elif tag == "br":
            pieces.append(BREAK)
        elif tag in BLOCKS:
            pieces.append(" ")
    return "".join(pieces)


def items_of(node: Node, indent: str = "") -> list[str]:
    """A list's items as ``- first``, ``1. first`` or ``(a) first``; what stands in an item stands in its order.

    Inner lists are set in under their item, and so is what goes on behind them.
    """
    if len(indent) > DEEP // 4:
        return [f"{indent}- {' '.join(node.text().split())}"]
    items: list[str] = []
    given = node.attributes.get("start") or "1"
    number = int(given) - 1 if given.isdecimal() else 0
    for child in node.iter():
        if child.tag in {"ul", "ol"}:
            items.extend(items_of(child, indent + "  "))
        if child.tag != "li":
            continue
        own = child.attributes.get("value") or ""
        number = int(own) if own.isdecimal() else number + 1
        items.append(_item(child, f"{indent}{_mark(node, number)} ", indent + "  "))
    return items


def _item(node: Node, mark: str, indent: str) -> str:
    """What stands in an item, behind its mark."""
    lines, run = list[str](), list[str]()

    def close() -> None:
        words = " ".join("".join(run).split())
        run.clear()
        if words:
            lines.append((indent if lines else mark) + words)

    for inside in node.iter(include_text=True):
        if inside.tag in {"ul", "ol"}:
            close()
            lines.extend(items_of(inside, indent))
        elif (inside.tag or "")[:1] not in ("_", "!"):  # a comment
            run.append(inside.text(deep=False) or "" if inside.tag == "-text" else _spaced(inside))
    close()
    return "\n".join(lines)


def _spaced(node: Node) -> str:
    """An element's running text; white space parts a block from its neighbours."""
    return f" {inline(node)} " if node.tag in BLOCKS or node.tag == "br" else inline(node)


def _mark(list_: Node, number: int) -> str:
    """What is printed before an item of a list."""
    if list_.tag == "ul":
        return "-"
    styled = (list_.attributes.get("style") or "").partition("list-style-type:")[2].partition(";")[0]
    form = _FORMS.get((styled or list_.attributes.get("type") or "").strip())
    return f"({counted(number, form)})" if form else f"{number}."


def terms_of(node: Node) -> list[str]:
    """A list of terms as ``- term: what it means``; none where what it says of one is more than words and lists."""
    if any(inside.tag in _MORE_THAN_WORDS for inside in node.traverse() if inside.mem_id != node.mem_id):
        return []
    items: list[str] = []
    terms: list[str] = []
    for child in _parts_of(node):
        if child.tag == "dt":
            terms.append(" ".join(inline(child).split()))
        elif child.tag == "dd":
            mark = f"- {', '.join(terms).rstrip(':')}: " if terms else "- "
            said = _item(child, mark, "  ")
            items.append(said if said.startswith(mark) else f"{mark.rstrip()}\n{said}")  # of a list alone
            terms.clear()
    return [*items, *(f"- {term}" for term in terms)]


def _parts_of(list_: Node) -> Iterator[Node]:
    """The terms of a list and what it says of them, which may stand in groups."""
    for child in list_.iter():
        if child.tag == "div":
            yield from child.iter()
        else:
            yield child
