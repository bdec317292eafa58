/** The page: the reader's wishes in, questions to the service, answers on the screen, and all of it kept for a refresh. */

import { growing, newAnswer, take } from "./answer.js";
import { AnswerView } from "./answerview.js";
import { say } from "./announce.js";
import { Ask } from "./ask.js";
import { copyCode } from "./copy.js";
import { el, icon } from "./dom.js";
import { onDropped } from "./drop.js";
import { follow } from "./follow.js";
import { Group } from "./group.js";
import { askForKey } from "./gate.js";
import * as keep from "./keep.js";
import { listenToKeys, showHelp } from "./keys.js";
import { Library } from "./library.js";
import { Overview } from "./overview.js";
import { Panel } from "./panel.js";
import { Past } from "./past.js";
import { Rail, themeButton } from "./rail.js";
import { questionBody } from "./question.js";
import { toast } from "./toast.js";
import { linked, turnOf } from "./turns.js";
import { welcome } from "./welcome.js";
import * as wire from "./wire.js";

const $ = (id) => document.getElementById(id);

let conversation = keep.newConversation();
let views = new Map(); // turn → its view, of the conversation on the screen
let groups = new Map(); // the first of the turns that ask the same → where they stand
let opening = 0;
let chosen = false; // whether the reader chose what to answer from
const running = new Map(); // turn → {left, where}, of every conversation

const rail = new Rail();
const panel = new Panel($("panel"), $("veil"), [$("main"), $("rail"), document.querySelector(".bar"), document.querySelector(".skip")]);
const ask = new Ask({ onAsk: begin, onStop: stopCurrent, onMode: rememberMode });
const library = new Library($("documents"), {
  onCount: countDocuments,
  onGone: (id) => panel.forget(id),
  onSay: toast,
});
const past = new Past($("past"), { onOpen: show, onGone: gone, onNamed: named, onSay: toast });

/* Asking */

function begin({ question, assistant, pasted, documents, of = null }) {
  documents = documents === undefined && assistant.id === "documents" ? library.chosen : (documents ?? null);
  const turn = { question, assistant: assistant.id, pasted, documents, answer: newAnswer(), rating: null };
  turn.root = of ?? turn;
  turn.replaces = of?.answer.answerId ?? null;
  const body = questionBody(conversation, turn);
  if (!conversation.turns.length) conversation.title = question.replace(/\s+/g, " ").slice(0, 80);
  conversation.turns.push(turn);
  keep.current.set(conversation.id);
  panel.close();
  addTurn(turn);
  run(conversation, turn, (signal) => wire.begin(assistant.stream, body, signal));
  views.get(turn).node.scrollIntoView({ block: "start", behavior: calm() });
}

/** Follow a turn's stream to its end; `open` begins it, and is left out where it runs already. */
async function run(where, turn, open = null) {
  const left = new AbortController();
  running.set(turn, { left, where });
  showBusy();
  const { answer } = turn;
  const onEvent = (event) => {
    if (!take(answer, event)) return;
    views.get(turn)?.changed();
    if (event.event !== "start") return;
    showBusy();
    past.refresh();
  };
  try {
    const response = open ? await open(left.signal) : null;
    await follow(answer, response, { onEvent, onWaiting: (seconds) => views.get(turn)?.waiting(seconds), signal: left.signal });
    if (growing(answer)) await recover(answer);
  } catch (error) {
    if (growing(answer)) end(answer, error);
  }
  running.delete(turn);
  views.get(turn)?.waiting(0);
  views.get(turn)?.ended();
  views.get(turn)?.actions.refresh();
  showBusy();
}

function end(answer, error) {
  const stopped = error.name === "AbortError";
  const gone = error.status === 404 || error.status === 410;
  const message = gone ? "This answer is no longer kept by the service. What you see is how far it had come." : error.message;
  answer.phase = stopped ? "stopped" : "error";
  answer.error = { code: stopped ? "stopped" : (error.code ?? "error"), message };
}

/** A stream that ended without its last word reaching us: the saved answer has it. */
async function recover(answer) {
  if (!answer.answerId) throw new wire.WireError("The answer was lost before it began. Ask again.", { code: "lost" });
  const saved = await wire.savedAnswer(answer.answerId);
  take(answer, { id: "", event: "done", data: saved });
}

async function stopCurrent() {
  const turn = conversation.turns.findLast((each) => running.has(each));
  if (!turn) return;
  if (!turn.answer.streamId) {
    running.get(turn).left.abort();
    return;
  }
  try {
    await wire.stop(turn.answer.streamId);
  } catch (error) {
    toast(error.message);
  }
}

