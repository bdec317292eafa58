/** Tenants: what there is of each, what their answers took, and how much of its limits; of one, its days. */

import { gauge, moment, money, number, table } from "./admintable.js";
import { el } from "./dom.js";
import * as wire from "./wire.js";

/** What stands in the place `tenants`, or at one of them. */
export async function tenantsOf(name) {
  return name ? one(name) : all();
}

async function all() {
  const { tenants, currency } = await wire.tenants();
  const columns = [{ name: "Tenant" }, { name: "Keys", end: true }, { name: "Documents", end: true }, { name: "Conversations", end: true }, { name: "Answers this month", end: true }, { name: "Tokens this month", end: true }, { name: "Tokens today", end: true }];
  if (currency) columns.push({ name: "Money this month", end: true });
  const row = ({ tenant, keys, documents, conversations, month, day }) => [
    el("a", { href: `#tenants/${encodeURIComponent(tenant)}`, dir: "auto" }, tenant),
    number(keys),
    number(documents),
    number(conversations),
    number(month.answers),
    taken(`Tokens of ${tenant} this month`, month.tokens, month.most_tokens, number),
    taken(`Tokens of ${tenant} today`, day.tokens, day.most_tokens, number),
    ...(currency ? [taken(`Money of ${tenant} this month`, month.money, month.most_money, (value) => money(value, currency))] : []),
  ];
  const total = (of) => tenants.reduce((sum, each) => sum + of(each), 0);
  return [
    el("h2", {}, "Tenants"),
    el("ul", { class: "figures" },
      figure("Tenants", number(tenants.length)),
      figure("Answers this month", number(total(({ month }) => month.answers))),
      figure("Tokens this month", number(total(({ month }) => month.tokens))),
      currency ? figure("Money this month", money(total(({ month }) => month.money), currency)) : null,
    ),
    tenants.length ? table("Tenants", columns, tenants.map(row)) : el("p", { class: "none" }, "There is no tenant yet: make a key for one."),
  ];
}

const figure = (name, value) => el("li", { class: "card figure" }, el("span", { class: "soft" }, name), el("strong", {}, value));

/** What was taken, and of how much. */
function taken(label, used, most, words, unit = "") {
  if (most === null) return words(used) + unit;
  return [el("span", {}, words(used), el("span", { class: "soft" }, ` of ${words(most)}${unit}`)), gauge(label, used, most)];
}

async function one(name) {
  const { periods, days, currency, policy } = await wire.tenantUsage(name);
  const bars = Math.max(1, ...days.map(({ tokens }) => tokens));
  const columns = [{ name: "Day" }, { name: "Answers", end: true }, { name: "Tokens", end: true }, ...(currency ? [{ name: "Money", end: true }] : [])];
  const rows = days.map((each) => [
    each.day,
    number(each.answers),
    [el("span", {}, number(each.tokens)), bar(each.tokens / bars)],
    ...(currency ? [money(each.money, currency)] : []),
  ]);
  return [
    el("p", {}, el("a", { href: "#tenants" }, "All tenants")),
    el("h2", { dir: "auto" }, name),
    el("div", { class: "cards" }, periods.map((period) => counter(period, currency))),
    el("h3", {}, "Day by day"),
    days.length ? table(`Days of ${name}`, columns, rows) : el("p", { class: "none" }, "No answer in the last month."),
    el("h3", {}, "What its requests may ask for"),
    el("dl", { class: "policy" }, Object.entries(policy).map(([field, value]) => [el("dt", {}, el("code", {}, field)), el("dd", {}, told(value))])),
  ];
}

function counter(period, currency) {
  const title = period.period === "day" ? "Today" : "This month";
  const words = (value) => money(value, currency);
  return el("section", { class: "card", aria: { label: title } },
    el("h3", {}, title, el("span", { class: "soft" }, ` ${period.name} (UTC)`)),
    el("p", {}, taken(`Tokens, ${title.toLowerCase()}`, period.tokens, period.most_tokens, number, " tokens"), period.most_tokens === null ? el("span", { class: "soft" }, ", no limit") : null),
    currency ? el("p", {}, taken(`Money, ${title.toLowerCase()}`, period.money, period.most_money, words), period.most_money === null ? el("span", { class: "soft" }, ", no limit") : null) : null,
    period.tokens_held ? el("p", { class: "soft" }, `${number(period.tokens_held)} of them are held for answers under way`) : null,
    el("p", { class: "soft" }, `Renews ${moment(period.renews_at)}`),
  );
}

function bar(share) {
  const node = el("span", { class: "bar-of", aria: { hidden: "true" } }, el("span", {}));
  node.firstChild.style.inlineSize = `${(share * 100).toFixed(1)}%`;
  return node;
}

function told(value) {
  if (value === null) return "no limit";
  if (Array.isArray(value)) return value.length ? value.join(", ") : "any";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? number(value) : String(value);
}
