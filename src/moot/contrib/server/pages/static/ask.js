// Another protocol has other settings: they come with the page of that protocol. Without this
// script a button asks for them, and the calls and the price are those of the page's fields.
const protocol = document.getElementById("protocol");
const form = protocol.form;
document.getElementById("change").remove();

const parsed = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
const query = () => new URLSearchParams(new FormData(form));

let asked = 0;
protocol.addEventListener("change", async () => {
  const turn = ++asked;
  const filled = query();
  for (const each of form.querySelectorAll(".question [name]")) filled.delete(each.name);
  const way = document.getElementById("way");
  const open = document.getElementById("settings").open;
  way.setAttribute("aria-busy", "true");
  try {
    const page = await parsed(await fetch(`${form.action}?${filled}`));
    if (turn !== asked) return; // another one was chosen meanwhile
    const fresh = page.getElementById("way");
    fresh.querySelector("#settings").open = open;
    way.replaceWith(fresh);
    foresee();
  } catch {
    way.removeAttribute("aria-busy"); // the server asks again which settings are meant
  }
});

let foreseen = 0;
const foresee = async () => {
  const turn = ++foreseen;
  try {
    const answer = await fetch(`${form.action}/estimate`, { method: "POST", body: query() });
    if (!answer.ok || turn !== foreseen) return;
    const fresh = (await parsed(answer)).getElementById("estimate");
    if (turn !== foreseen) return;
    document.getElementById("estimate").replaceChildren(...fresh.childNodes);
    showGuess();
  } catch { /* the last estimate stays */ }
};
// The form of the answer, guessed from the question, is the first choice among all forms.
const showGuess = () => {
  const kind = document.getElementById("kind");
  if (!kind) return;
  const listed = form.elements.choices.value.trim() ? "one of these options" : "";
  const words = listed || document.getElementById("guess")?.textContent;
  if (words) kind.options[0].textContent = `guessed: ${words}`;
};

let timer;
form.addEventListener("input", (event) => {
  if (event.target === protocol) return;
  if (event.target.getAttribute("aria-invalid")) {
    event.target.removeAttribute("aria-invalid");
    event.target.closest(".field").querySelector(".error")?.remove();
  }
  clearTimeout(timer);
  timer = setTimeout(foresee, 400);
});

form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  form.requestSubmit(form.querySelector("button.main"));
});

const examples = [...form.querySelectorAll(".examples a")];
const parameters = (link) => new URL(link.href).searchParams;
const filling = new Set(examples.flatMap((each) => [...parameters(each).keys()]));
for (const link of examples) link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const example = parameters(link);
  for (const name of filling) form.elements[name].value = example.get(name) ?? "";
  for (const [name, value] of example) {
    const folded = form.elements[name].closest("details");
    if (folded && value) folded.open = true;
  }
  form.querySelector("textarea").focus();
  foresee();
});
