/** What this browser keeps in; the conversations to go back to, or to delete, out. */

import { el, icon } from "./dom.js";
import * as keep from "./keep.js";

/** Lists kept conversations in `root`. `onOpen(id)`, `onForget(id)` and `onForgetAll()` hear the reader's wish. */
export class Past {
  #root;
  #hear;

  constructor(root, hear) {
    this.#root = root;
    this.#hear = hear;
  }

  draw(currentId) {
    const rows = keep.list().map(({ id, title, at }) => this.#row(id, title, at, id === currentId));
    const note = el("p", { class: "soft small" }, "Kept in this browser only.");
    if (!rows.length) {
      this.#root.replaceChildren(el("p", { class: "none" }, "What you ask is listed here, in this browser only."));
      return;
    }
    const all = el("button", { type: "button", class: "quiet", id: "forget-all" }, icon("trash"), "Delete all");
    all.addEventListener("click", () => {
      const yes = el("button", { type: "button", class: "danger", onclick: () => this.#hear.onForgetAll() }, "Delete all");
      const no = el("button", { type: "button", class: "quiet", onclick: () => (foot.replaceChildren(note, all), all.focus()) }, "Keep");
      foot.replaceChildren(el("p", { class: "sure" }, "Delete every conversation kept here?"), el("div", { class: "row" }, yes, no));
      no.focus();
    });
    const foot = el("div", { class: "past-foot" }, note, all);
    this.#root.replaceChildren(el("ul", { class: "past" }, rows), foot);
  }

  #row(id, title, at, current) {
    const open = el(
      "button",
      { type: "button", class: "past-open", dir: "auto", aria: { current: current ? "true" : null }, onclick: () => this.#hear.onOpen(id) },
      el("span", { class: "name" }, title || "Untitled"),
      el("small", { class: "soft" }, when(at)),
    );
    const bin = el("button", { type: "button", class: "quiet round", aria: { label: `Delete the conversation ${title}` }, title: "Delete", onclick: () => this.#hear.onForget(id) }, icon("trash"));
    return el("li", { data: { conversation: id } }, open, bin);
  }
}

function when(at) {
  const days = Math.floor((startOfDay(Date.now()) - startOfDay(at)) / 86_400_000);
  const time = new Intl.DateTimeFormat(undefined, days > 0 ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" });
  return days === 1 ? "Yesterday" : time.format(new Date(at));
}

const startOfDay = (at) => new Date(at).setHours(0, 0, 0, 0);
