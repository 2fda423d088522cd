// Documents are uploaded as soon as they are chosen. Without this script a button does so.
const form = document.querySelector("form.ask");
const documents = () => document.getElementById("documents");

const begin = () => {
  const files = document.getElementById("files");
  if (!files) return;
  document.getElementById("upload").remove();
  files.addEventListener("change", () => upload(files));
};

const upload = async (files) => {
  const part = documents();
  const large = [...files.files].filter((each) => each.size > Number(files.dataset.file));
  const small = [...files.files].filter((each) => !large.includes(each));
  const body = new FormData();
  body.set("upload", "1");
  for (const name of ["protocol", "of"]) body.set(name, form.elements[name].value);
  for (const each of small) body.append("files", each);
  part.setAttribute("aria-busy", "true");
  let told = large.map((each) => `${each.name}: it is too large`);
  try {
    const answer = await fetch(form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("documents");
    if (!fresh) throw new Error(answer.status === 413 ? "they are too large together" : "they could not be uploaded");
    part.replaceWith(fresh);
  } catch (error) {
    part.removeAttribute("aria-busy");
    files.value = "";
    told.push(`${error.message}; nothing of them was kept`);
  }
  for (const each of told) {
    const line = Object.assign(document.createElement("p"), { className: "error", textContent: each });
    documents().querySelector(".pick").before(line);
  }
  begin();
  document.getElementById("files").focus();
  form.dispatchEvent(new Event("input", { bubbles: true })); // the price is another one
};
begin();

// The button says which side the essay takes.
const WORDS = { oppose: "Write against it ", support: "Write for it ", both: "Write, weighing both sides " };
const nameSide = () => {
  const button = form.querySelector("button.main");
  button.firstChild.textContent = WORDS[new FormData(form).get("set.stance")] ?? "Write ";
};
form.addEventListener("change", nameSide);
nameSide();
