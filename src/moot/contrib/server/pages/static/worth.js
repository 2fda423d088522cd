// A study that runs: what is said of it is looked at again every second, until it ends.
const look = async () => {
  const shown = document.getElementById("study");
  if (!shown.dataset.live) return;
  try {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("study");
    if (!fresh) return;
    const focused = shown.contains(document.activeElement) && document.activeElement.tagName;
    if (fresh.innerHTML !== shown.innerHTML) {
      shown.replaceChildren(...fresh.childNodes);
      shown.dataset.live = fresh.dataset.live;
      if (focused) shown.querySelector(focused.toLowerCase())?.focus();
    }
  } catch { /* the next look may succeed */ }
  setTimeout(look, 1000);
};
setTimeout(look, 1000);
