/** Pointers into sources in; the source open beside the answer out, scrolled to and marked at the exact words. */

import { verdictOf } from "./answer.js";
import { copy } from "./copy.js";
import { el, icon, setAria } from "./dom.js";
import { quoted, VERDICTS } from "./draw.js";
import { Pages } from "./pages.js";
import { pointsIn, unitsOf } from "./positions.js";
import { Source } from "./source.js";
import * as wire from "./wire.js";

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
  #answerId = null;
  #restingOn = null;
  #turn = 0;
  #view = "page";
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
  open(spots, at, { claim = null, pasted = [], answerId = null, restingOn = null, onAt = () => {} } = {}) {
    if (!this.isOpen || !this.#node.contains(document.activeElement)) this.#opener = document.activeElement;
    this.#onAt(null);
    [this.#spots, this.#claim, this.#pasted, this.#answerId, this.#restingOn, this.#onAt] = [spots, claim, pasted, answerId, restingOn, onAt];
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
    const [read, where] = await Promise.all([this.#read(spot), this.#where(spot)]);
    if (turn !== this.#turn) return; // another one was asked for meanwhile
    const source = this.#text(body, read, spot);
    if (where.name) this.#node.querySelector(".panel-name").append(el("p", { class: "soft place", dir: "auto" }, where.name));
    if (where.drawn && where.places.some((each) => each.box)) this.#pagesToo(body, spot, where.places);
    this.#toWords(body);
    if (this.#restingOn && source) {
      const look = () => this.#selected(body, read, spot, source);
      body.addEventListener("pointerup", () => setTimeout(look));
      body.addEventListener("keyup", (event) => event.key === "Shift" && look());
    }
  }

  /** The source as text, the words marked; null where only the words are known. */
  #text(body, read, spot) {
    const words = () => el("div", { class: "source-text", dir: "auto" }, el("mark", { class: "words" }, quoted(spot.quote)));
    if (read.failed) {
      body.replaceChildren(el("p", { class: "notice" }, read.failed), words());
      return null;
    }
    const unit = unitsOf(read.text);
    const [start, end] = [unit(read.start), unit(read.end)];
    const there = read.text.slice(start, end) === spot.quote;
    const source = new Source(read.text, { start: there ? start : 0, end: there ? end : 0, plain: read.plain });
    const changed = "These words are no longer where they were cited from. They were:";
    body.replaceChildren(...(there ? [] : [el("p", { class: "notice" }, changed), words()]), ...source.nodes());
    return source;
  }

  /** Beside the text, the pages as they look; what was looked at last is shown first. */
  #pagesToo(body, spot, places) {
    const text = [...body.childNodes];
    const pages = new Pages(spot.documentId, places, spot.quote);
    const tab = (name, label) => el("button", { type: "button", class: "view", data: { view: name }, onclick: () => turn(name) }, label);
    const tabs = el("div", { class: "views", role: "group", aria: { label: "How the source is shown" } }, tab("page", "Page"), tab("text", "Text"));
    const turn = (name) => {
      this.#view = name;
      for (const each of tabs.children) setAria(each, "pressed", each.dataset.view === name);
      body.replaceChildren(...(name === "page" ? pages.nodes(() => turn("text"), () => this.#toWords(body)) : text));
      this.#toWords(body);
    };
    body.before(tabs);
    turn(this.#view);
  }

  /** Bring the cited words into sight. */
  #toWords(body) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    body.querySelector("mark.words, .area")?.scrollIntoView({ block: "center", behavior: still ? "instant" : "smooth" });
  }

  /** Words of the source that a reader selected: the sentences of the answer that rest on them. */
  #selected(body, read, spot, source) {
    const at = source.selected(getSelection());
    if (!at) return;
    const start = pointsIn(read.text.slice(0, at.start)) + spot.start - read.start;
    const end = start + pointsIn(read.text.slice(at.start, at.end));
    const found = this.#restingOn(spot, start, end);
    const words = found.length === 1 ? "1 sentence of the answer rests on these words" : `${found.length || "No"} sentences of the answer rest on these words`;
    const rows = found.map(({ text, verdict, show: bring }) => el("li", {}, el("button", { type: "button", class: "quote-button", data: { verdict }, dir: "auto", onclick: bring }, text)));
    this.#node.querySelector(".resting")?.remove();
    body.before(el("section", { class: "resting", role: "status" }, el("p", { class: "soft" }, words), rows.length ? el("ul", { class: "quotes" }, rows) : null));
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
    const sent = this.#pasted[spot.index];
    if (typeof sent?.words === "string") return { text: sent.words, start: spot.start, end: spot.end };
    try {
      if (sent && this.#answerId) {
        sent.words = (await wire.sentSource(this.#answerId, spot.index)).text;
        return { text: sent.words, start: spot.start, end: spot.end };
      }
      if (spot.documentId && spot.documentStart !== null) {
        const { text, format } = await this.#once(spot.documentId, wire.documentText);
        return { text, start: spot.documentStart, end: spot.documentEnd, plain: format === "text" };
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

  /** Where the words stand in the file itself: `{name, places, drawn}`, empty where that is not known. */
  async #where(spot) {
    const unknown = { name: "", places: [], drawn: false };
    if (!spot.documentId || spot.documentStart === null) return unknown;
    return wire.places(spot.documentId, spot.documentStart, spot.documentEnd).catch(() => unknown);
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
