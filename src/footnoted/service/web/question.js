/** A turn of a conversation in; the body of the request that asks it out. */

const MOST_TURNS = 10;

export function questionBody(conversation, turn) {
  const again = turn.replaces ? { replaces: turn.replaces } : {};
  const about = { conversation_id: conversation.id, reader: "keep", ...again };
  if (turn.assistant !== "pasted") {
    const scope = turn.assistant === "documents" ? { assistant: "documents" } : {};
    const chosen = turn.documents ? { document_ids: turn.documents } : {};
    return { message: turn.question, ...about, ...scope, ...chosen };
  }
  const until = conversation.turns.indexOf(turn.root ?? turn);
  const newest = new Map(); // of turns that ask the same, the newest
  for (const each of conversation.turns.slice(0, until < 0 ? undefined : until)) {
    if (each !== turn && each.assistant === "pasted" && each.answer.phase === "done") newest.set(each.root ?? each, each);
  }
  return {
    question: turn.question,
    sources: turn.pasted.map(({ title, words }, n) => ({ id: `text-${n + 1}`, title, text: words })),
    history: [...newest.values()].slice(-MOST_TURNS).map((each) => [each.question, each.answer.text]),
    ...about,
  };
}
