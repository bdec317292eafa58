/** Keys pressed outside text fields in; the page's commands out. One switch turns single keys off. */

import { el } from "./dom.js";
import { choice } from "./keep.js";

const COMMANDS = [
  ["/", "focus", "Write a question"],
  ["n", "fresh", "New conversation"],
  ["s", "stop", "Stop the answer"],
  ["j", "next", "Next cited words (source open)"],
  ["k", "previous", "Previous cited words (source open)"],
  ["d", "documents", "Documents"],
  ["h", "past", "History"],
  ["t", "theme", "Light, dark, or as the system"],
  ["?", "help", "This list"],
];
const FIXED = [
  ["Enter", "Ask"],
  ["Shift + Enter", "A new line in the question"],
  ["Esc", "Close the source, a dialog, the side"],
];

/** `act` maps each command's name to what it does. */
export function listenToKeys(act) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Escape") {
      if (!document.querySelector("dialog[open]")) act.escape();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !choice.get("keys", true)) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const command = COMMANDS.find(([pressed]) => pressed === event.key);
    if (!command) return;
    event.preventDefault();
    act[command[1]]();
  });
}

export function showHelp() {
  const dialog = document.getElementById("help");
  const row = (pressed, does) => [el("dt", {}, el("kbd", {}, pressed)), el("dd", {}, does)];
  const tick = el("input", { type: "checkbox", checked: choice.get("keys", true) });
  tick.addEventListener("change", () => choice.set("keys", tick.checked));
  dialog.replaceChildren(
    el(
      "form",
      { class: "dialog", method: "dialog" },
      el("h2", { id: "help-title" }, "Keyboard"),
      el("dl", { class: "keys" }, COMMANDS.map(([pressed, , does]) => row(pressed, does)), FIXED.map(([pressed, does]) => row(pressed, does))),
      el("label", { class: "tick" }, tick, " Single keys do these things"),
      el("div", { class: "row end" }, el("button", { class: "solid" }, "Close")),
    ),
  );
  dialog.showModal();
}