/** A citation followed from another program: `#answer=ID&at=OFFSET` shows that answer, its source open at the words. */
async function followLink() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const id = asked.get("answer");
  if (!id) return;
  try {
    const saved = await wire.savedAnswer(id);
    history.replaceState(null, "", location.pathname);
    show(null);
    const turn = { question: saved.question, assistant: "documents", documents: null, replaces: null, pasted: [], answer: newAnswer(), rating: null };
    turn.root = turn;
    take(turn.answer, { id: "", event: "done", data: { answer_id: id, response: saved.response, sources: saved.sources } });
    conversation.title = saved.question.slice(0, 80);
    conversation.turns.push(turn);
    addTurn(turn);
    views.get(turn).openAt(Number(asked.get("at")));
  } catch (error) {
    if (error.status !== 401) toast(error.status === 404 ? "This answer is no longer kept, or not yours." : error.message);
  }
}

/* What is on the screen */

function addTurn(turn) {
  const group = groups.get(turn.root) ?? new Group();
  const number = groups.has(turn.root) ? [...groups.keys()].indexOf(turn.root) + 1 : groups.size + 1;
  const view = new AnswerView(turn, number, {
    onOpen: (spots, at, claim, onAt) => panel.open(spots, at, { claim, pasted: turn.pasted ?? [], answerId: turn.answer.answerId, restingOn: (...words) => view.restingOn(...words), onAt }),
    onFollowUps: (answer) => (turn.assistant === "documents" && turn === conversation.turns.at(-1) ? overview.followUps(answer, turn.question, conversation.turns.map(({ question }) => question)) : []),
    onAsk: (question) => begin({ question, assistant: ask.assistants.find(({ id }) => id === "documents"), pasted: [], documents: turn.documents }),
    onAgain: (question) => again(turn, question),
    onRated: () => {},
    onDrawn: stayAtEnd,
  });
  views.set(turn, view);
  if (!groups.has(turn.root)) {
    groups.set(turn.root, group);
    $("turns").append(group.node);
  }
  group.add(view.node);
  $("welcome").hidden = true;
}

/** Ask a turn's question again, in its place, in the same or in other words. */
async function again(turn, question = turn.question) {
  const assistant = ask.assistants.find((each) => each.id === turn.assistant);
  if (!assistant) {
    toast("This assistant is not here any more. Choose another, and ask in the field below.");
    return;
  }
  try {
    await wordsOf(turn);
  } catch (error) {
    toast(error.message);
    return;
  }
  begin({ question, assistant, pasted: turn.pasted ?? [], documents: turn.documents, of: turn.root });
}

/** The texts a turn was asked of, from the service where this page has them not. */
async function wordsOf(turn) {
  const asked = (turn.pasted ?? []).map(async (each, index) => {
    each.words ??= (await wire.sentSource(turn.answer.answerId, index)).text;
  });
  await Promise.all(asked);
}

/** Show a conversation, or (null) a fresh one. Answers still on their way are followed on. */
async function show(id) {
  const mine = (opening += 1);
  panel.close();
  let wanted = [...running.values()].find((each) => each.where.id === id)?.where ?? null;
  if (!wanted && id) {
    try {
      const { title, turns } = await wire.conversation(id);
      wanted = { id, title, turns: linked(turns.map(turnOf)) };
    } catch (error) {
      if (error.status === 401) return;
      toast(error.status === 404 ? "This conversation is not kept any more." : error.message);
    }
    if (mine !== opening) return; // another was asked for meanwhile
  }
  conversation = wanted ?? keep.newConversation();
  keep.current.set(wanted ? id : null);
  [views, groups] = [new Map(), new Map()];
  $("turns").replaceChildren();
  $("welcome").hidden = conversation.turns.length > 0;
  for (const turn of conversation.turns) {
    if (growing(turn.answer) && !running.has(turn)) resume(turn);
    addTurn(turn);
  }
  showBusy();
  past.mark(conversation.id);
  rail.close();
  const last = conversation.turns.at(-1);
  views.get(last)?.node.scrollIntoView({ block: "start", behavior: "instant" });
  if (last) await goOnAs(last);
}

/** What the last question was asked of is what the next one is. */
async function goOnAs(turn) {
  if (turn.pasted?.length) {
    try {
      await wordsOf(turn);
      ask.pasted = [...turn.pasted];
    } catch {
      // Its texts are gone; they can be pasted again.
    }
  }
  if (!chosen) ask.choose(turn.assistant);
}

function resume(turn) {
  if (turn.answer.streamId) run(conversation, turn);
  else end(turn.answer, new wire.WireError("This question was asked elsewhere, and its answer did not come. Ask again.", { code: "lost" }));
}

