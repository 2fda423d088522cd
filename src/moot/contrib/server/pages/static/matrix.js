// The matrix: all rows in one window that scrolls, of which only those in sight are in the page.

const BLOCK = 200; // rows that are fetched at once
const BEYOND = 12; // rows in the page above and below those in sight
const SIGNS = {
  r: ["✓", "right"], w: ["✗", "wrong"], u: ["–", "no readable answer"], f: ["–", "failed"], o: ["·", "no known answer"],
};

const place = document.getElementById("matrix");
const view = place?.querySelector(".window");
const body = view?.querySelector("tbody");
const status = place?.querySelector(".shown");
const search = document.getElementById("matrix-q");

let methods = [];
let total = 0;
let blocks = new Map(); // number of a block → its rows, or the promise of them
let version = 0; // of the choice: what comes for an earlier one is left aside
let active = [0, 0]; // the row and the column that the keys move
let moving = false; // whether the keys moved to a row that is not there yet
let height = 0;
let show = place?.querySelector("[data-show][aria-current]")?.dataset.show ?? "all";
const side = Number(place?.dataset.side);
const shown = new Map(); // number of a row → its element
const heads = view?.querySelector("thead tr").cells;
const rooms = [room(), room()];

function room() {
  const row = document.createElement("tr");
  row.className = "room";
  row.setAttribute("aria-hidden", "true");
  row.append(document.createElement("td"));
  return row;
}

async function fetchRows(start) {
  const address = new URL(place.dataset.from, location.href);
  address.searchParams.set("start", start);
  address.searchParams.set("most", BLOCK);
  if (show !== "all") address.searchParams.set("show", show);
  if (search.value.trim()) address.searchParams.set("q", search.value.trim());
  for (let tries = 0; tries < 60; tries++) {
    const response = await fetch(address, { headers: { accept: "application/json" } });
    if (response.ok) {
      const found = await response.json();
      if (found.searched >= found.of) return found;
    } else if (response.status !== 503) throw new Error(`status ${response.status}`);
    else await new Promise((later) => setTimeout(later, 2000));
  }
  throw new Error("it takes too long");
}

function block(number) {
  if (!blocks.has(number)) {
    const mine = version;
    const coming = fetchRows(number * BLOCK).then((found) => {
      if (mine !== version) return;
      name(found);
      blocks.set(number, found.rows);
      draw();
    }).catch((error) => {
      if (mine !== version) return;
      blocks.delete(number);
      status.textContent = `The rows cannot be read: ${error.message}. Scroll to try again.`;
    });
    blocks.set(number, coming);
  }
  const found = blocks.get(number);
  return Array.isArray(found) ? found : null;
}

function name(found) {
  if (methods.length) return;
  methods = found.methods.map((each) => ({
    ...each, href: `/debates/${encodeURIComponent(each.run)}?${new URLSearchParams({ arm: each.arm })}`,
  }));
}

const models = new Map(); // sign and words of a link → a link that is copied: that is quicker than to make one

function link(href, words, sign, kind, name) {
  const key = `${kind}${sign}${words}`;
  if (!models.has(key)) {
    const made = document.createElement("a");
    made.className = kind;
    made.tabIndex = -1;
    made.textContent = sign;
    made.ariaLabel = words; // an element less to lay out than a text that is not seen
    models.set(key, made);
  }
  const copied = models.get(key).cloneNode(true);
  copied.setAttribute("href", href);
  copied.title = `${name}: ${words}`;
  return copied;
}

function cell(method, row, letters, question) {
  const made = document.createElement("td");
  const debates = [...letters].map((letter, replicate) => [letter, replicate]).filter(([letter]) => letter in SIGNS);
  if (!debates.length) {
    const none = document.createElement("span");
    none.className = "none";
    none.tabIndex = -1;
    none.title = `${method.name}: not run`;
    none.innerHTML = '<span class="unseen">not run</span>';
    made.append(none);
  } else if (letters.length > side) {
    const right = debates.filter(([letter]) => letter === "r").length;
    const query = new URLSearchParams({ arm: method.arm, dataset: row.dataset, q: row.question });
    const words = `right in ${right} of ${debates.length} replicates`;
    const href = `/runs/${encodeURIComponent(method.run)}/debates?${query}`;
    made.append(link(href, words, `${right}/${debates.length}`, "", method.name));
  } else {
    for (const [letter, replicate] of debates) {
      const [sign, words] = SIGNS[letter];
      const which = letters.length > 1 ? `, replicate ${replicate}` : "";
      const href = `${method.href}&${question}${replicate ? `&replicate=${replicate}` : ""}`;
      made.append(link(href, words + which, sign, letter, method.name));
    }
  }
  return made;
}

function fill(element, row) {
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = row ? row.text : "…";
  element.classList.toggle("waits", !row);
  if (!row) return element.replaceChildren(head);
  head.title = `${row.dataset} · ${row.question}: ${row.text}`;
  if (row.unlike) {
    const badge = document.createElement("span");
    badge.className = "badge";
    badge.textContent = "asked differently";
    head.prepend(badge, " ");
  }
  const question = String(new URLSearchParams({ dataset: row.dataset, question: row.question }));
  element.replaceChildren(head, ...methods.map((method, at) => cell(method, row, row.cells[at], question)));
}

