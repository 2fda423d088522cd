// The list of runs: sentences that were not computed when the page was sent.

const waiting = new Map([...document.querySelectorAll("[data-of]")].map((place) => [place.dataset.of, place]));

while (waiting.size) {
  const query = new URLSearchParams([...waiting.keys()].map((key) => ["run", key]));
  const answer = await fetch(`/sentences?${query}`).catch(() => null);
  if (!answer?.ok) break;
  const found = Object.entries(await answer.json());
  for (const [key, sentence] of found) {
    const place = waiting.get(key);
    place.textContent = sentence;
    place.classList.remove("soft");
    place.hidden = !sentence;
    waiting.delete(key);
  }
  if (!found.length) await new Promise((later) => setTimeout(later, 1000));
}
