/** A tree of Markdown blocks and what stands where in the text in; DOM nodes out, nothing of which can run. */

import { el, heard, icon } from "./dom.js";
import { coloured } from "./highlight.js";
import { parseInline } from "./inline.js";
import { parse } from "./markdown.js";

export const VERDICTS = {
  supported: { icon: "check", word: "Supported", means: "The sources carry this sentence." },
  unsure: { icon: "unsure", word: "Not sure", means: "The sources may carry this sentence; the check could not tell." },
  unsupported: { icon: "question", word: "Not supported", means: "No source carries this sentence." },
  contradicted: { icon: "cross", word: "Contradicted", means: "A source says otherwise." },
  not_checked: { icon: "dash", word: "Not checked", means: "This sentence could not be checked." },
};

/**
 * Draws a growing text into `root`, block by block; a block that did not change keeps its nodes, and with them the
 * reader's focus and selection. `onCite(index)` and `onVerdict(index)` hear the marks.
 */
export class Sheet {
  #root;
  #hear;
  #drawn = [];

  constructor(root, { onCite, onVerdict }) {
    this.#root = root;
    this.#hear = { onCite, onVerdict };
  }

  /** Show `text`. `places` holds citations, claims and gone, in UTF-16 offsets. */
  draw(text, places, { open = false } = {}) {
    const atoms = places.citations.map(({ start, end }) => [start, end]);
    const blocks = parse(text, { atoms, open });
    const ink = new Ink(places, this.#hear);
    const focus = this.#focused();
    const kept = blocks.map((block, n) => {
      const key = keyOf(block, text, places);
      const before = this.#drawn[n];
      if (before?.key === key) return before;
      const node = drawBlock(block, ink);
      ink.endClaims(node, block);
      return { key, node };
    });
    kept.forEach(({ node }, n) => {
      const before = this.#drawn[n]?.node;
      if (before === node) return;
      if (before) before.replaceWith(node);
      else this.#root.append(node);
    });
    for (const { node } of this.#drawn.slice(kept.length)) node.remove();
    this.#drawn = kept;
    if (focus) this.#root.querySelector(focus)?.focus({ preventScroll: true });
  }

  #focused() {
    const active = document.activeElement;
    if (!active || active === this.#root || !this.#root.contains(active)) return null;
    if (active.dataset.citation) return `[data-citation="${active.dataset.citation}"]`;
    return active.dataset.verdict ? `.verdict[data-claim="${active.dataset.claim}"]` : null;
  }
}

/** What a block looks like depends on its text, its place, and the marks on it. */
function keyOf(block, text, places) {
  const on = (each) => each.start < block.end && each.end > block.start;
  const marks = [
    ...places.citations.filter(on).map((c) => `c${c.index}:${c.start}:${c.end}:${c.number}`),
    ...places.claims.filter(on).map((c) => `v${c.index}:${c.start}:${c.end}:${c.verdict}`),
    ...places.gone.filter(on).map((g) => `g${g.start}:${g.end}`),
  ];
  return `${block.type}|${block.start}|${text.slice(block.start, block.end)}|${marks.join(",")}`;
}

/** The nodes of one block, its text written by `ink`. */
export function drawBlock(block, ink) {
  switch (block.type) {
    case "heading":
      // The page's own headings are h1 and h2; an answer's begin below them.
      return el(`h${Math.min(6, block.level + 2)}`, { dir: "auto" }, ink.inline(block.inline()));
    case "paragraph":
      return el("p", { dir: "auto" }, ink.inline(block.inline()));
    case "quote":
      return el("blockquote", { dir: "auto" }, block.children?.map((child) => drawBlock(child, ink)) ?? []);
    case "list": {
      const items = block.items.map((blocks) => el("li", { dir: "auto" }, itemNodes(blocks, block.loose, ink)));
      return el(block.ordered ? "ol" : "ul", { start: block.ordered && block.from !== 1 ? block.from : null }, items);
    }
    case "code":
      return codeBlock(block, ink);
    case "table":
      return tableOf(block, ink);
    case "rule":
      return el("hr");
    default:
      return el("p");
  }
}

function itemNodes(blocks, loose, ink) {
  return blocks.map((block) =>
    block.type === "paragraph" && !loose ? ink.inline(block.inline()) : drawBlock(block, ink),
  );
}

function tableOf({ aligned, head, rows }, ink) {
  const cell = (name, scope) => (children, n) =>
    el(name, { dir: "auto", scope, class: aligned[n] === "start" ? null : `to-${aligned[n]}` }, ink.inline(children));
  const table = el(
    "table",
    {},
    el("thead", {}, el("tr", {}, head().map(cell("th", "col")))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.cells().map(cell("td", null))))),
  );
  return el("div", { class: "table", role: "region", tabindex: 0, aria: { label: "Table" } }, table);
}

