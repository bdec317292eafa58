/** Offsets in code points, as the service counts them, in; offsets in UTF-16 units, as JavaScript counts, out. */

const ASTRAL = /[\ud800-\udbff][\udc00-\udfff]/;

/** A function from code point offsets of `text` to UTF-16 offsets; what lies beyond the text becomes its end. */
export function unitsOf(text) {
  if (!ASTRAL.test(text)) return (at) => Math.max(0, Math.min(at, text.length));
  const units = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) units.push(at);
  units.push(text.length);
  return (at) => units[Math.max(0, Math.min(at, units.length - 1))];
}

/** How many code points a text has. */
export function pointsIn(text) {
  if (!ASTRAL.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
