// Both pages work without this script: they are loaded again to see more.

// What is typed is kept in this browser until its reply is recorded, also when the page or the
// server is gone.
for (const area of document.querySelectorAll("textarea[data-draft]")) {
  const name = `moot-reply-${area.dataset.draft}`;
  area.value ||= localStorage.getItem(name) ?? "";
  area.addEventListener("input", () => localStorage.setItem(name, area.value));
}
const taken = new URLSearchParams(location.search).get("taken");
if (taken) localStorage.removeItem(`moot-reply-${taken}`);

// Whom the debate waits for, and what was asked of it, as long as it goes on.
const look = async () => {
  const part = document.getElementById("waiting");
  if (!part) return;
  if (!document.hidden) {
    const answer = await fetch(part.dataset.controls).catch(() => null);
    if (answer?.status === 204) return;
    if (answer?.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = fresh.getElementById("waiting");
      const held = part.contains(document.activeElement);
      if (!held && next.innerHTML !== part.innerHTML) part.replaceChildren(...next.childNodes);
    }
  }
  setTimeout(look, 1500);
};
if (document.getElementById("waiting")) setTimeout(look, 1500);
