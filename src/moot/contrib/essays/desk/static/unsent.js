// What is typed into a form and not sent yet outlives the tab: the browser keeps it, and no one else.
const KEY = "moot-unsent";
const PAGES = 20; // the most pages of which something is kept; then the oldest goes
const page = document.querySelector("[data-page]")?.dataset.page;
const read = (storage) => JSON.parse(storage.getItem(KEY) ?? "{}");

// Of each text area of this page: what the server had in it, and what was typed.
const save = (changes) => {
  const { [page]: mine, ...others } = read(localStorage);
  const fields = Object.entries({ ...mine, ...changes }).filter(([, kept]) => kept);
  const pages = Object.entries(others);
  if (fields.length) pages.push([page, Object.fromEntries(fields)]);
  localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(pages.slice(-PAGES))));
};

const show = (words, button) => {
  const line = Object.assign(document.createElement("p"), { className: "note unsent", textContent: words });
  line.setAttribute("role", "status");
  if (button) line.append(button);
  document.querySelector("h1").after(line);
  return line;
};

const restore = () => {
  const restored = [];
  for (const [name, [before, typed]] of Object.entries(read(localStorage)[page] ?? {})) {
    const field = document.querySelector(`textarea[name="${CSS.escape(name)}"]`);
    if (!field || field.defaultValue !== before || field.defaultValue === typed) continue;
    field.value = typed;
    for (let each = field.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
    restored.push(field);
  }
  if (!restored.length) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Discard it" });
  const line = show("What you typed here and did not send is in its fields again.", button);
  button.addEventListener("click", () => {
    for (const field of restored) field.value = field.defaultValue;
    save(Object.fromEntries(restored.map((field) => [field.name, null])));
    line.remove();
    restored[0].focus();
  });
};

// A form is sent when another page follows; if the same one comes back, with an error, nothing is lost.
const forget = () => {
  const [from, names] = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
  sessionStorage.removeItem(KEY);
  if (!from || from === page) return;
  const { [from]: mine, ...others } = read(localStorage);
  const left = Object.entries(mine ?? {}).filter(([name]) => !names.includes(name));
  if (left.length) others[from] = Object.fromEntries(left);
  localStorage.setItem(KEY, JSON.stringify(others));
};

const attempt = (action) => {
  try {
    action();
  } catch {
    if (document.querySelector(".unkept")) return;
    show("This browser keeps nothing more for pages: what you type here is gone when the tab closes.").classList.add("unkept");
  }
};

attempt(forget);
if (page) {
  attempt(restore);
  document.addEventListener("input", ({ target }) => attempt(() => {
    if (!target.matches("textarea[name]")) return;
    const [before] = read(localStorage)[page]?.[target.name] ?? [target.defaultValue];
    save({ [target.name]: target.value === before ? null : [before, target.value] });
  }));
  document.addEventListener("submit", ({ target }) => attempt(() => {
    const names = [...target.querySelectorAll("textarea[name]")].map((each) => each.name);
    if (names.length) sessionStorage.setItem(KEY, JSON.stringify([page, names]));
  }));
}
