/** Pointers into sources in; the source open beside the answer out, scrolled to and marked at the exact words. */

import { verdictOf } from "./answer.js";
import { copy } from "./copy.js";
import { el, icon } from "./dom.js";
import { VERDICTS } from "./draw.js";
import { unitsOf } from "./positions.js";
import * as wire from "./wire.js";

const AROUND = 40_000; // characters shown before and after the words; the rest on request
const narrow = matchMedia("(max-width: 720px)");

export class Panel {
  #node;
  #veil;
  #behind;
  #texts = new Map();
  #spots = [];
  #at = 0;
  #claim = null;
  #opener = null;
  #pasted = [];
  #turn = 0;
  #onAt = () => {};

  /** `behind` are the parts of the page that a sheet over them takes out of reach. */
  constructor(node, veil, behind) {
    this.#node = node;
    this.#veil = veil;
    this.#behind = behind;
    veil.addEventListener("click", () => this.close());
  }

  get isOpen() {
    return !this.#node.hidden;
  }

  /**
   * Show `spots[at]` (see `spot`); `claim` is what was checked against them; `pasted` the texts sent along. `onAt(spot)`
   * hears which words are shown, null when none are any more.
   */
  open(spots, at, { claim = null, pasted = [], onAt = () => {} } = {}) {
    if (!this.isOpen || !this.#node.contains(document.activeElement)) this.#opener = document.activeElement;
    this.#onAt(null);
    [this.#spots, this.#claim, this.#pasted, this.#onAt] = [spots, claim, pasted, onAt];
    this.#node.hidden = false;
    document.body.classList.add("with-panel");
    if (narrow.matches) {
      this.#veil.hidden = false;
      for (const each of this.#behind) each.inert = true;
    }
    this.#go(at, { focus: true });
  }

  close() {
    if (!this.isOpen) return;
    this.#onAt(null);
    this.#node.hidden = true;
    this.#veil.hidden = true;
    document.body.classList.remove("with-panel");
    for (const each of this.#behind) each.inert = false;
    if (this.#opener?.isConnected) this.#opener.focus({ preventScroll: true });
    else document.getElementById("question").focus();
  }

  /** The citation after (or before) this one. */
  step(by) {
    if (this.isOpen && this.#spots.length > 1) this.#go((this.#at + by + this.#spots.length) % this.#spots.length);
  }

  /** A document was deleted: what was read of it is not shown again. */
  forget(documentId) {
    this.#texts.delete(documentId);
  }

  /** Another key may be another tenant. */
  forgetAll() {
    this.#texts.clear();
  }

  async #go(at, { focus = false } = {}) {
    this.#at = at;
    const turn = (this.#turn += 1);
    const spot = this.#spots[at];
    this.#onAt(spot ?? null);
    const body = el("div", { class: "source-body", tabindex: 0, role: "region", aria: { label: "The source's text" } });
    this.#node.replaceChildren(this.#head(spot), ...this.#verdict(), ...(spot ? [body, this.#foot(spot)] : []));
    if (focus) this.#node.querySelector("#panel-title").focus({ preventScroll: true });
    if (!spot) return;
    body.replaceChildren(el("p", { class: "pulse" }, "Opening the source…"));
    const read = await this.#read(spot);
    if (turn !== this.#turn) return; // another one was asked for meanwhile
    show(body, read, spot);
  }

  #head(spot) {
    const [title, ...sections] = (spot ? spot.title : "This sentence").split(" › ");
    const section = sections.join(" › ");
    return el(
      "div",
      { class: "panel-head" },
      spot?.number ? el("span", { class: "note-number", aria: { hidden: "true" } }, String(spot.number)) : null,
      el("div", { class: "panel-name" }, el("h2", { id: "panel-title", tabindex: -1, dir: "auto" }, title), section ? el("p", { class: "soft", dir: "auto" }, section) : null),
      el("button", { type: "button", class: "quiet round", id: "close-panel", aria: { label: "Close the source" }, title: "Close (Esc)", onclick: () => this.close() }, icon("close")),
    );
  }

  #verdict() {
    const claim = this.#claim;
    if (!claim) return [];
    const verdict = verdictOf(claim);
    const { icon: name, word, means } = VERDICTS[verdict];
    const tiers = { exact: "by its exact words", model: "by the local model", judge: "by the judge" };
    const by = tiers[claim.tier] ? `Checked ${tiers[claim.tier]}` : "";
    const score = typeof claim.score === "number" ? `${Math.round(claim.score * 100)} % sure that the sources carry it` : "";
    return [
      el(
        "div",
        { class: "card verdict-card", data: { verdict } },
        el("p", { class: "verdict-word" }, icon(name), word),
        el("p", { class: "verdict-claim", dir: "auto" }, flagged(claim)),
        el("p", {}, claim.reason || means),
        by || score ? el("p", { class: "soft" }, [by, score].filter(Boolean).join(" · ")) : null,
      ),
    ];
  }

  #foot(spot) {
    const press = async (event) => {
      const button = event.currentTarget;
      const done = await copy(spot.quote);
      button.lastChild.data = done ? "Copied" : "Copying failed";
      setTimeout(() => (button.lastChild.data = "Copy these words"), 2000);
    };
    const support = typeof spot.support === "number" ? supportWord(spot.support) : "";
    const many = this.#spots.length > 1;
    const step = (by, label, name) =>
      el("button", { type: "button", class: "quiet round", aria: { label }, title: label, onclick: () => this.step(by) }, icon(name));
    const count = el("span", { class: "soft step", role: "status" }, `${this.#at + 1} of ${this.#spots.length}`);
    return el(
      "div",
      { class: "panel-foot" },
      el("button", { type: "button", class: "quiet", onclick: press }, icon("copy"), "Copy these words"),
      el("span", { class: "soft apart" }, support),
      many ? [step(-1, "Previous words", "before"), count, step(1, "Next words", "after")] : null,
    );
  }

  /** The text to show and where the words stand in it (code points), or null where there is none any more. */
  async #read(spot) {
    const sent = this.#pasted[spot.index]?.words;
    if (typeof sent === "string") return { text: sent, start: spot.start, end: spot.end };
    try {
      if (spot.documentId && spot.documentStart !== null) {
        const { text } = await this.#once(spot.documentId, wire.documentText);
        return { text, start: spot.documentStart, end: spot.documentEnd };
      }
      if (spot.documentId && spot.chunkId) {
        const { text } = await this.#once(spot.chunkId, wire.passage);
        return { text, start: spot.start, end: spot.end };
      }
      if (spot.chunkId) {
        const { text } = await this.#once(spot.chunkId, wire.citedSource);
        return { text, start: spot.start, end: spot.end };
      }
    } catch (error) {
      if (!spot.documentId && error.status === 404) return { failed: "Of this source only the words it was cited for are shown:" };
      return { failed: error.status === 404 ? "This document has been deleted. The words it was cited for:" : `${error.message} The words it was cited for:` };
    }
    return { failed: "Of this source only the words it was cited for are shown:" };
  }

  async #once(id, get) {
    if (!this.#texts.has(id)) this.#texts.set(id, await get(id));
    return this.#texts.get(id);
  }
}

const supportWord = (support) => (support >= 0.85 ? "Strong support" : support >= 0.5 ? "Fair support" : "");

/** The claim's own words without their markers, those no source carries underlined. */
function flagged({ text, flagged: spans = [] }) {
  const bare = (piece) => piece.replace(/\s*\[\d[\d, –-]*\]/g, "");
  const unit = unitsOf(text);
  const parts = [];
  let at = 0;
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const [from, until] = [Math.max(at, unit(start)), unit(end)];
    if (until <= from) continue;
    parts.push(bare(text.slice(at, from)), el("span", { class: "flagged" }, bare(text.slice(from, until))));
    at = until;
  }
  return [...parts, bare(text.slice(at))];
}

/** Write the source into the panel and bring the words into sight. */
function show(body, read, spot) {
  if (read.failed) {
    body.replaceChildren(el("p", { class: "notice" }, read.failed), el("div", { class: "source-text" }, el("mark", { class: "words" }, spot.quote)));
    return;
  }
  const unit = unitsOf(read.text);
  const [start, end] = [unit(read.start), unit(read.end)];
  const text = read.text;
  if (text.slice(start, end) !== spot.quote) {
    const changed = "These words are no longer where they were cited from. They were:";
    body.replaceChildren(el("p", { class: "notice" }, changed), el("div", { class: "source-text" }, el("mark", { class: "words" }, spot.quote)), el("div", { class: "source-text", dir: "auto" }, window_(text, 0, 2 * AROUND)));
    return;
  }
  const [from, until] = [edge(text, start - AROUND), edge(text, end + AROUND)];
  const box = el("div", { class: "source-text", dir: "auto" });
  const mark = el("mark", { class: "words", tabindex: -1 }, text.slice(start, end));
  box.append(...lines(text, from, start), mark, ...lines(text, end, until));
  const more = (label, from, until, place) => {
    const button = el("button", { type: "button", class: "quiet", onclick: () => (place(...lines(text, from, until)), button.remove()) }, label);
    return button;
  };
  body.replaceChildren(
    ...(from > 0 ? [more("Show what stands before", 0, from, (...nodes) => box.prepend(...nodes))] : []),
    box,
    ...(until < text.length ? [more("Show what follows", until, text.length, (...nodes) => box.append(...nodes))] : []),
  );
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  mark.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
}

const window_ = (text, from, until) => text.slice(edge(text, from), edge(text, until));

/** The nearest place in the text that splits no character. */
function edge(text, at) {
  const inside = Math.max(0, Math.min(text.length, at));
  return /[\udc00-\udfff]/.test(text[inside] ?? "") && inside > 0 ? inside - 1 : inside;
}

/** The text as it is, its Markdown headings set in bold. */
function lines(text, from, until) {
  const nodes = [];
  let at = from;
  for (const found of text.slice(from, until).matchAll(/^#{1,6}[ \t].*$/gm)) {
    const start = from + found.index;
    if (start > 0 && text[start - 1] !== "\n") continue; // the slice begins inside a line
    const [hashes] = /^#+/.exec(found[0]);
    const marks = el("span", { class: "source-hashes" }, hashes);
    nodes.push(text.slice(at, start), el("span", { class: "source-heading" }, marks, found[0].slice(hashes.length)));
    at = start + found[0].length;
  }
  nodes.push(text.slice(at, until));
  return nodes.filter((node) => node !== "");
}
