/** Keys: make one and show it once, list all, end one after asking. */

import { day, table } from "./admintable.js";
import { copy } from "./copy.js";
import { el } from "./dom.js";
import { toast } from "./toast.js";
import * as wire from "./wire.js";

const COLUMNS = [{ name: "Tenant" }, { name: "Label" }, { name: "Role" }, { name: "Key" }, { name: "Made" }, { name: "State" }];
const ROLES = { member: "Member", admin: "Administrator" };

/** What stands in the place `keys`. */
export async function keysOf() {
  let all = await wire.keys();
  const list = el("div", { id: "key-list" });
  const made = el("div", { id: "made", role: "status" });
  const search = el("input", { type: "search", id: "key-search", autocomplete: "off", spellcheck: "false", oninput: () => draw() });
  const title = el("h2", { tabindex: "-1" }, "Keys");

  function draw() {
    const wanted = search.value.trim().toLowerCase();
    const shown = all.filter(({ tenant, label, id }) => `${tenant} ${label} ${id}`.toLowerCase().includes(wanted)).reverse();
    list.replaceChildren(shown.length ? table("Keys", COLUMNS, shown.map(row)) : el("p", { class: "none" }, all.length ? "No key is like that." : "There is no key yet."));
  }

  function row(key) {
    const live = !key.revoked_at;
    const end = el("button", { type: "button", class: "danger slim", onclick: () => revoke(key), aria: { label: `Revoke the key ${key.label || key.id} of ${key.tenant}` } }, "Revoke");
    return [
      el("strong", { dir: "auto" }, key.tenant),
      key.label ? el("span", { dir: "auto" }, key.label) : el("span", { class: "soft" }, "–"),
      ROLES[key.role],
      el("code", {}, `fn_${key.id}_…`),
      day(key.created_at),
      live ? end : el("span", { class: "soft" }, `Revoked ${day(key.revoked_at)}`),
    ];
  }

  async function again() {
    all = await wire.keys();
    draw();
  }

  async function revoke(key) {
    if (!(await sure(`Revoke the key of ${key.tenant}?`, `Whoever uses ${key.label || `fn_${key.id}_…`} is refused: here at once, on other replicas within half a minute. It cannot be taken back.`, "Revoke"))) return;
    try {
      await wire.revokeKey(key.id);
      toast(`The key of ${key.tenant} is revoked`);
      await again();
    } catch (error) {
      toast(error.message);
    }
    title.focus();
  }

  const form = makeForm(async (body) => {
    const key = await wire.makeKey(body);
    form.reset(); // before the list comes anew: the next tenant may be typed by then
    made.replaceChildren(shownOnce(key, () => made.replaceChildren()));
    made.querySelector("button").focus();
    await again();
  });

  draw();
  return [
    title,
    form,
    made,
    el("div", { class: "field" }, el("label", { for: "key-search" }, "Find a key"), search),
    list,
  ];
}

function makeForm(make) {
  const tenant = el("input", { type: "text", id: "key-tenant", required: true, maxlength: "64", pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", title: "Letters, digits, dots and dashes", autocomplete: "off", spellcheck: "false" });
  const label = el("input", { type: "text", id: "key-label", maxlength: "200", autocomplete: "off", dir: "auto" });
  const role = el("select", { id: "key-role" }, Object.entries(ROLES).map(([value, name]) => el("option", { value }, name)));
  const said = el("p", { class: "problem", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    said.textContent = "";
    try {
      await make({ tenant: tenant.value.trim(), label: label.value.trim(), role: role.value });
    } catch (error) {
      said.textContent = error.message;
    }
  };
  const form = el("form", { class: "card make", aria: { label: "Make a key" }, onsubmit: submit },
    el("div", { class: "field" }, el("label", { for: "key-tenant" }, "Tenant"), tenant),
    el("div", { class: "field" }, el("label", { for: "key-label" }, "Label (to know it by)"), label),
    el("div", { class: "field" }, el("label", { for: "key-role" }, "Role"), role),
    el("button", { type: "submit", class: "solid" }, "Make a key"),
    said,
  );
  return form;
}

function shownOnce(key, close) {
  const done = el("button", { type: "button", class: "solid", onclick: async () => toast((await copy(key.key)) ? "Copied" : "Copying failed; select the key and copy it") }, "Copy");
  return el("section", { class: "card once", aria: { label: "The new key" } },
    el("p", {}, el("strong", {}, `The key of ${key.tenant}. `), "It is shown this once; keep it where its user finds it."),
    el("code", { class: "secret", tabindex: "0" }, key.key),
    el("div", { class: "row" }, done, el("button", { type: "button", class: "quiet", onclick: close }, "Done")),
  );
}

/** Ask before something that cannot be taken back; true when it is wanted. */
function sure(question, words, act) {
  const dialog = document.getElementById("sure");
  return new Promise((resolve) => {
    const answer = (value) => () => {
      dialog.oncancel = null;
      dialog.close();
      resolve(value);
    };
    const cancel = el("button", { type: "button", class: "quiet", onclick: answer(false) }, "Cancel");
    dialog.oncancel = () => resolve(false); // Escape
    dialog.replaceChildren(
      el("div", { class: "dialog" },
        el("h2", { id: "sure-title" }, question),
        el("p", {}, words),
        el("div", { class: "row end" }, cancel, el("button", { type: "button", class: "danger", onclick: answer(true) }, act)),
      ),
    );
    dialog.showModal();
    cancel.focus();
  });
}
