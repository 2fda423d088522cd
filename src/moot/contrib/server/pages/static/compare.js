// The form that compares two arms: it lists the arms of the runs that are chosen.

const form = document.getElementById("choose");

let latest = 0;

async function list() {
  const mine = ++latest;
  const asked = new URLSearchParams({ list: "arms" });
  for (const name of ["was", "a", "b"]) asked.set(name, form.elements[name].value);
  const response = await fetch(`/compare?${asked}`, { headers: { accept: "text/html" } });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("choose");
  if (!fresh || mine !== latest) return;
  for (const name of ["was", "b"]) form.elements[name].value = fresh.elements[name].value;
  for (const name of ["arm_a", "arm_b"]) {
    const before = form.elements[name].value;
    const options = [...fresh.elements[name].options];
    const kept = options.some((each) => each.value === before) ? before : fresh.elements[name].value;
    form.elements[name].replaceChildren(...options);
    form.elements[name].value = kept;
  }
}

form.elements.list.hidden = true;
for (const name of ["a", "b"]) form.elements[name].addEventListener("change", list);
