/** What a family of answers adds (findings, severity, frameworks) in; a card to show beside the answer out. */

import { el, icon } from "./dom.js";

const SEVERITIES = {
  critical: "Act now",
  high: "Within 24–48 hours",
  medium: "Within 1–2 weeks",
  low: "At the next review",
};
const FRAMEWORKS = { hipaa: "HIPAA", soc2: "SOC 2", "pci-dss": "PCI-DSS", gdpr: "GDPR", "nist-800-53": "NIST 800-53", "cis-aws": "CIS AWS", "aws-fsbp": "AWS FSBP" };
const SHOWN = 5;
const MOST = 50;

/** A severity's mark: its word, its colour, and by when it is to be mended. Null for what is no severity. */
export function severityMark(severity, count = null) {
  const known = String(severity ?? "").toLowerCase();
  if (!Object.hasOwn(SEVERITIES, known)) return null;
  const word = known[0].toUpperCase() + known.slice(1);
  return el("span", { class: "tag severity", data: { severity: known }, title: SEVERITIES[known] }, count === null ? word : `${count} ${known}`);
}

/** A mark for each severity of `{critical: 2, …}`, or for the one named. */
function severityMarks(severity) {
  if (!severity || typeof severity !== "object") return [severityMark(severity)].filter(Boolean);
  return Object.keys(SEVERITIES)
    .filter((name) => Number.isInteger(severity[name]) && severity[name] > 0)
    .map((name) => severityMark(name, severity[name]));
}

const texts = (value) => (Array.isArray(value) ? value.filter((each) => typeof each === "string" && each) : []);

/** A node for the extras of `done`, or null when they hold nothing to show. */
export function beside(extras) {
  if (!extras || typeof extras !== "object") return null;
  const severities = severityMarks(extras.severity);
  const frameworks = texts(extras.frameworks).slice(0, 12);
  const findings = (Array.isArray(extras.findings) ? extras.findings : []).filter((each) => each && typeof each === "object").slice(0, MOST);
  if (!severities.length && !frameworks.length && !findings.length) return null;
  const [first, rest] = [findings.slice(0, SHOWN), findings.slice(SHOWN)];
  return el(
    "section",
    { class: "card beside", aria: { label: "Findings and frameworks" } },
    findings.length ? el("h3", {}, icon("shield"), findings.length === 1 ? "The finding it rests on" : "The findings it rests on") : null,
    severities.length ? el("p", { class: "tags" }, severities) : null,
    first.length ? el("ul", { class: "findings" }, first.map(findingRow)) : null,
    rest.length ? el("details", {}, el("summary", {}, `${rest.length} more`), el("ul", { class: "findings" }, rest.map(findingRow))) : null,
    frameworks.length ? el("p", { class: "tags" }, frameworks.map((name) => el("span", { class: "tag" }, FRAMEWORKS[name] ?? name))) : null,
  );
}

function findingRow(finding) {
  const rule = finding.rule_id ?? finding.check_id ?? "";
  const where = [finding.resource_name || finding.resource_id, finding.region].filter((each) => typeof each === "string" && each);
  return el(
    "li",
    {},
    severityMark(finding.severity),
    el("span", { class: "finding", dir: "auto" }, String(finding.title ?? "")),
    el("span", { class: "soft", dir: "auto" }, rule ? el("code", {}, String(rule)) : null, where.length ? ` ${where.join(" · ")}` : null),
  );
}
