/** A service that wants a key in; the key the reader gives out. */

import { el } from "./dom.js";
import { key } from "./wire.js";

const dialog = () => document.getElementById("gate");

/** Ask for a key. `wanted`: the service refused without one, or with the one there is. `onKey()` hears a new one. */
export function askForKey({ wanted, onKey }) {
  if (dialog().open) return;
  const field = el("input", { type: "password", id: "key-field", autocomplete: "off", spellcheck: "false", dir: "ltr", required: wanted });
  const remember = el("input", { type: "checkbox", id: "key-remember" });
  const why = wanted
    ? key.get() ? "The service does not take this key. It may be mistyped or revoked." : "This service wants a key. Whoever runs it makes one with “footnoted keys add”."
    : key.get() ? "A key is set for this browser." : "No key is set. A service on your own machine needs none.";
  const keep = (event) => {
    event.preventDefault();
    key.set(field.value.trim(), { remember: remember.checked });
    dialog().close();
    onKey();
  };
  const forget = () => {
    key.set("");
    dialog().close();
    onKey();
  };
  dialog().replaceChildren(
    el(
      "form",
      { class: "dialog", onsubmit: keep },
      el("h2", { id: "gate-title" }, "API key"),
      el("p", { role: wanted ? "alert" : null }, why),
      el("label", { for: "key-field" }, "Key"),
      field,
      el("label", { class: "tick" }, remember, " Keep it in this browser (else until this tab closes)"),
      el(
        "div",
        { class: "row end" },
        key.get() ? el("button", { type: "button", class: "quiet", onclick: forget }, "Forget the key") : null,
        el("button", { type: "button", class: "quiet", onclick: () => dialog().close() }, "Cancel"),
        el("button", { type: "submit", class: "solid" }, "Use it"),
      ),
    ),
  );
  dialog().showModal();
  field.focus();
}
