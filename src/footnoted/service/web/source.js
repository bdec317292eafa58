/** A source's text and the words cited in it in; it drawn as what it is, the words marked, and each letter's place known, out. */

import { el } from "./dom.js";
import { drawBlock, Ink } from "./draw.js";
import { coloured } from "./highlight.js";
import { parse } from "./markdown.js";

const AROUND = 20_000; // characters drawn before and after the words, to the ends of their blocks; the rest on request
const ROWS = 200; // of a table or listing in one piece
const LONGEST = 20_000; // characters of a paragraph of plain text in one piece
const NOTHING = { citations: [], claims: [], gone: [] };

/** A text on the screen. `start` and `end` are the words' UTF-16 offsets, equal where there are none. */
export class Source {
  #text;
  #words;
  #pieces;
  #places = new WeakMap(); // text node → its offset
  #ink;
  #box = el("div", { class: "source-text" });

  /** `plain`: the text is no Markdown, and is shown as it is. */
  constructor(text, { start, end, plain = false }) {
    this.#text = text;
    this.#words = { start, end };
    this.#pieces = plain ? paragraphs(text) : parse(text).flatMap(inPieces);
    this.#ink = new Quill(this.#words, this.#places);
  }

  /** The nodes to show: the text around the words, and buttons for what stands before and after. */
  nodes() {
    const { start, end } = this.#words;
    const shown = this.#pieces.map((each, n) => (each.end > start - AROUND && each.start < end + AROUND ? n : -1)).filter((n) => n >= 0);
    const [first, last] = shown.length ? [shown[0], shown.at(-1) + 1] : [0, 0];
    this.#box.append(...this.#pieces.slice(first, last).map((each) => this.#draw(each)));
    return [this.#more("Show what stands before", first, -1), this.#box, this.#more("Show what follows", last, 1)].filter(Boolean);
  }

  get marks() {
    return [...this.#box.querySelectorAll("mark.words")];
  }

  /** The offsets of a selection inside this text, or null. */
  selected(selection) {
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.#box.contains(range.startContainer) || !this.#box.contains(range.endContainer)) return null;
    const walker = document.createTreeWalker(range.commonAncestorContainer, NodeFilter.SHOW_TEXT);
    const at = [];
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      const place = this.#places.get(node);
      if (place === undefined || !range.intersectsNode(node)) continue;
      const from = node === range.startContainer ? range.startOffset : 0;
      const until = node === range.endContainer ? range.endOffset : node.data.length;
      if (until > from) at.push(place + from, place + until);
    }
    return at.length ? { start: Math.min(...at), end: Math.max(...at) } : null;
  }

  #draw(piece) {
    if (piece.type !== "verbatim") return drawBlock(piece, this.#ink);
    return el("p", { class: "verbatim", dir: "auto" }, this.#ink.leaf({ text: this.#text.slice(piece.start, piece.end), ...piece }));
  }

  #more(label, at, step) {
    if (step < 0 ? at <= 0 : at >= this.#pieces.length) return null;
    const show = () => {
      const fresh = [];
      for (let size = 0; size < 2 * AROUND && this.#pieces[step < 0 ? at - 1 : at]; at += step) {
        const piece = this.#pieces[step < 0 ? at - 1 : at];
        size += piece.end - piece.start;
        fresh.push(this.#draw(piece));
      }
      if (step < 0) this.#box.prepend(...fresh.reverse());
      else this.#box.append(...fresh);
      if (step < 0 ? at <= 0 : at >= this.#pieces.length) button.remove();
    };
    const button = el("button", { type: "button", class: "quiet", onclick: show }, label);
    return button;
  }
}

/** Writes text leaves, the cited words marked, and remembers where each stands. */
class Quill extends Ink {
  constructor(words, places) {
    super(NOTHING);
    this.words = words;
    this.nodes = places;
  }

  leaf({ text, start, end }) {
    if (text.length !== end - start) return this.piece(text, start, end);
    const at = [start, this.words.start, this.words.end, end].filter((place, n, all) => place >= start && place <= end && all.indexOf(place) === n);
    return at.sort((a, b) => a - b).slice(1).map((until, n) => this.piece(text.slice(at[n] - start, until - start), at[n], until));
  }

  piece(text, start, end) {
    const node = document.createTextNode(text);
    this.nodes.set(node, start);
    return this.words.start < end && start < this.words.end ? el("mark", { class: "words" }, node) : node;
  }

  code({ text, language, rows }) {
    const nodes = [];
    const stretches = coloured(text, language);
    let [at, n] = [0, 0]; // in the listing's own text
    for (const row of rows) {
      const end = at + row.end - row.start;
      while (at < end) {
        while (stretches[n].end <= at) n += 1;
        const until = Math.min(end, stretches[n].end);
        const from = row.end - (end - at);
        const pieces = this.leaf({ text: text.slice(at, until), start: from, end: from + until - at });
        nodes.push(stretches[n].kind ? el("span", { class: `code-${stretches[n].kind}` }, pieces) : pieces);
        at = until;
      }
      nodes.push("\n");
      at += 1;
    }
    return nodes;
  }
}

/** A table or listing that is long, in several, each table with its head. */
function inPieces(block) {
  if (!block.rows || block.rows.length <= ROWS) return [block];
  const found = [];
  const lines = block.text?.split("\n");
  for (let at = 0; at < block.rows.length; at += ROWS) {
    const rows = block.rows.slice(at, at + ROWS);
    const [start, end] = [at ? rows[0].start : block.start, rows.at(-1).end];
    const text = lines?.slice(at, at + ROWS).join("\n");
    found.push({ ...block, rows, text, start, end });
  }
  return found;
}

/** Stretches of plain text between blank lines, the longest cut. */
function paragraphs(text) {
  const found = [];
  for (const { 0: words, index } of text.matchAll(/[^\n]+(?:\n[^\n]+)*/g)) {
    for (let at = 0; at < words.length; ) {
      let until = Math.min(words.length, at + LONGEST);
      if (until < words.length) until = at + (words.slice(at, until).search(/\s\S*$/) + 1 || LONGEST);
      found.push({ type: "verbatim", start: index + at, end: index + until });
      at = until;
    }
  }
  return found;
}
