// A run's page as it goes on: figures when they come into sight, progress, tables in another order.

const progress = document.getElementById("progress");
const figures = document.getElementById("figures");

async function part(address, id) {
  const response = await fetch(address, { headers: { accept: "text/html" } });
  if (!response.ok) return null;
  const found = new DOMParser().parseFromString(await response.text(), "text/html").getElementById(id);
  if (found) return found;
  if (!response.headers.has("refresh")) return null;
  await new Promise((later) => setTimeout(later, 2000));
  return part(address, id);
}

function sortable(root) {
  for (const table of root.querySelectorAll("table.sortable")) {
    if (table.querySelectorAll("tbody tr:not(.band)").length < 2) continue;
    [...[...table.tHead.rows].at(-1).cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const of = (row) => {
          const { dataset, textContent } = row.cells[column];
          if (dataset.sort === undefined) return textContent.trim();
          return dataset.sort === "" || dataset.sort === "None" ? -Infinity : Number(dataset.sort);
        };
        const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
        for (const body of table.tBodies) {
          const rows = [...body.querySelectorAll("tr:not(.band)")];
          body.append(...rows.sort((a, b) => order(of(a), of(b)) * (down ? -1 : 1)));
        }
      });
    });
  }
}

function reachable(root) {
  // What is wider than the page must be reached by the keyboard to be scrolled.
  for (const wide of root.querySelectorAll(".wide:not([tabindex])")) {
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", wide.closest("section, details")?.querySelector("h2, summary")?.textContent ?? "Table");
  }
}

async function renew() {
  const results = document.getElementById("results");
  if (!results || results.contains(document.activeElement) || results.querySelector("details[open]")) return;
  const fresh = await part(location.href, "results");
  if (!fresh) return;
  results.replaceWith(fresh);
  sortable(fresh);
  reachable(fresh);
  document.getElementById("behind")?.remove();
}

function watch(address) {
  const source = new EventSource(address);
  let last = 0;
  source.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    for (const place of progress.querySelectorAll("[data-live]")) {
      const text = told[place.dataset.live];
      if (text !== undefined && place.textContent !== text) place.textContent = text;
    }
    const bar = progress.querySelector("progress");
    if (bar) bar.value = told.debates;
    if (Date.now() - last > 5000) {
      if (last) renew();
      last = Date.now();
    }
  });
  source.addEventListener("end", (event) => {
    source.close();
    const { name } = JSON.parse(event.data);
    progress.className = `progress ${name}`;
    progress.querySelector(".state").className = `state ${name}`;
    const again = document.createElement("a");
    again.href = "";
    again.textContent = "Load the page again for all questions and debates.";
    progress.querySelector("[data-live=more]").append(" ", again);
    renew();
  });
}

if (progress?.dataset.events) watch(progress.dataset.events);
if (figures) {
  const seen = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    seen.disconnect();
    const note = figures.querySelector("p");
    const link = note.firstElementChild;
    note.append(" are being drawn …");
    const drawn = await part(figures.dataset.from, "drawn");
    if (drawn) note.replaceWith(drawn);
    else note.replaceChildren(link);
  }, { rootMargin: "200px" });
  seen.observe(figures);
}
sortable(document);
reachable(document);