function codeBlock(block, ink) {
  const { language } = block;
  const code = el("code", { dir: "ltr" }, ink.code(block));
  const button = el("button", { type: "button", class: "quiet copy-code", data: { copy: "code" } }, icon("copy"), "Copy");
  const bar = el("div", { class: "code-bar" }, el("span", {}, language.slice(0, 40) || "code"), button);
  const box = el("pre", { tabindex: 0, aria: { label: language ? `Code, ${language.slice(0, 40)}` : "Code" }, role: "region" }, code);
  return el("div", { class: "code" }, bar, box);
}

/** A verdict stands on the line of the last words it is about: behind their marker and full stop, unbroken. */
function keepTogether(last, verdict) {
  const end = el("span", { class: "claim-end" });
  last.after(end);
  let node = last;
  const moved = [];
  while (node?.classList?.contains("claim") && node.textContent.trim().length <= 3) {
    moved.unshift(node);
    node = node.previousSibling;
  }
  end.append(...moved, verdict);
}

/** Writes text leaves, cut where citations, claims and retractions begin and end. */
export class Ink {
  constructor(places, hear) {
    this.places = places;
    this.hear = hear;
  }

  inline(nodes) {
    return nodes.flatMap((node) => {
      switch (node.type) {
        case "text":
          return this.leaf(node);
        case "break":
          return el("br");
        case "code":
          return el("code", {}, this.inline(node.children));
        case "link":
          return el("a", { href: node.href, target: "_blank", rel: "noopener noreferrer nofollow" }, this.inline(node.children));
        case "strong":
          return el("strong", {}, this.inline(node.children));
        case "emphasis":
          return el("em", {}, this.inline(node.children));
        case "struck":
          return el("del", {}, this.inline(node.children));
        default:
          return [];
      }
    });
  }

  /** A listing's text, its comments, strings, numbers and key words in their colours. */
  code({ text, language }) {
    return coloured(text, language).map(({ start, end, kind }) => {
      const piece = text.slice(start, end);
      return kind ? el("span", { class: `code-${kind}` }, piece) : piece;
    });
  }

  leaf({ text, start, end }) {
    if (text.length !== end - start) return this.piece(text, start, end);
    const { citations, claims, gone } = this.places;
    const cuts = new Set([start, end]);
    for (const each of [...citations, ...claims, ...gone]) {
      if (each.start > start && each.start < end) cuts.add(each.start);
      if (each.end > start && each.end < end) cuts.add(each.end);
    }
    const at = [...cuts].sort((a, b) => a - b);
    return at.slice(1).map((until, n) => this.piece(text.slice(at[n] - start, until - start), at[n], until));
  }

  piece(text, start, end) {
    const covers = (each) => each.start <= start && end <= each.end;
    const claim = this.places.claims.find(covers);
    const taken = this.places.gone.find(covers);
    const citation = this.places.citations.find(covers);
    let node = citation ? this.mark(citation, text, start) : text;
    if (claim) node = el("span", { class: "claim", data: { claim: claim.index, verdict: claim.verdict } }, node);
    if (taken) node = el("del", { class: "gone", title: taken.reason, data: { from: taken.start } }, node);
    return node;
  }

  mark(citation, text, start) {
    // A marker may reach the page in pieces; its first piece is the button, and says it all.
    if (start !== citation.start) return "";
    const title = citation.title ? `, ${citation.title.slice(0, 120)}` : "";
    const label = `Source ${citation.number}${title}: show the words`;
    return el(
      "button",
      { type: "button", class: "cite", data: { citation: citation.index }, aria: { label }, onclick: () => this.hear.onCite(citation.index) },
      String(citation.number),
    );
  }

  /** After the last words of each claim that ends in this block, its verdict. */
  endClaims(node, block) {
    for (const claim of this.places.claims) {
      if (claim.end <= block.start || claim.start >= block.end) continue;
      const pieces = node.querySelectorAll(`.claim[data-claim="${claim.index}"]`);
      if (pieces.length && claim.end <= block.end) keepTogether(pieces[pieces.length - 1], this.verdict(claim));
    }
  }

  verdict({ index, verdict }) {
    const { icon: name, word } = VERDICTS[verdict];
    return el(
      "button",
      { type: "button", class: "verdict", data: { claim: index, verdict }, title: word, onclick: () => this.hear.onVerdict(index) },
      icon(name),
      heard(`${word}. Why?`),
    );
  }
}

/** Words cut out of a source, their Markdown as what it means. */
export function quoted(text) {
  const line = text.split(/\s+/).join(" ").trim();
  const at = Array.from(line, (_, n) => n);
  return new Ink({ citations: [], claims: [], gone: [] }).inline(parseInline({ text: line, at }, { inLink: true }));
}
