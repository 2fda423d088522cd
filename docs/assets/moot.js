// On a narrow screen the rows of a table with long texts are cards: each cell is told its heading.
for (const each of document.querySelectorAll(".md-typeset table")) {
  const headings = [...(each.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
  const cells = [...(each.tBodies[0]?.rows ?? [])].flatMap((row) => [...row.cells]);
  cells.forEach((cell) => (cell.dataset.label = headings[cell.cellIndex] ?? ""));
  const wordy = headings.length > 2 && cells.some((cell) => cell.textContent.length > 60);
  each.toggleAttribute("data-wordy", wordy);
}

// The picker of choose.html: a form that hides rows of the table below it. Without it, all are there.
const table = [...document.querySelectorAll("table")].find(
  (each) => each.rows[0]?.cells[0]?.textContent.trim() === "protocol" && each.rows[0].cells.length === 6,
);

if (table) {
  const rows = [...table.tBodies[0].rows];
  const text = (row, column) => row.cells[column].textContent.trim();
  const most = (row) => Number(text(row, 3).split(" to ").at(-1));
  const form = document.createElement("form");
  form.className = "choose";
  form.innerHTML = `
    <label>It should give
      <select name="gives">
        <option value="">anything</option>
        <option value="short answers">a short answer</option>
        <option value="open texts">an answer to an open question</option>
        <option value="essays">an essay</option>
        <option value="studies">a measurement for a study</option>
      </select></label>
    <label>Calls for one question, at most
      <input name="calls" type="number" min="1" placeholder="any number"></label>
    <label>Models
      <select name="models">
        <option value="">one or several</option>
        <option value="one">one</option>
        <option value="several">several that differ</option>
      </select></label>
    <label>With the words
      <input name="words" type="search" placeholder="review, library, majority …"></label>
    <p role="status"></p>`;
  form.addEventListener("submit", (event) => event.preventDefault());

  const choose = () => {
    const { gives, calls, models, words } = Object.fromEntries(new FormData(form));
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits =
        text(row, 2).includes(gives) &&
        (!calls || most(row) <= Number(calls)) &&
        text(row, 4).startsWith(models) &&
        wanted.every((word) => row.textContent.toLowerCase().includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    form.querySelector("p").textContent = shown
      ? `${shown} of ${rows.length} protocols`
      : "No protocol fits. Allow more calls, or fewer words.";
  };
  form.addEventListener("input", choose);
  table.classList.add("choices");
  // The theme puts a table into a box that scrolls; the form stands before that box.
  (table.closest(".md-typeset__scrollwrap") ?? table).before(form);
  choose();
}
