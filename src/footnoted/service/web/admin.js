/** An administrator in; tenants, keys and feedback of the whole service out, each at an address of its own. */

import { feedbackOf } from "./adminfeedback.js";
import { keysOf } from "./adminkeys.js";
import { tenantsOf } from "./admintenants.js";
import { el, icon, setAria } from "./dom.js";
import { askForKey } from "./gate.js";
import { themeButton } from "./rail.js";
import * as wire from "./wire.js";

const $ = (id) => document.getElementById(id);
const PLACES = { tenants: tenantsOf, keys: keysOf, feedback: feedbackOf };
let opening = 0;

/** The place the address names, and what of it: `#tenants/acme`. */
function asked() {
  const [place, what = ""] = location.hash.slice(1).split("/");
  if (!Object.hasOwn(PLACES, place)) return ["tenants", ""];
  try {
    return [place, decodeURIComponent(what)];
  } catch {
    return [place, ""];
  }
}

async function show({ moved = false } = {}) {
  const mine = (opening += 1);
  const [place, what] = asked();
  for (const link of $("places").children) setAria(link, "current", link.hash === `#${place}` ? "page" : null);
  setAria($("main"), "busy", true);
  let shown;
  try {
    shown = await PLACES[place](what);
  } catch (error) {
    if (error.status === 401) return;
    shown = [el("p", { class: "problem", role: "alert" }, error.message), el("button", { type: "button", class: "quiet", onclick: () => show() }, "Try again")];
  }
  if (mine !== opening) return; // another was asked for meanwhile
  $("main").replaceChildren(...shown);
  setAria($("main"), "busy", null);
  if (moved) $("main").focus({ preventScroll: true });
}

function wantKey() {
  askForKey({ wanted: true, onKey: enter });
}

/** Who may see nothing here is told what would let them. */
function closed(session) {
  $("places").hidden = true;
  const command = el("pre", { class: "command", tabindex: "0" }, el("code", {}, "footnoted keys add NAME --role admin"));
  const why = session.needs_key
    ? "Your key may ask questions. To see to keys, tenants and feedback it takes an administrator's, or a token with the administrator's role."
    : "No key was ever made here, so nobody can be told from anybody. The first key of an administrator closes this service to all who have none:";
  $("main").replaceChildren(
    el("section", { class: "card closed", aria: { labelledby: "closed-title" } },
      el("h2", { id: "closed-title" }, session.needs_key ? "Not with this key" : "There is no administrator yet"),
      el("p", {}, why),
      command,
      el("button", { type: "button", class: "solid", onclick: () => askForKey({ wanted: false, onKey: enter }) }, "Use a key"),
    ),
  );
}

async function enter() {
  try {
    const session = await wire.session();
    if (!session.admin) return closed(session);
    $("places").hidden = false;
    await show();
  } catch (error) {
    if (error.status !== 401) $("main").replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
  }
}

themeButton($("theme"));
$("show-key").append(icon("key"));
$("show-key").addEventListener("click", () => askForKey({ wanted: false, onKey: enter }));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address says where one is
  $("main").focus();
});
wire.onUnauthorized(wantKey);
addEventListener("hashchange", () => !$("places").hidden && show({ moved: true }));
enter();
