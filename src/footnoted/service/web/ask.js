/** What the reader types and chooses in; a question with what it is to be answered from out. */

import { el, icon } from "./dom.js";

const DOCUMENTS = { id: "documents", name: "My documents", stream: "/api/v1/chat/stream", hint: "Ask your documents…" };
const PASTED = { id: "pasted", name: "Pasted text", stream: "/api/v1/answers/stream", hint: "Ask the text you pasted…" };
// Where the service's list of assistants names these two, the page's own words for them hold.
const OWN = new Set(["documents", "answers", "pasted"]);

export class Ask {
  #form = document.getElementById("ask");
  #field = document.getElementById("question");
  #send = document.getElementById("send");
  #modes = document.getElementById("modes");
  #tray = document.getElementById("tray");
  #said = document.getElementById("ask-said");
  #dialog = document.getElementById("paste");
  #hear;
  #busy = false;
  #limit = Infinity;
  assistants = [DOCUMENTS, PASTED];
  assistant = DOCUMENTS;
  pasted = [];

  /** `onAsk({question, assistant, pasted})`, `onStop()` and `onMode()` hear the reader. */
  constructor(hear) {
    this.#hear = hear;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#busy) hear.onStop();
      else this.ask();
    });
    this.#field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.#busy) this.ask();
    });
    this.#field.addEventListener("input", () => {
      this.#grow();
      this.tell("");
    });
    this.#drawModes();
    this.busy(false);
  }

  /** What the service offers beside the two modes that are always there. */
  offer(offered, limits) {
    this.#limit = limits?.question_characters ?? Infinity;
    const more = offered
      .filter((each) => each?.id && typeof each.stream === "string" && each.stream?.startsWith("/") && !each.stream.startsWith("//") && !OWN.has(each.id))
      .map((each) => ({ id: String(each.id), name: String(each.name || each.id), stream: each.stream, hint: String(each.hint || `Ask ${each.name || each.id}…`), about: String(each.description || "") }));
    this.assistants = [DOCUMENTS, PASTED, ...more];
    // A tray in use stays as it is: redrawn under a pointer, it would swallow the click.
    if (this.assistant !== PASTED) this.choose(this.assistant.id);
    this.#drawModes();
  }

  choose(id) {
    this.assistant = this.assistants.find((each) => each.id === id) ?? DOCUMENTS;
    const radio = this.#modes.querySelector(`input[value="${CSS.escape(this.assistant.id)}"]`);
    if (radio) radio.checked = true;
    this.#field.placeholder = this.assistant.hint;
    this.#drawTray();
  }

  /** While an answer comes, the button stops it. */
  busy(busy) {
    this.#busy = busy;
    this.#send.replaceChildren(icon(busy ? "stop" : "send"));
    this.#send.setAttribute("aria-label", busy ? "Stop the answer" : "Ask");
    this.#send.title = busy ? "Stop" : "Ask (Enter)";
    this.#send.classList.toggle("stopping", busy);
  }

  tell(words) {
    this.#said.textContent = words;
  }

  write(question) {
    this.#field.value = question;
    this.#grow();
    this.#field.focus();
  }

  focus() {
    this.#field.focus();
  }

  ask() {
    const question = this.#field.value.trim();
    if (!question) {
      this.tell("Ask something in words.");
      this.#field.focus();
      return;
    }
    const length = [...question].length;
    if (length > this.#limit) {
      this.tell(`The question has ${length} characters; at most ${this.#limit} are taken.`);
      return;
    }
    if (this.assistant.id === "pasted" && !this.pasted.length) {
      this.tell("Paste a text first: the answer will come from it alone.");
      this.paste();
      return;
    }
    this.#field.value = "";
    this.#grow();
    this.#hear.onAsk({ question, assistant: this.assistant, pasted: this.assistant.id === "pasted" ? [...this.pasted] : [] });
  }

  /** Open the dialog that takes a text to answer from. */
  paste() {
    const title = el("input", { type: "text", id: "paste-name", maxlength: 200, dir: "auto", autocomplete: "off", placeholder: `Text ${this.pasted.length + 1}` });
    const words = el("textarea", { id: "paste-text", rows: 10, dir: "auto", required: true });
    const add = (event) => {
      event.preventDefault();
      if (!words.value.trim()) return;
      this.pasted.push({ title: title.value.trim() || title.placeholder, words: wellFormed(words.value) });
      this.#dialog.close();
      this.#drawTray();
      this.#field.focus();
    };
    this.#dialog.replaceChildren(
      el(
        "form",
        { class: "dialog", onsubmit: add },
        el("h2", { id: "paste-title" }, "Paste a text"),
        el("label", { for: "paste-name" }, "Its name"),
        title,
        el("label", { for: "paste-text" }, "Its words"),
        words,
        el("div", { class: "row end" }, el("button", { type: "button", class: "quiet", onclick: () => this.#dialog.close() }, "Cancel"), el("button", { type: "submit", class: "solid" }, "Add")),
      ),
    );
    this.#dialog.showModal();
    words.focus();
  }

  #drawModes() {
    const legend = this.#modes.querySelector("legend");
    const radios = this.assistants.map((each) => {
      const radio = el("input", { type: "radio", name: "mode", value: each.id, checked: each.id === this.assistant.id });
      radio.addEventListener("change", () => {
        this.choose(each.id);
        this.tell("");
        this.#hear.onMode();
      });
      return el("label", { class: "mode", title: each.about || null }, radio, el("span", {}, each.name));
    });
    const within = this.#modes.contains(document.activeElement);
    this.#modes.replaceChildren(legend, ...radios);
    if (within) this.#modes.querySelector("input:checked")?.focus();
  }

  #drawTray() {
    this.#tray.hidden = this.assistant.id !== "pasted";
    const chips = this.pasted.map((each, n) => {
      const drop = () => {
        this.pasted.splice(n, 1);
        this.#drawTray();
        this.#tray.querySelector(".add-text").focus();
      };
      return el("span", { class: "chip" }, icon("file"), el("span", { class: "name", dir: "auto", title: each.words.slice(0, 300) }, each.title), el("button", { type: "button", class: "quiet round tiny", aria: { label: `Remove ${each.title}` }, onclick: drop }, icon("close")));
    });
    const add = el("button", { type: "button", class: "chip add-text", onclick: () => this.paste() }, icon("plus"), this.pasted.length ? "Another text" : "Paste a text");
    this.#tray.replaceChildren(...chips, add);
  }

  #grow() {
    this.#field.style.height = "auto";
    this.#field.style.height = `${Math.min(this.#field.scrollHeight, 220)}px`;
  }
}

/** Text that JSON can carry whole: no half characters, one kind of line end. */
const wellFormed = (text) => (text.toWellFormed?.() ?? text).replaceAll("\r\n", "\n");
