/** Columns and rows in; a table out that is a list of cards on a small screen, and a table to whoever hears it. */

import { el } from "./dom.js";

/** `columns` are `{name, end}`: numbers stand at the end. A cell is text, a node, or a list of them. */
export function table(label, columns, rows) {
  const cells = (row) => row.map((cell, at) => el("td", { role: "cell", class: columns[at].end ? "end" : null, data: { label: columns[at].name } }, el("span", { class: "cell" }, cell)));
  return el("table", { class: "rows", role: "table", aria: { label } },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, columns.map(({ name, end }) => el("th", { role: "columnheader", scope: "col", class: end ? "end" : null }, name)))),
    el("tbody", { role: "rowgroup" }, rows.map((row) => el("tr", { role: "row" }, cells(row)))),
  );
}

export const number = (value) => value.toLocaleString();
export const money = (value, currency) => value.toLocaleString(undefined, { style: "currency", currency, maximumFractionDigits: 4 });
export const day = (iso) => new Date(iso).toLocaleDateString(undefined, { dateStyle: "medium" });
export const moment = (iso) => new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** How much of a limit is taken; the words beside it say the same. */
export function gauge(label, used, most) {
  const share = Math.min(1, most ? used / most : 0);
  const fill = el("span", {});
  fill.style.inlineSize = `${(share * 100).toFixed(1)}%`;
  return el("span", { class: "gauge", role: "meter", data: { high: share >= 0.9 ? "yes" : "no" }, aria: { label, valuemin: 0, valuemax: most, valuenow: Math.min(used, most) } }, fill);
}
