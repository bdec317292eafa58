/** The conversations the service keeps: found, opened, renamed, exported, shared by a link, deleted for good. */

import { copy } from "./copy.js";
import { el, icon } from "./dom.js";
import * as wire from "./wire.js";

const SEARCH_AFTER = 200;
const FORMS = [["markdown", "Markdown", "md"], ["html", "Web page", "html"], ["json", "JSON", "json"]];

/** Lists conversations in `root`. `onOpen(id)`, `onGone(id)` (null: all), `onNamed(id, title)` and `onSay(text)` hear the reader. */
export class Past {
  #root;
  #hear;
  #rows = [];
  #next = null;
  #current = null;
  #asked = 0;
  #search = el("input", { type: "search", class: "search", placeholder: "Search conversations", dir: "auto", maxlength: 200, aria: { label: "Search conversations" } });
  #list = el("ul", { class: "past" });
  #foot = el("div", { class: "past-foot" });

  constructor(root, hear) {
    this.#root = root;
    this.#hear = hear;
    let timer = 0;
    this.#search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.refresh(), SEARCH_AFTER);
    });
    root.append(this.#search, this.#list, this.#foot);
  }

  /** Ask the service what there is. */
  async refresh() {
    const asked = (this.#asked += 1);
    try {
      const { conversations, next } = await wire.conversations(this.#search.value.trim());
      if (asked !== this.#asked) return; // a later search was faster
      [this.#rows, this.#next] = [conversations, next];
      this.#draw();
    } catch (error) {
      if (error.status !== 401) this.#hear.onSay(error.message);
    }
  }

  /** Say which one is on the screen. */
  mark(id) {
    this.#current = id;
    for (const row of this.#list.children) {
      const button = row.querySelector(".past-open");
      if (row.dataset.conversation === id) button?.setAttribute("aria-current", "true");
      else button?.removeAttribute("aria-current");
    }
  }

  #draw() {
    const nothing = this.#search.value.trim() ? "No conversation holds these words." : "What you ask is listed here, on every device of yours.";
    this.#list.replaceChildren(...this.#rows.map((each) => this.#row(each)));
    this.#search.hidden = !this.#rows.length && !this.#search.value;
    if (!this.#rows.length) {
      this.#foot.replaceChildren(el("p", { class: "none" }, nothing));
      return;
    }
    const more = this.#next && el("button", { type: "button", class: "quiet", onclick: () => this.#more() }, "Show older ones");
    const all = el("button", { type: "button", class: "quiet", id: "forget-all" }, icon("trash"), "Delete all");
    all.addEventListener("click", () => {
      const yes = el("button", { type: "button", class: "danger", onclick: () => this.#forgetAll() }, "Delete all");
      const no = el("button", { type: "button", class: "quiet", onclick: () => (this.#draw(), this.#root.querySelector("#forget-all")?.focus()) }, "Keep");
      this.#foot.replaceChildren(el("p", { class: "sure" }, "Delete every conversation, for good and on every device?"), el("div", { class: "row" }, yes, no));
      no.focus();
    });
    this.#foot.replaceChildren(...[more, all].filter(Boolean));
  }

  async #more() {
    const { conversations, next } = await wire.conversations(this.#search.value.trim(), this.#next);
    this.#rows.push(...conversations);
    this.#next = next;
    this.#draw();
  }

  #row(each) {
    const current = each.id === this.#current ? "true" : null;
    const open = el(
      "button",
      { type: "button", class: "past-open", aria: { current }, onclick: () => this.#hear.onOpen(each.id) },
      el("span", { class: "name", dir: "auto" }, each.title || "Untitled"),
      el("small", { class: "soft" }, when(each.updated_at), each.shared ? " · shared" : ""),
    );
    const more = el("button", { type: "button", class: "quiet round", aria: { label: `More for ${each.title}`, expanded: "false" }, title: "Rename, export, share, delete" }, icon("more"));
    const node = el("li", { data: { conversation: each.id } }, open, more);
    more.addEventListener("click", () => {
      const shown = node.querySelector(".past-menu");
      more.setAttribute("aria-expanded", String(!shown));
      if (shown) shown.remove();
      else node.append(this.#menu(each, node, more));
    });
    return node;
  }

  #menu(each, node, opener) {
    const button = (name, words, act, kind = "quiet") => el("button", { type: "button", class: kind, onclick: act }, icon(name), words);
    const close = () => {
      node.querySelector(".past-menu")?.remove();
      opener.setAttribute("aria-expanded", "false");
      opener.focus();
    };
    const menu = el(
      "div",
      { class: "past-menu", role: "group", aria: { label: each.title } },
      button("pen", "Rename", () => this.#rename(each, node)),
      FORMS.map(([form, words, ending]) => button("save", words, () => this.#export(each, form, ending))),
      each.shared ? button("close", "Withdraw the link", () => this.#withdraw(each)) : null,
      button("share", each.shared ? "A new link" : "Share by a link", () => this.#share(each, menu)),
      button("trash", "Delete", () => this.#sure(each, menu, close), "quiet delete"),
    );
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      event.preventDefault();
      close();
    });
    return menu;
  }

  #rename(each, node) {
    const field = el("input", { type: "text", maxlength: 200, dir: "auto", required: true, aria: { label: "The conversation's title" } });
    field.value = each.title;
    const keep = async (event) => {
      event.preventDefault();
      await this.#try(async () => {
        const told = await wire.rename(each.id, field.value);
        this.#hear.onNamed(each.id, told.title);
      });
      this.#list.querySelector(`[data-conversation="${CSS.escape(each.id)}"] button`)?.focus();
    };
    const quit = (event) => event.key === "Escape" && (event.stopPropagation(), this.#draw());
    node.replaceChildren(el("form", { class: "rename", onsubmit: keep, onkeydown: quit }, field, el("button", { type: "submit", class: "solid" }, "Rename")));
    field.select();
  }

  async #export(each, form, ending) {
    await this.#try(async () => {
      const address = URL.createObjectURL(await wire.exported(each.id, form));
      const name = `${each.title.replace(/[^\p{L}\p{N} _-]+/gu, "").trim().slice(0, 60) || "conversation"}.${ending}`;
      el("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }, false);
  }

  async #share(each, menu) {
    try {
      const { path } = await wire.share(each.id);
      each.shared = true;
      const link = new URL(path, location.href).href;
      const copied = await copy(link);
      const field = el("input", { type: "text", readonly: true, value: link, dir: "ltr", aria: { label: "The link" } });
      menu.replaceChildren(el("p", { class: "soft" }, `${copied ? "Copied. " : ""}Whoever has this link can read the conversation, until you withdraw it.`), field);
      field.select();
    } catch (error) {
      this.#hear.onSay(error.message);
    }
  }

  async #withdraw(each) {
    await this.#try(async () => {
      await wire.withdraw(each.id);
      this.#hear.onSay("The link was withdrawn.");
    });
  }

  #sure(each, menu, close) {
    const no = el("button", { type: "button", class: "quiet", onclick: close }, "Keep");
    menu.replaceChildren(el("p", { class: "sure" }, "Delete it, with its answers and links, for good?"), el("div", { class: "row" }, el("button", { type: "button", class: "danger", onclick: () => this.#forget(each) }, "Delete"), no));
    no.focus();
  }

  async #forget(each) {
    await this.#try(async () => {
      try {
        await wire.forget(each.id);
      } catch (error) {
        if (error.status !== 404) throw error;
      }
      this.#hear.onGone(each.id);
    });
    (this.#list.querySelector("button") ?? this.#search).focus();
  }

  async #forgetAll() {
    await this.#try(async () => {
      await wire.forgetAll();
      this.#hear.onGone(null);
    });
  }

  async #try(act, then = true) {
    try {
      await act();
      if (then) await this.refresh();
    } catch (error) {
      this.#hear.onSay(error.message);
    }
  }
}

function when(at) {
  const days = Math.floor((startOfDay(Date.now()) - startOfDay(at)) / 86_400_000);
  const time = new Intl.DateTimeFormat(undefined, days > 0 ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" });
  return days === 1 ? "Yesterday" : time.format(new Date(at));
}

const startOfDay = (at) => new Date(at).setHours(0, 0, 0, 0);
