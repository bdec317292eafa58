/** Names, attributes and children in; DOM nodes out. Text is always a text node, so that nothing in it can act. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `on…` are listeners, `data` and `aria` their attributes, `class` its classes, other names attributes;
 * null and false leave one out. Children are nodes, strings, or lists of them.
 */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key === "aria") for (const [about, said] of Object.entries(value)) setAria(node, about, said);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Set or (with null) remove an `aria-` attribute. */
export function setAria(node, about, said) {
  if (said === null || said === undefined) node.removeAttribute(`aria-${about}`);
  else node.setAttribute(`aria-${about}`, String(said));
}

/** An icon of the page's own sprite sheet, seen and not read aloud. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  for (const d of ICONS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** Text that only screen readers tell. */
export const heard = (text) => el("span", { class: "heard" }, text);

const ICONS = {
  plus: ["M12 5v14", "M5 12h14"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  send: ["M12 19V5", "M6 11l6-6 6 6"],
  stop: ["M7 7h10v10H7z"],
  menu: ["M4 7h16", "M4 12h16", "M4 17h16"],
  file: ["M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8z", "M14 3v5h5"],
  upload: ["M12 16V4", "M7 9l5-5 5 5", "M4 16v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3"],
  trash: ["M4 7h16", "M9 7V4h6v3", "M6 7l1 13h10l1-13", "M10 11v5", "M14 11v5"],
  copy: ["M9 9h11v11H9z", "M5 15H4V4h11v1"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  question: ["M9 9a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 1.9v.4", "M12 18v.01"],
  cross: ["M7 7l10 10", "M17 7L7 17"],
  dash: ["M7 12h10"],
  up: ["M7 11v9H4v-9z", "M7 11l4-8a2.5 2.5 0 0 1 2.5 3L13 9h5.5a2 2 0 0 1 2 2.4l-1.3 7a2 2 0 0 1-2 1.6H7"],
  down: ["M17 13V4h3v9z", "M17 13l-4 8a2.5 2.5 0 0 1-2.5-3l.5-3H5.500a2 2 0 0 1-2-2.400l1.300-7a2 2 0 0 1 2-1.600H17"],
  sun: ["M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8", "M12 2v2", "M12 20v2", "M2 12h2", "M20 12h2", "M5 5l1.400 1.400", "M17.600 17.600L19 19", "M5 19l1.400-1.400", "M17.600 6.400L19 5"],
  moon: ["M20 14.500A8 8 0 0 1 9.500 4a8 8 0 1 0 10.500 10.500z"],
  auto: ["M4 5h16v11H4z", "M9 20h6", "M12 16v4"],
  key: ["M15 4a5 5 0 1 0 0 10a5 5 0 1 0 0-10", "M11.500 12.500L4 20", "M7 17l2.500 2.500"],
  help: ["M4 7h16v10H4z", "M7 10h.01", "M10.500 10h.01", "M14 10h.01", "M17 10h.01", "M8 14h8"],
  before: ["M15 5l-7 7 7 7"],
  after: ["M9 5l7 7-7 7"],
  again: ["M20 11a8 8 0 1 0-.700 5", "M20 4v7h-7"],
  scales: ["M12 4v16", "M8 20h8", "M5 7h14", "M5 7l-2.500 6a3 3 0 0 0 5 0z", "M19 7l-2.500 6a3 3 0 0 0 5 0z"],
  shield: ["M12 3l8 3v6c0 5-3.500 8-8 9c-4.500-1-8-4-8-9V6z"],
  more: ["M6 12h.01", "M12 12h.01", "M18 12h.01"],
  save: ["M12 4v12", "M7 11l5 5 5-5", "M5 20h14"],
  share: ["M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1", "M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1"],
  folder: ["M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z"],
  link: ["M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1", "M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1"],
  columns: ["M4 5h16v14H4z", "M12 5v14"],
  unsure: ["M5 9c2-3 4.500 3 7 0s5-3 7 0", "M5 15c2-3 4.500 3 7 0s5-3 7 0"],
  pen: ["M4 20l1-4L16 5l3 3L8 19z"],
};
