/** Feedback: what people thought of which answers, the newest first, and more of it on wish. */

import { moment } from "./admintable.js";
import { el, icon, heard } from "./dom.js";
import { toast } from "./toast.js";
import * as wire from "./wire.js";

/** What stands in the place `feedback`. */
export async function feedbackOf() {
  const list = el("ul", { class: "thoughts" });
  const tenant = el("input", { type: "search", id: "thought-tenant", autocomplete: "off", spellcheck: "false", maxlength: "64" });
  const rating = el("select", { id: "thought-rating" }, el("option", { value: "" }, "All"), el("option", { value: "down" }, "Thumbs down"), el("option", { value: "up" }, "Thumbs up"));
  const more = el("button", { type: "button", class: "quiet", hidden: true, onclick: () => load({ on: true }) }, "Show more");
  let next = null;

  async function load({ on = false } = {}) {
    const wanted = { limit: "50" };
    if (tenant.value.trim()) wanted.tenant = tenant.value.trim();
    if (rating.value) wanted.rating = rating.value;
    if (on) wanted.after = next;
    const found = await wire.thoughts(wanted);
    next = found.next;
    const shown = found.feedback.map(thought);
    if (on) list.append(...shown);
    else list.replaceChildren(...(shown.length ? shown : [el("li", { class: "none" }, "Nobody has said anything here.")]));
    more.hidden = !next;
  }

  const filter = el("form", { class: "card make", role: "search", aria: { label: "Find feedback" }, onsubmit: (event) => {
    event.preventDefault();
    load().catch((error) => toast(error.message));
  } },
    el("div", { class: "field" }, el("label", { for: "thought-tenant" }, "Tenant"), tenant),
    el("div", { class: "field" }, el("label", { for: "thought-rating" }, "Rating"), rating),
    el("button", { type: "submit", class: "solid" }, "Show"),
  );
  await load();
  return [el("h2", {}, "Feedback"), filter, list, more];
}

function thought({ rating, tenant, question, answer, comment, created_at }) {
  return el("li", { class: "card thought", data: { rating } },
    el("p", { class: "row soft" }, icon(rating), heard(rating === "up" ? "Thumbs up" : "Thumbs down"), el("strong", { dir: "auto" }, tenant), el("span", {}, moment(created_at))),
    el("h3", { dir: "auto" }, question),
    comment ? el("blockquote", { dir: "auto" }, comment) : null,
    el("details", {}, el("summary", {}, "The answer"), el("p", { class: "said", dir: "auto" }, answer)),
  );
}
