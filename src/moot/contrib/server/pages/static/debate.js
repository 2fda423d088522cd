// Without this script the page is whole: it is loaded again to see more, prompts are pages.
const debate = document.getElementById("debate");

const parsed = (html) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
};

// Changes the page, and keeps what is being read where it is on the screen.
const steady = (change) => {
  const within = [...document.querySelectorAll("article.message")];
  const read = scrollY > 0 && within.find((each) => each.getBoundingClientRect().bottom > 0);
  const name = read && `m${read.id.slice(1)}`; // a draft becomes the message of its number
  const top = read && read.getBoundingClientRect().top;
  change();
  const same = read && (document.getElementById(name) ?? document.getElementById(read.id));
  if (same) scrollBy({ top: same.getBoundingClientRect().top - top, behavior: "instant" });
};

// Puts a new part where the old one was. What was open stays open, and the focus where it was.
const put = ({ id, into, order, html }) => {
  const fresh = parsed(html).firstElementChild;
  const old = document.getElementById(id);
  if (!fresh) {
    old?.remove();
    return;
  }
  if (!old) {
    const place = document.getElementById(into);
    const later = [...place.children].find((each) => Number(each.dataset.order) > order);
    place.insertBefore(fresh, later ?? null);
    return;
  }
  const open = [...old.querySelectorAll("details[open][id]")].map((each) => each.id);
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  const within = active?.closest("[id]")?.id;
  const link = active?.getAttribute("href");
  old.replaceWith(fresh);
  for (const each of open) document.getElementById(each)?.setAttribute("open", "");
  if (active) {
    const same = link && fresh.querySelector(`a[href="${CSS.escape(link)}"]`);
    (same || document.getElementById(within))?.focus({ preventScroll: true });
  }
};

// The page as it is once all is said: with the verdict, the settings, and the drawing as text.
const settle = async () => {
  const answer = await fetch(location.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const whole = page.getElementById("debate");
  if (!whole) return location.reload();
  const told = document.getElementById("told").textContent;
  steady(() => put({ id: "debate", html: whole.outerHTML }));
  document.getElementById("told").textContent = told;
};

// Replies under way, by the ids of their drafts, until the message is there.
const drafts = new Map();
const fill = () => {
  for (const [id, { state, html }] of drafts) {
    const draft = document.getElementById(id);
    if (!draft) continue;
    draft.querySelector(".words").replaceChildren(parsed(html));
    draft.querySelector(".live").textContent = state;
  }
};

const address = debate?.dataset.events;
if (address) {
  const source = new EventSource(address);
  document.documentElement.classList.add("follows");
  source.addEventListener("draft", ({ data }) => {
    const draft = JSON.parse(data);
    drafts.set(draft.id, draft);
    steady(fill);
  });
  source.addEventListener("change", ({ data }) => {
    const { parts, told } = JSON.parse(data);
    steady(() => {
      parts.forEach(put);
      for (const id of drafts.keys()) if (!document.getElementById(id)) drafts.delete(id);
      fill();
    });
    if (told) document.getElementById("told").textContent = told;
  });
  source.addEventListener("end", () => {
    source.close();
    settle();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) settle(); // the server no longer knows it
  });
}

// A prompt is shown over the page; where that does not work, its link leads to its own.
const dialog = document.createElement("dialog");
dialog.className = "over";
dialog.setAttribute("aria-label", "Prompt");
document.body.append(dialog);
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // beside its content
});
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a.prompt");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    const answer = await fetch(link.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const close = document.createElement("form");
    close.method = "dialog";
    close.append(Object.assign(document.createElement("button"), { textContent: "Close" }));
    const inside = document.createElement("div");
    inside.tabIndex = 0;
    const own = Object.assign(document.createElement("a"), { href: link.href, textContent: "On a page of its own" });
    close.append(own);
    inside.append(close, page.querySelector("h1"), page.getElementById("whole"));
    for (const each of inside.querySelectorAll("[id]")) each.removeAttribute("id"); // one of each on a page
    dialog.replaceChildren(inside);
    dialog.showModal();
  } catch {
    location.assign(link.href);
  }
});

// Who reads whom, of the message that is pointed at.
const show = ({ target }) => {
  const at = target.closest?.("svg a")?.getAttribute("href").slice(1);
  for (const line of document.querySelectorAll("path.line")) {
    line.classList.toggle("shown", line.dataset.from === at || line.dataset.to === at);
  }
};
document.addEventListener("pointerover", show);
document.addEventListener("focusin", show);
