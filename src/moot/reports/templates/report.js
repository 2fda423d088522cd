"use strict";
// Without this script the page is whole: tables keep their order, and transcripts open by hand.
const value = (row, column) => {
  const { dataset: { sort }, textContent } = row.cells[column];
  return sort === undefined ? textContent : sort === "" ? -Infinity : Number(sort);
};
const compare = (a, b) => typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b || 0;
for (const heading of document.querySelectorAll(".sortable thead tr:last-child th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  heading.append(button);
  const usual = heading.classList.contains("text") ? "ascending" : "descending";
  const other = usual === "ascending" ? "descending" : "ascending";
  button.addEventListener("click", () => {
    const sorted = heading.getAttribute("aria-sort") === usual ? other : usual;
    const turn = sorted === "ascending" ? 1 : -1;
    const column = heading.cellIndex;
    for (const each of heading.parentNode.cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", sorted);
    for (const body of heading.closest("table").tBodies) {
      const rows = [...body.rows].filter(row => !row.classList.contains("band"));
      body.append(...rows.sort((a, b) => turn * compare(value(a, column), value(b, column))));
    }
  });
}
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  for (let each = target; each; each = each.parentElement) if (each instanceof HTMLDetailsElement) each.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
addEventListener("beforeprint", () => { for (const fold of document.querySelectorAll("details.fold:not(.transcripts)")) fold.open = true; });
