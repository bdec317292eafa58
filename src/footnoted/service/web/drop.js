/** Files and folders dropped anywhere on the page in; their files out. */

import { MOST_AT_ONCE } from "./library.js";

/** `hear(files)` is told what was dropped; while files hover over the page, it says so. */
export function onDropped(hear) {
  const sign = document.getElementById("drop");
  let within = 0; // elements the files were dragged into and not out of
  const listen = (name, act) => {
    addEventListener(name, (event) => event.dataTransfer?.types.includes("Files") && act(event));
  };
  const count = (now) => {
    within = Math.max(0, now);
    sign.hidden = within === 0;
  };
  listen("dragenter", () => count(within + 1));
  listen("dragleave", () => count(within - 1));
  listen("dragover", (event) => event.preventDefault());
  listen("drop", async (event) => {
    event.preventDefault();
    count(0);
    hear(await dropped(event.dataTransfer));
  });
}

/** The files of a drop, those in dropped folders too. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  const files = [];
  for (const entry of entries) await walk(entry, files);
  return files;
}

async function walk(entry, files) {
  if (files.length > MOST_AT_ONCE || entry.name.startsWith(".")) return;
  if (entry.isFile) {
    files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const each of some) await walk(each, files);
  }
}