function draw() {
  const top = view.scrollTop;
  const first = Math.max(0, Math.floor(top / height) - BEYOND);
  const last = Math.min(total, Math.ceil((top + view.clientHeight) / height) + BEYOND);
  for (const [number, element] of shown) {
    if (number >= first && number < last) continue;
    if (element.contains(document.activeElement)) view.focus({ preventScroll: true });
    element.remove();
    shown.delete(number);
  }
  let before = rooms[0];
  for (let number = first; number < last; number++) {
    let element = shown.get(number);
    const isThere = element && !element.classList.contains("waits");
    const row = isThere ? null : block(Math.floor(number / BLOCK))?.[number % BLOCK];
    if (!element) {
      element = document.createElement("tr");
      element.setAttribute("aria-rowindex", number + 2);
      fill(element, row);
      shown.set(number, element);
      before.after(element);
    } else if (row) fill(element, row);
    before = element;
  }
  rooms[0].firstElementChild.style.height = `${first * height}px`;
  rooms[1].firstElementChild.style.height = `${(total - last) * height}px`;
  mark();
}

function mark() {
  const before = body.querySelector("[tabindex='0']");
  const now = shown.get(active[0])?.cells[active[1] + 1]?.querySelector("a, .none");
  if (before !== now) {
    if (before) before.tabIndex = -1;
    if (now) now.tabIndex = 0;
  }
  const is = view.contains(document.activeElement) && document.activeElement !== view;
  for (const head of heads) head.classList.toggle("at", is && head.cellIndex === active[1] + 1);
  if (moving && now) {
    moving = false;
    now.focus({ preventScroll: true });
  }
}

function say() {
  const words = search.value.trim();
  const things = total === 1 ? "1 question" : `${total.toLocaleString("en")} questions`;
  status.textContent = (total ? things : "No question") + (words ? ` with “${words}”.` : ".");
}

async function choose() {
  const mine = ++version;
  if (search.value.trim()) status.textContent = "Searching …";
  let found;
  try {
    found = await fetchRows(0);
  } catch (error) {
    if (mine === version) status.textContent = `The rows cannot be read: ${error.message}.`;
    return;
  }
  if (mine !== version) return;
  name(found);
  total = found.total;
  blocks = new Map([[0, found.rows]]);
  for (const tab of place.querySelectorAll("[data-show]")) {
    tab.querySelector("small").textContent = found.counts[tab.dataset.show].toLocaleString("en");
    if (tab.dataset.show === show) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  view.querySelector("table").setAttribute("aria-rowcount", total + 1);
  const kept = view.contains(document.activeElement);
  shown.clear();
  body.replaceChildren(...rooms);
  rooms[1].firstElementChild.style.height = `${total * height}px`; // so that the window has its height
  view.scrollTop = 0;
  active = [0, 0];
  moving = false;
  if (kept) view.focus({ preventScroll: true });
  say();
  draw();
}

function adopt() {
  // The rows that came with the page stay: the others are read when they come into sight.
  total = Number(view.querySelector("table").getAttribute("aria-rowcount")) - 1;
  for (const row of body.rows) shown.set(row.rowIndex - 1, row);
  for (const each of body.querySelectorAll("a, .none")) each.tabIndex = -1;
  body.prepend(rooms[0]);
  body.append(rooms[1]);
  say();
  draw();
}

function move(row, column) {
  active = [Math.max(0, Math.min(total - 1, row)), Math.max(0, Math.min(heads.length - 2, column))];
  const head = view.querySelector("thead").offsetHeight;
  const at = active[0] * height;
  const space = view.clientHeight - head - height;
  if (at < view.scrollTop) view.scrollTop = at;
  else if (at > view.scrollTop + space) view.scrollTop = at - space;
  moving = true;
  draw();
  shown.get(active[0])?.cells[active[1] + 1]?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const [row, column] = active;
  const page = Math.max(1, Math.floor(view.clientHeight / height) - 2);
  const to = {
    ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
    PageUp: [row - page, column], PageDown: [row + page, column], Home: [0, column], End: [total - 1, column],
  }[event.key];
  if (!to || !total) return;
  event.preventDefault();
  if (view === document.activeElement) move(row, column);
  else move(...to);
}

function listen() {
  let waiting = 0;
  view.addEventListener("scroll", () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  }, { passive: true });
  view.addEventListener("keydown", press);
  view.addEventListener("focusin", ({ target }) => {
    moving &&= target === view;
    const row = target.closest("tbody tr");
    if (!row) return;
    active = [Number(row.getAttribute("aria-rowindex")) - 2, target.closest("td").cellIndex - 1];
    mark();
  });
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(choose, 250);
  });
  search.form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    choose();
  });
  for (const tab of place.querySelectorAll("[data-show]")) {
    tab.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show = tab.dataset.show;
      choose();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
}

function start() {
  height = body.rows[0]?.getBoundingClientRect().height || 2.15 * 16;
  place.querySelector(".next")?.remove();
  place.querySelector(".keys").hidden = false;
  place.querySelector("form button").hidden = true;
  listen();
  if (search.value.trim() || body.rows[0]?.getAttribute("aria-rowindex") !== "2") choose();
  else adopt();
}

// After the first picture of the page: what is laid out then is not laid out twice.
if (view) requestAnimationFrame(() => setTimeout(start));
