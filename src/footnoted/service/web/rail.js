/** The page's side in; a list of documents or of what was asked, and on small screens a drawer, out. */

import { el, icon } from "./dom.js";
import { choice } from "./keep.js";

const $ = (id) => document.getElementById(id);
const small = matchMedia("(max-width: 860px)");

export class Rail {
  #tabs = ["documents", "past"];

  constructor() {
    $("open-rail").addEventListener("click", () => this.#drawer(true));
    $("close-rail").addEventListener("click", () => this.close());
    $("veil").addEventListener("click", () => this.close());
    for (const name of this.#tabs) $(`tab-${name}`).addEventListener("click", () => this.#choose(name));
    document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
      if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
      event.preventDefault();
      const other = { Home: 0, End: 1 }[event.key] ?? 1 - this.#tabs.indexOf(this.#shown());
      this.#choose(this.#tabs[other]);
      $(`tab-${this.#tabs[other]}`).focus();
    });
    small.addEventListener("change", () => this.close());
    this.#choose(choice.get("rail", "documents"));
  }

  /** Bring a list into sight, and the keyboard to it. */
  show(name) {
    if (small.matches) this.#drawer(true);
    this.#choose(name);
    $(`tab-${name}`).focus();
  }

  close() {
    if (!document.body.classList.contains("with-rail")) return;
    this.#drawer(false);
    $("open-rail").focus();
  }

  #shown() {
    return this.#tabs.find((name) => $(`tab-${name}`).getAttribute("aria-selected") === "true");
  }

  #choose(name) {
    const chosen = this.#tabs.includes(name) ? name : "documents";
    for (const each of this.#tabs) {
      $(`tab-${each}`).setAttribute("aria-selected", String(each === chosen));
      $(`tab-${each}`).tabIndex = each === chosen ? 0 : -1;
      $(each).hidden = each !== chosen;
    }
    choice.set("rail", chosen);
  }

  #drawer(open) {
    document.body.classList.toggle("with-rail", open);
    $("veil").hidden = !open;
    $("open-rail").setAttribute("aria-expanded", String(open));
    for (const each of [$("main"), document.querySelector(".bar"), document.querySelector(".skip")]) each.inert = open;
    if (open) $("close-rail").focus();
  }
}

const THEMES = { system: ["auto", "As the system"], light: ["sun", "Light"], dark: ["moon", "Dark"] };

/** A button that goes from theme to theme; returns what it does. */
export function themeButton(button) {
  let theme = choice.get("theme", "system");
  const set = () => {
    if (!Object.hasOwn(THEMES, theme)) theme = "system";
    const [name, word] = THEMES[theme];
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.replaceChildren(icon(name), el("span", {}, word));
    button.setAttribute("aria-label", `Colours: ${word}. Change`);
  };
  const turn = () => {
    const names = Object.keys(THEMES);
    theme = names[(names.indexOf(theme) + 1) % names.length];
    choice.set("theme", theme);
    set();
  };
  button.addEventListener("click", turn);
  set();
  return turn;
}