function showBusy() {
  ask.busy(conversation.turns.some((each) => running.has(each)));
  const title = conversation.title;
  document.title = title ? `${title} · footnoted` : "footnoted";
}

function rememberMode() {
  chosen = true;
  keep.choice.set("assistant", ask.assistant.id);
}

let counted = 0;

async function countDocuments(documents) {
  const [count, mine] = [documents.length, ++counted];
  $("document-count").textContent = count || "";
  $("welcome").classList.toggle("has-documents", count > 0);
  try {
    const told = count ? (await wire.overview()).documents : [];
    if (mine === counted) overview.draw(told, documents); // another upload may have been counted meanwhile
  } catch {
    // The page is as good without it.
  }
}

const calm = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth");

/** While an answer grows and the reader is at its end, the end stays in sight. */
let atEnd = true;
$("thread").addEventListener("scroll", () => {
  const { scrollHeight, scrollTop, clientHeight } = $("thread");
  atEnd = scrollHeight - scrollTop - clientHeight < 80;
});
function stayAtEnd() {
  if (atEnd) $("thread").scrollTop = $("thread").scrollHeight;
}

/** A conversation, or (null) every one, was deleted. */
function gone(id) {
  for (const { where, left } of running.values()) if (!id || where.id === id) left.abort();
  panel.forgetAll();
  if (!id || conversation.id === id) show(null);
  say(id ? "The conversation was deleted." : "Every conversation was deleted.");
}

function named(id, title) {
  if (conversation.id !== id) return;
  conversation.title = title;
  showBusy();
}

/* The service */

async function connect() {
  try {
    const session = await wire.session();
    past.refresh();
    $("show-key").hidden = !session.needs_key && !wire.key.get();
    $("show-admin").hidden = !session.admin;
    const offered = await wire.assistants();
    library.accept(session, offered.some((each) => each?.id === "security"));
    await library.refresh();
    ask.offer(offered, session.limits);
    // What the reader chose while the page was connecting stands.
    if (!chosen) ask.choose(conversation.turns.at(-1)?.assistant ?? keep.choice.get("assistant", "documents"));
    await followLink();
  } catch (error) {
    if (error.status === 401) return;
    toast(error.message);
    library.start();
  }
}

wire.onUnauthorized(() => {
  $("show-key").hidden = false;
  askForKey({ wanted: true, onKey: rekeyed });
});

/** Another key may be another tenant: nothing of the one before stays on the screen. */
function rekeyed() {
  panel.close();
  panel.forgetAll();
  for (const { left } of running.values()) left.abort();
  connect();
  show(keep.current.get());
}

/* The page's own parts */

const fresh = () => {
  chosen = true;
  show(null);
  ask.focus();
};
for (const [id, name] of [["open-rail", "menu"], ["close-rail", "close"], ["new-small", "plus"], ["show-admin", "scales"], ["show-key", "key"], ["show-help", "help"]]) $(id).append(icon(name));
$("new").prepend(icon("plus"));
$("new").addEventListener("click", fresh);
$("new-small").addEventListener("click", fresh);
$("show-help").addEventListener("click", showHelp);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address says which conversation is shown
  ask.focus();
});
$("show-key").addEventListener("click", () => askForKey({ wanted: false, onKey: rekeyed }));
const turnTheme = themeButton($("theme"));
$("welcome").append(
  ...welcome({
    onAdd: () => library.choose(),
    onSample: ({ question, pasted }) => {
      ask.pasted = [...pasted];
      chosen = true;
      ask.choose("pasted");
      ask.write(question);
    },
  }),
);
const overview = new Overview(el("section", { class: "overview", id: "overview", aria: { label: "Your documents" } }), {
  onAsk: (question, id) => begin({ question, assistant: ask.assistants.find(({ id: name }) => name === "documents"), pasted: [], documents: [id] }),
  onOpen: (spots, at) => panel.open(spots, at),
});
$("welcome").append(overview.node);
copyCode($("thread"));
listenToKeys({
  focus: () => ask.focus(),
  fresh,
  stop: stopCurrent,
  next: () => panel.step(1),
  previous: () => panel.step(-1),
  documents: () => rail.show("documents"),
  past: () => rail.show("past"),
  theme: turnTheme,
  help: showHelp,
  escape: () => (panel.isOpen ? panel.close() : rail.close()),
});

onDropped((files) => {
  rail.show("documents");
  library.add(files);
});

addEventListener("popstate", () => (location.hash.startsWith("#answer=") ? followLink() : show(keep.current.get())));
keep.forgetOld();
connect();
if (!location.hash.startsWith("#answer=")) show(keep.current.last());
