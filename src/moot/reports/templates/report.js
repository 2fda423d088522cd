"use strict";
const value = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
const number = (text) => (text === "" ? -Infinity : Number(text));
const compare = (a, b) => number(a) - number(b) || String(a).localeCompare(b);
for (const heading of document.querySelectorAll(".sortable thead th")) {
  const sort = () => {
    const down = heading.getAttribute("aria-sort") !== "descending";
    const body = heading.closest("table").tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(value(a, heading.cellIndex), value(b, heading.cellIndex)));
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...(down ? rows.reverse() : rows));
  };
  heading.tabIndex = 0;
  heading.addEventListener("click", sort);
  heading.addEventListener("keydown", (event) => event.key === "Enter" && sort());
}
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", reveal);
reveal();
