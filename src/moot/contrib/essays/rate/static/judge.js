// Keeps each choice as it is made, and lets digits choose. Without this script the form does it.
const form = document.getElementById("rank");
const told = document.getElementById("told");
const before = form.elements.before;
const groups = [...form.querySelectorAll(".row")];
const names = groups.map((row) => row.querySelector("input").name);
document.getElementById("save").hidden = true;

const unsaved = new Map();
let busy = false;
let flight = null;
let leaving = false;

const say = (text, bad = false) => {
  told.textContent = text;
  told.classList.toggle("bad", bad);
};

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

// The form says what it began with: what is saved by now has not been changed since.
const begun = (sent) => {
  const places = [...before.value];
  for (const [name, place] of sent) places[names.indexOf(name)] = place;
  before.value = places.join("");
};

const post = async (places) => {
  const body = new URLSearchParams(places);
  const headers = { Accept: "application/json" };
  try {
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(form.action, { method: "POST", headers, body, signal });
    return { ...(await answer.json()), final: answer.status < 500 };
  } catch {
    return { error: "the server does not answer", final: false };
  }
};

const save = async () => {
  if (busy) return;
  busy = true;
  while (unsaved.size && !leaving) {
    const sent = [...unsaved];
    const { error, final, said, done } = await (flight = post(sent));
    flight = null;
    if (error) {
      say(final ? `Not saved: ${error}.` : `Not saved: ${error}. Trying again…`, true);
      if (final) break;
      await pause(1);
      continue;
    }
    for (const [name, place] of sent) if (unsaved.get(name) === place) unsaved.delete(name);
    begun(sent);
    document.getElementById("done").textContent = done;
    document.querySelector("progress").value = done;
    if (!unsaved.size) say(said);
  }
  busy = false;
};

form.addEventListener("change", ({ target }) => {
  unsaved.set(target.name, target.value);
  say("Saving…");
  save();
});

form.addEventListener("submit", async (event) => {
  leaving = true; // the form takes along what is not yet saved
  if (!flight) return;
  event.preventDefault();
  await flight; // what was sent before must not arrive after it
  form.requestSubmit(event.submitter);
});

addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload(); // it may have been changed elsewhere
});

addEventListener("beforeunload", (event) => {
  if (unsaved.size && !leaving) event.preventDefault();
});

// Only within the ranking, so that no key does anything while somebody reads.
form.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const step = { n: "next", p: "back" }[event.key];
  if (step) {
    event.preventDefault();
    form.requestSubmit(form.querySelector(`button[value=${step}]`));
    return;
  }
  const row = event.target.closest(".row");
  const radio = row?.querySelector(`input[value="${CSS.escape(event.key)}"]`);
  if (!radio) return;
  event.preventDefault();
  if (!radio.checked) radio.click();
  const after = groups[groups.indexOf(row) + 1];
  (after?.querySelector("input:checked") ?? after?.querySelector("input") ?? form.querySelector("button")).focus();
});
