/** A listing's text and the name of its language in; its stretches out, each comment, string, number and key word told. */

const LONGEST = 100_000; // characters that are coloured
const HASH = /^(?:py|python|sh|bash|shell|zsh|console|ya?ml|toml|ini|conf|cfg|rb|ruby|r|perl|pl|hcl|tf|terraform|docker(?:file)?|make(?:file)?|nginx|properties|graphql|powershell|ps1|elixir|julia|cmake)$/;
const DASH = /^(?:sql|psql|mysql|lua|haskell|hs|ada|vhdl)$/;
const PLAIN = /^(?:text|txt|plain|plaintext|output|none|log|)$/;
const MARKUP = /^(?:html|xml|svg|vue)$/;
const STRINGS = String.raw`"""[^]*?(?:"""|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'|${"`"}(?:\\[^]|[^${"`"}\\])*${"`"}`;
const NUMBERS = String.raw`\b(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b`;
const NAMES = String.raw`[A-Za-z_$][\w$-]*`;
// What the languages of `HASH` and their neighbours reserve; a name that is a key or is called is told by what follows it.
const WORDS = new Set(
  ("and as async await begin break case catch class const continue create def default del delete do elif else end enum except " +
    "export extends false finally fn for from func function go group having if impl import in insert interface into is join lambda " +
    "let limit match module mut namespace new nil none not null on or order package pass private protected pub public raise " +
    "return select self set static struct super switch then this throw trait true try type union update use using values var " +
    "void where while with yield")
    .split(" "),
);

/** Stretches `{start, end, kind}` that together are all of `text`; `kind` is comment, string, number, word, key or "". */
export function coloured(text, language = "") {
  const name = language.toLowerCase();
  if (PLAIN.test(name) || text.length > LONGEST) return [{ start: 0, end: text.length, kind: "" }];
  const stretches = [];
  let at = 0;
  for (const found of text.matchAll(lexer(name))) {
    const kind = kindOf(found, text);
    if (!kind) continue;
    if (found.index > at) stretches.push({ start: at, end: found.index, kind: "" });
    at = found.index + found[0].length;
    stretches.push({ start: found.index, end: at, kind });
  }
  if (at < text.length) stretches.push({ start: at, end: text.length, kind: "" });
  return stretches;
}

function lexer(name) {
  let comments = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
  if (HASH.test(name)) comments = String.raw`(?<![^\s;])#[^\n]*`;
  else if (DASH.test(name)) comments = String.raw`--[^\n]*|\/\*[^]*?(?:\*\/|$)`;
  else if (MARKUP.test(name)) comments = String.raw`<!--[^]*?(?:-->|$)`;
  return new RegExp(`(?<comment>${comments})|(?<string>${STRINGS})|(?<number>${NUMBERS})|(?<name>${NAMES})`, "g");
}

function kindOf({ 0: found, index, groups }, text) {
  if (groups.comment) return "comment";
  const after = /^[ \t]*(?:[:=](?![:=])|\()/.exec(text.slice(index + found.length, index + found.length + 20));
  if (groups.string) return after?.[0].trim() === ":" ? "key" : "string";
  if (groups.number) return "number";
  if (WORDS.has(found.toLowerCase())) return "word";
  return after ? "key" : "";
}
