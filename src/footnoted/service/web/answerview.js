/** One question and its answer in; what the reader sees of them out, kept up to date while the answer grows. */

import { ReadAloud, say } from "./announce.js";
import { behind, footnotes, growing, places, refused, restingOn, spot, verdictOf, withheld } from "./answer.js";
import { beside } from "./beside.js";
import { el, icon } from "./dom.js";
import { quoted, Sheet, VERDICTS } from "./draw.js";
import { Actions } from "./actions.js";
import { offer } from "./selection.js";

/** `onOpen(spots, at, verdict)` hears which words to show; `onAgain(question)` that it shall be asked again. */
export class AnswerView {
  #answer;
  #hear;
  #sheet;
  #parts;
  #aloud = null;
  #due = false;
  #waiting = 0;

  constructor(turn, number, hear) {
    this.#answer = turn.answer;
    this.#hear = hear;
    const prose = el("div", { class: "prose" });
    this.#sheet = new Sheet(prose, {
      onCite: (index) => this.#openCitation(index),
      onVerdict: (index) => this.#openVerdict(index),
    });
    const part = (name, more = {}) => el("div", { class: name, ...more });
    this.#parts = { prose, state: part("state"), notices: part("notices"), notes: part("notes"), foot: part("foot") };
    this.actions = new Actions(turn, hear);
    const { state, notices, notes, foot } = this.#parts;
    this.body = el("div", { class: "answer" }, state, prose, notices, notes, foot);
    this.node = el(
      "article",
      { class: "turn", aria: { label: `Question ${number}` } },
      el("h2", { class: "question", dir: "auto", tabindex: -1 }, turn.question),
      this.body,
    );
    prose.addEventListener("pointerup", () => setTimeout(() => this.#selected()));
    prose.addEventListener("keyup", (event) => event.key === "Shift" && this.#selected());
    this.draw();
  }

  /** The answer has changed: draw it before the next frame. */
  changed() {
    if (this.#due) return;
    this.#due = true;
    const frame = document.hidden ? (call) => setTimeout(call, 250) : requestAnimationFrame;
    frame(() => {
      this.#due = false;
      this.draw();
      this.#hear.onDrawn?.();
    });
  }

  /** The connection is lost for some seconds, or (0) is back. */
  waiting(seconds) {
    this.#waiting = seconds;
    this.changed();
  }

  draw() {
    const answer = this.#answer;
    const open = growing(answer);
    const marks = places(answer);
    const told = refused(answer) ? "" : answer.text;
    this.body.setAttribute("aria-busy", String(open));
    this.body.dataset.phase = answer.phase;
    this.#sheet.draw(told, told ? marks : { citations: [], claims: [], gone: [] }, { open });
    this.#parts.state.replaceChildren(...this.#state());
    if (this.#aloud) this.#aloud.tell(answer.text, marks.citations, { ended: !open });
    else this.#aloud = new ReadAloud(answer.text, marks.citations);
    if (open) return;
    this.#parts.notices.replaceChildren(...this.#notices());
    this.#parts.notes.replaceChildren(...this.#footnotes());
    this.#parts.foot.replaceChildren(...this.#foot());
  }

  /** The answer has ended: say how. */
  ended() {
    this.draw();
    say(this.#ending());
  }

  #state() {
    if (this.#waiting) return [el("p", { class: "pulse" }, "The connection was lost. Joining again…")];
    if (!growing(this.#answer)) return [];
    if (this.#answer.phase === "asking") return [el("p", { class: "pulse" }, "Looking for what answers this…")];
    if (this.#answer.text) return [];
    const count = this.#answer.sources.length;
    return [el("p", { class: "pulse" }, `Reading ${count} ${count === 1 ? "passage" : "passages"}…`)];
  }

  #notices() {
    const answer = this.#answer;
    return [
      refused(answer) && this.#refusal(),
      answer.phase === "stopped" && el("p", { class: "notice" }, icon("stop"), "You stopped this answer. What was told before stands."),
      answer.phase === "error" && this.#failure(),
      ...this.#brokenOff(),
      ...answer.disagreements.map((each) => this.#disagreement(each)),
      this.#held(),
      beside(answer.extras),
    ].filter(Boolean);
  }

  #refusal() {
    const { message, found = [] } = this.#answer.response.refusal ?? {};
    const nearest = found.slice(0, 5).map((each) => this.#quoteButton(each));
    return el(
      "section",
      { class: "card refusal" },
      el("h3", {}, "Your sources do not say"),
      el("p", { dir: "auto" }, message || this.#answer.text),
      el("p", { class: "soft" }, "Asking in other words may help, or adding the document that would say."),
      nearest.length ? [el("p", { class: "soft" }, "What came nearest:"), el("ul", { class: "quotes" }, nearest)] : null,
    );
  }

  #quoteButton(evidence) {
    const at = spot(this.#answer, evidence);
    const open = () => this.#hear.onOpen([at], 0, null);
    return el(
      "li",
      {},
      el("button", { type: "button", class: "quote-button", onclick: open }, el("cite", { dir: "auto" }, at.title), el("q", { dir: "auto" }, quoted(at.quote))),
    );
  }

  #failure() {
    const { message } = this.#answer.error;
    return el("p", { class: "notice bad", role: "alert" }, icon("cross"), el("span", { dir: "auto" }, message));
  }

  #brokenOff() {
    const why = {
      truncated: "The model's stream broke off here: what you see is not all it had to say.",
      length: "The answer was cut at its greatest length.",
      filtered: "The model's provider stopped this answer.",
      error: "The model failed on the way: what you see is what it had said.",
    }[this.#answer.response?.finish_reason];
    return why ? [el("p", { class: "notice bad" }, icon("cross"), why)] : [];
  }

  #disagreement({ first, second, first_date: firstDate, second_date: secondDate, difference }) {
    const side = (evidence, date) => {
      const at = spot(this.#answer, evidence);
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "quote-button", onclick: () => this.#hear.onOpen([at], 0, null) },
          el("cite", { dir: "auto" }, date ? `${at.title} (${date})` : at.title),
          el("q", { dir: "auto" }, quoted(at.quote)),
        ),
      );
    };
    return el(
      "section",
      { class: "card disagreement" },
      el("h3", {}, icon("scales"), "The sources disagree"),
      difference ? el("p", { dir: "auto" }, difference) : null,
      el("ul", { class: "quotes" }, side(first, firstDate), side(second, secondDate)),
    );
  }

  #held() {
    const held = withheld(this.#answer);
    if (!held.length) return null;
    const many = held.length === 1 ? "1 sentence was left out. Why?" : `${held.length} sentences were left out. Why?`;
    const rows = held.map((each) => {
      const { word } = VERDICTS[verdictOf(each)];
      return el("li", {}, el("span", { class: "tag", data: { verdict: verdictOf(each) } }, word), el("del", { dir: "auto" }, each.text), el("p", { class: "soft", dir: "auto" }, each.reason || VERDICTS[verdictOf(each)].means));
    });
    return el("details", { class: "held" }, el("summary", {}, many), el("ul", {}, rows));
  }

  #footnotes() {
    if (refused(this.#answer)) return [];
    const notes = footnotes(this.#answer);
    if (!notes.length) return [];
    const rows = notes.map(({ number, citations }) => {
      const at = spot(this.#answer, citations[0]);
      const open = () => this.#openCitation(this.#answer.citations.indexOf(citations[0]));
      return el(
        "li",
        { value: number },
        el(
          "button",
          { type: "button", class: "note", onclick: open },
          el("span", { class: "note-number", aria: { hidden: "true" } }, String(number)),
          el("span", { class: "note-title", dir: "auto" }, at.title),
          el("span", { class: "note-quote", dir: "auto" }, quoted(at.quote)),
        ),
      );
    });
    return [el("h3", { class: "heard" }, "Sources"), el("ol", { class: "footnotes" }, rows)];
  }

  #foot() {
    const tally = this.#tally();
    const sure = tally.startsWith("Checked");
    return [tally ? el("p", { class: "tally" }, icon(sure ? "check" : "shield"), tally) : null, this.actions.node, this.#followUps()].filter(Boolean);
  }

  /** What the cited documents say beside this, by their own headings. */
  #followUps() {
    const questions = this.#hear.onFollowUps?.(this.#answer) ?? [];
    if (!questions.length) return null;
    const buttons = questions.map((question) => el("li", {}, el("button", { type: "button", class: "suggestion", dir: "auto", onclick: () => this.#hear.onAsk(question) }, question)));
    return el("nav", { class: "follow-ups", aria: { label: "Ask next" } }, el("ul", { class: "suggestions" }, buttons));
  }

  /** The words a reader selected in the answer: a button that opens what stands behind them. */
  #selected() {
    const selection = getSelection();
    const { prose } = this.#parts;
    if (selection.isCollapsed || !selection.rangeCount || !prose.contains(selection.anchorNode) || !prose.contains(selection.focusNode)) return;
    const range = selection.getRangeAt(0);
    const marks = places(this.#answer);
    const touched = (kind, about, among) => {
      const indexes = new Set([...prose.querySelectorAll(kind)].filter((node) => range.intersectsNode(node)).map((node) => Number(node.dataset[about])));
      return among.filter(({ index }) => indexes.has(index));
    };
    const stretches = [...touched(".claim", "claim", marks.claims), ...touched(".cite", "citation", marks.citations)];
    const spots = new Map();
    for (const { start, end } of stretches) for (const each of behind(this.#answer, start, end)) spots.set(`${each.index}:${each.start}:${each.end}`, each);
    offer(range, spots.size ? "What do these words stand on?" : "Nothing stands behind these words", spots.size ? () => this.#openSpots([...spots.values()]) : null);
  }

  #openSpots(spots) {
    this.#hear.onOpen(spots, 0, null, () => {});
  }

  /** The sentences that rest on a stretch of an open source; each can be shown. */
  restingOn(at, start, end) {
    return restingOn(this.#answer, at, start, end).map(({ index }) => ({
      text: this.#answer.claims[index].text,
      verdict: verdictOf(this.#answer.claims[index]),
      show: () => {
        this.#light(".claim", this.#answer.claims[index], this.#answer.claims);
        this.#parts.prose.querySelector(`.claim[data-claim="${index}"]`)?.scrollIntoView({ block: "center", behavior: "instant" });
      },
    }));
  }

  /** How many sentences hold, in words. */
  #tally() {
    if (refused(this.#answer)) return "";
    const shown = this.#answer.claims.filter((each) => each.kind === "claim" && each.shown !== false);
    if (!shown.length) return "";
    const count = (verdict) => shown.filter((each) => verdictOf(each) === verdict).length;
    const parts = Object.entries(VERDICTS)
      .map(([verdict, { word }]) => [count(verdict), word.toLowerCase()])
      .filter(([n]) => n);
    if (parts.length === 1 && count("supported")) {
      return shown.length === 1 ? "Checked: the source carries it" : `Checked: the sources carry all ${shown.length} statements`;
    }
    if (parts.length === 1 && count("not_checked")) return shown.length === 1 ? "This statement was not checked" : `None of the ${shown.length} statements was checked`;
    return `Of ${shown.length} ${shown.length === 1 ? "statement" : "statements"}: ${parts.map(([n, word]) => `${n} ${word}`).join(" · ")}`;
  }

  #ending() {
    const { phase, error } = this.#answer;
    if (phase === "stopped") return "The answer was stopped.";
    if (phase === "error") return error.message;
    if (refused(this.#answer)) {
      const { message } = this.#answer.response.refusal ?? {};
      return `Your sources do not say. ${message ?? ""}`;
    }
    const count = footnotes(this.#answer).length;
    return `The answer is complete. ${this.#tally()}. ${count} ${count === 1 ? "source" : "sources"}.`;
  }

  /** Open the words behind the marker at this offset (code points); the first marker's where there is none. */
  openAt(offset) {
    if (!this.#answer.citations.length) return;
    this.#openCitation(Math.max(0, this.#answer.citations.findIndex((each) => each.start_pos === offset)));
  }

  #openCitation(index) {
    const spots = this.#answer.citations.map((each) => ({ ...spot(this.#answer, each), number: each.number, support: each.support }));
    this.#hear.onOpen(spots, index, null, (spot) => this.#light(".cite", spot && this.#answer.citations[spots.indexOf(spot)], this.#answer.citations));
  }

  /** Light what the open source is about: one citation's number, or one claim's words. */
  #light(kind, lit, among) {
    const about = kind === ".cite" ? "citation" : "claim";
    const index = String(among.indexOf(lit));
    for (const node of this.#parts.prose.querySelectorAll(kind)) node.classList.toggle("lit", node.dataset[about] === index);
  }

  #openVerdict(index) {
    const claim = this.#answer.claims[index];
    const spots = claim.evidence?.map((each) => ({ ...spot(this.#answer, each), support: each.support })) ?? [];
    this.#hear.onOpen(spots, 0, claim, (spot) => this.#light(".claim", spot === null && spots.length ? null : claim, this.#answer.claims));
  }
}
