"""How cleanly documents are read: markup left in passages and titles, and the files that were not read, by name.

    python benchmarks/reading.py FOLDER [FOLDER …]

What is counted stands outside of code (fences, listings, `ticks`), where a reader would see it. The patterns name
what the formats' own rules call markup, not what these folders happen to hold.
"""

import argparse
import json
import re
import time
from collections import Counter
from pathlib import Path

from footnoted.errors import SourceError
from footnoted.retrieval import load

MARKUP = {
    "attribute list": r"\{ ?:?(?: ?[#.][\w-]+| ?\w[\w-]*=(?:\"[^\"]*\"|'[^']*'|[^\s}]+))+ ?\}",
    "include": r"\{\*.*?\*\}|\{!.*?!\}|(?m:^\s*-{1,2}8<-{1,2}.*$)",
    "template": r"\{%.*?%\}|\{\{.*?\}\}",
    "admonition fence": r"(?m:^\s*(?:/{3,}|:{3,}|!!!|\?\?\?\+?)(?:\s.*)?$)|\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]",
    "import or export": r"(?m:^(?:import\s.+from\s+['\"].*|export\s+(?:const|default)\b.*)$)",
    "component": r"</?[A-Z][\w.]*(?=[\s/>])",
    "tag": r"</?(?:a|abbr|b|br|code|details|dfn|div|em|font|h[1-6]|hr|i|iframe|img|kbd|li|ol|p|picture|pre|script|"
    r"small|source|span|strong|style|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)(?=[\s/>])",
    "comment": r"<!--|-->|\{/\*",
    "role or directive": r"(?<![\w:]):[a-z][\w:+-]*:`|(?m:^\s*\.\. [\w-]+::)|(?m:^:[\w -]+:(?:\s|$))",
    "image or badge": r"!\[[^\]]*\]\(|!\[[^\]]*\]\[",
    "relative link": r"\]\((?!https?:|mailto:|tel:)[^)\s]*\)",
    "entity": r"&(?:nbsp|amp|lt|gt|quot|#\d+|#x[0-9a-fA-F]+|[mn]dash|copy|rarr);",
    "reference": r"(?m:^ {0,3}\[[^\]\n]+\]:\s+\S+)",
}
_CODE = re.compile(r"(?ms:^[ >]*(`{3,}|~{3,}).*?(?:^[ >]*\1|\Z))|(?s:(?<!`)(`+)(?!`).+?(?<!`)\2(?!`))")


def left_over(folder: str) -> dict:
    begun = time.perf_counter()
    try:
        loaded = load(folder)
    except SourceError as error:
        return {"folder": folder, "error": str(error)}
    found, shown = Counter(), {}
    for source in loaded.sources:
        body = "" if source.metadata["kind"] == "code" else _CODE.sub("`", source.text)
        for text in (body, _CODE.sub("`", source.title)):
            for name, pattern in MARKUP.items():
                for match in re.finditer(pattern, text):
                    found[name] += 1
                    shown.setdefault(name, []).append((source.metadata["file"], match.group()[:60]))
    return {
        "folder": folder,
        "documents": len(loaded.documents),
        "passages": len(loaded.sources),
        "seconds": round(time.perf_counter() - begun, 2),
        "fragments": sum(found.values()),
        "by kind": dict(found.most_common()),
        "examples": {name: places[:3] for name, places in shown.items()},
        "not read": [f"{problem.path}: {problem.reason}" for problem in loaded.problems],
        "passed over": dict(loaded.skipped),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    report = [left_over(folder) for folder in options.folders if folder.exists()]
    for row in report:
        examples = row.pop("examples", {})
        print(json.dumps(row, ensure_ascii=False, indent=1))
        for name, places in examples.items():
            for file, text in places:
                print(f"   {name}: {file}: {text!r}")


if __name__ == "__main__":
    main()
