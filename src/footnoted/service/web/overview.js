/** The reader's documents in; what is in them, where they begin, and questions made from their headings, out. */

import { el, icon } from "./dom.js";
import { size } from "./library.js";

const ASKED = 3;
const SHOWN = 5;
const QUESTION = /[?？؟]\s*$/;

/** A question on a topic: a heading that asks already as it is, any other without its number. */
const about = (topic) => (QUESTION.test(topic) ? topic : `What is said about “${topic.replace(/^[\d.]+\s+/, "")}”?`);

export class Overview {
  #documents = [];
  #root;
  #hear;

  /** `onAsk(question, documentId)` and `onOpen(spots, at)` hear the reader. */
  constructor(root, hear) {
    this.#root = root;
    this.#hear = hear;
  }

  get node() {
    return this.#root;
  }

  /** Show what the service says of the newest documents; `all` is how many there are and how large. */
  draw(documents, all) {
    this.#documents = documents;
    if (!documents.length) {
      this.#root.replaceChildren();
      return;
    }
    const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
    const many = `${all.length} ${all.length === 1 ? "document" : "documents"}, ${size(bytes)}`;
    const questions = this.#questions();
    this.#root.replaceChildren(
      ...(questions.length ? [el("h3", {}, "Worth asking"), el("ul", { class: "suggestions" }, questions)] : []),
      el("h3", {}, "What is in them"),
      el("p", { class: "soft" }, many),
      el("ul", { class: "openings" }, documents.slice(0, SHOWN).map((each) => this.#opening(each))),
    );
  }

  /** One question a document, then their next topics, until there are enough. */
  #questions() {
    const rounds = Math.max(0, ...this.#documents.map(({ topics }) => topics.length));
    const found = [];
    for (let n = 0; n < rounds && found.length < ASKED; n += 1) {
      for (const { id, title, topics } of this.#documents) if (topics[n] && found.length < ASKED) found.push([about(topics[n]), id, title]);
    }
    return found.map(([question, id, title]) => el("li", {}, el("button", { type: "button", class: "suggestion", onclick: () => this.#hear.onAsk(question, id) }, el("span", { dir: "auto" }, question), el("cite", { class: "soft", dir: "auto" }, title))));
  }

  #opening({ id, title, opening }) {
    const words = opening && el("q", { dir: "auto" }, opening.text);
    if (!opening) return el("li", {}, icon("file"), el("div", {}, el("cite", { dir: "auto" }, title)));
    const at = { source: null, index: -1, chunkId: null, documentId: id, title, quote: opening.text, start: opening.start, end: opening.end, documentStart: opening.start, documentEnd: opening.end };
    return el("li", {}, el("button", { type: "button", class: "quote-button", onclick: () => this.#hear.onOpen([at], 0) }, el("cite", { dir: "auto" }, title), words));
  }

  /** What else the documents of an answer say: topics it neither asked nor cited. */
  followUps(answer, question, asked) {
    const used = new Set(answer.citations.map(({ source_index: index }) => answer.sources[index]?.document_id));
    const titles = answer.citations.map(({ source_index: index }) => answer.sources[index]?.title ?? "");
    // What stands after the cited section is nearest to it.
    const after = (topics) => {
      const last = Math.max(...topics.map((topic, n) => (titles.some((title) => title.includes(topic)) ? n : -1)));
      return [...topics.slice(last + 1), ...topics.slice(0, last + 1)];
    };
    const cited = [question, ...asked, ...titles].join("\n").toLowerCase();
    return this.#documents
      .filter(({ id }) => used.has(id))
      .flatMap(({ topics }) => after(topics).filter((topic) => !cited.includes(topic.toLowerCase())).map(about))
      .slice(0, ASKED);
  }
}
