/** The answers to one question asked again: the newest on the screen, the others a step away, two of them side by side. */

import { el, icon } from "./dom.js";

export class Group {
  #turns = el("div", { class: "again-turns" });
  #count = el("span", { class: "soft step", role: "status" });
  #bar;
  #compare;
  #at = 0;

  constructor() {
    const step = (by, label, name) => el("button", { type: "button", class: "quiet round", aria: { label }, title: label, onclick: () => this.#show(this.#at + by) }, icon(name));
    const press = () => {
      const on = this.node.classList.toggle("compared");
      this.#compare.setAttribute("aria-pressed", String(on));
      this.#show(this.#at);
    };
    this.#compare = el("button", { type: "button", class: "quiet", data: { action: "compare" }, aria: { pressed: "false" }, onclick: press }, icon("columns"), "Compare");
    this.#bar = el("div", { class: "again-bar", role: "group", aria: { label: "Answers to this question" }, hidden: true }, step(-1, "The answer before", "before"), this.#count, step(1, "The answer after", "after"), this.#compare);
    this.node = el("section", { class: "again", aria: { label: "A question and its answers" } }, this.#bar, this.#turns);
  }

  /** One more answer, which is shown. */
  add(node) {
    this.#turns.append(node);
    this.#bar.hidden = this.#turns.childElementCount < 2;
    this.#show(this.#turns.childElementCount - 1);
  }

  #show(at) {
    const all = [...this.#turns.children];
    this.#at = (at + all.length) % all.length;
    const beside = this.node.classList.contains("compared") ? (this.#at > 0 ? this.#at - 1 : 1) : -1;
    all.forEach((node, n) => (node.hidden = n !== this.#at && n !== beside));
    this.#count.textContent = `Answer ${this.#at + 1} of ${all.length}`;
  }
}
