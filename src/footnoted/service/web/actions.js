/** A finished answer in; what a reader may do with it out: copy it, judge it, ask again. */

import { withCitations } from "./answer.js";
import { copy } from "./copy.js";
import { el, icon } from "./dom.js";
import { feedback } from "./wire.js";

const LONGEST_COMMENT = 4000;

export class Actions {
  #turn;
  #onRated;
  #onAgain;
  #box = el("div", { class: "comment-box" });
  #thumbs;

  constructor(turn, { onAgain, onRated }) {
    this.#turn = turn;
    this.#onRated = onRated;
    this.#thumbs = [this.#thumb("up", "Good answer"), this.#thumb("down", "Bad answer")];
    this.#onAgain = onAgain;
    const copied = async (event) => {
      const button = event.currentTarget;
      const done = await copy(withCitations(turn.answer));
      button.lastChild.data = done ? "Copied" : "Copying failed";
      setTimeout(() => (button.lastChild.data = "Copy"), 2000);
    };
    const row = el(
      "div",
      { class: "actions", role: "group", aria: { label: "This answer" } },
      el("button", { type: "button", class: "quiet", title: "Copy the answer with its sources", data: { action: "copy" }, onclick: copied }, icon("copy"), "Copy"),
      el("button", { type: "button", class: "quiet", data: { action: "again" }, onclick: () => onAgain() }, icon("again"), "Ask again"),
      el("button", { type: "button", class: "quiet", data: { action: "edit" }, onclick: () => this.#edit() }, icon("pen"), "Edit"),
      el("span", { class: "thumbs" }, this.#thumbs),
    );
    this.node = el("div", {}, row, this.#box);
    this.#show();
  }

  #thumb(rating, label) {
    const press = () => this.#rate(rating);
    return el("button", { type: "button", class: "quiet round", data: { rating }, aria: { label }, title: label, onclick: press }, icon(rating));
  }

  async #rate(rating) {
    this.#turn.rating = { rating, comment: this.#turn.rating?.comment ?? "" };
    this.#show();
    await this.#send("Thank you. Say more, if you like:");
    this.#box.querySelector("textarea")?.focus();
  }

  #show() {
    for (const button of this.#thumbs) {
      button.setAttribute("aria-pressed", String(button.dataset.rating === this.#turn.rating?.rating));
      button.hidden = !this.#turn.answer.answerId && !this.#turn.rating;
    }
  }

  /** The question in a field: asked again in other words, it takes the place of this one. */
  #edit() {
    const field = el("textarea", { rows: 2, dir: "auto", maxlength: 8000, aria: { label: "The question in other words" } });
    field.value = this.#turn.question;
    const close = () => this.#box.replaceChildren();
    const send = (event) => {
      event.preventDefault();
      const question = field.value.trim();
      if (!question) return;
      close();
      this.#onAgain(question);
    };
    const keys = (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    };
    this.#box.replaceChildren(
      el(
        "form",
        { class: "comment", onsubmit: send },
        field,
        el("div", { class: "row" }, el("button", { type: "submit", class: "solid" }, "Ask"), el("button", { type: "button", class: "quiet", onclick: close }, "Cancel")),
      ),
    );
    field.addEventListener("keydown", keys);
    field.focus();
  }

  /** Called when the answer has got its id. */
  refresh() {
    this.#show();
  }

  async #send(thanks) {
    const { rating, comment } = this.#turn.rating;
    try {
      await feedback({ answer_id: this.#turn.answer.answerId, rating, ...(comment ? { comment } : {}) });
      this.#onRated();
      this.#ask(thanks);
    } catch (error) {
      this.#box.replaceChildren(el("p", { class: "notice bad", role: "alert" }, error.message));
    }
  }

  #ask(words) {
    if (!words) {
      this.#box.replaceChildren(el("p", { class: "soft", role: "status" }, "Kept. Thank you."));
      return;
    }
    const field = el("textarea", { rows: 2, maxlength: LONGEST_COMMENT, dir: "auto", aria: { label: "Your comment" } });
    field.value = this.#turn.rating.comment;
    const close = () => this.#box.replaceChildren();
    const keep = async (event) => {
      event.preventDefault();
      this.#turn.rating.comment = field.value.trim();
      if (this.#turn.rating.comment) await this.#send("");
      else close();
    };
    this.#box.replaceChildren(
      el(
        "form",
        { class: "comment", onsubmit: keep },
        el("p", { class: "soft", role: "status" }, words),
        field,
        el("div", { class: "row" }, el("button", { type: "submit", class: "solid" }, "Send"), el("button", { type: "button", class: "quiet", onclick: close }, "No comment")),
      ),
    );
  }
}
