/** Words a reader selected in; one button beside them out, until they are selected no more. */

import { el } from "./dom.js";

const AWAY = 8; // pixels between the words and the button

/** Offer `words` beside a selected range; without `act` they are only said. */
export function offer(range, words, act) {
  withdraw();
  const box = range.getBoundingClientRect();
  const button = el(act ? "button" : "span", { class: "offer", type: act ? "button" : null, role: act ? null : "status" }, words);
  if (act) {
    button.addEventListener("click", () => {
      withdraw();
      act();
    });
  }
  document.body.append(button);
  const { width, height } = button.getBoundingClientRect();
  const left = Math.max(AWAY, Math.min(innerWidth - width - AWAY, box.left + box.width / 2 - width / 2));
  const below = box.bottom + AWAY + height < innerHeight;
  button.style.left = `${left}px`;
  button.style.top = `${below ? box.bottom + AWAY : Math.max(AWAY, box.top - height - AWAY)}px`;
}

function withdraw() {
  document.querySelector(".offer")?.remove();
}

document.addEventListener("selectionchange", () => getSelection().isCollapsed && withdraw());
addEventListener("scroll", withdraw, { capture: true, passive: true });
addEventListener("keydown", (event) => event.key === "Escape" && withdraw());
