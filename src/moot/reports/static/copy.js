// A menu at each table that copies it, as it is sorted now, as Markdown, LaTeX or CSV.

const LATEX = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}",
  "|": "\\textbar{}", "−": "$-$", "–": "--", "…": "\\ldots{}", "→": "$\\rightarrow$", "·": "\\textperiodcentered{}", "†": "\\dag{}",
  "‡": "\\ddag{}", "±": "$\\pm$", "▲": "$\\uparrow$", "▼": "$\\downarrow$", "✓": "\\checkmark{}", "\u00a0": "~",
};

function words(cell) {
  const own = cell.cloneNode(true);
  const small = [...own.querySelectorAll("small")].map((each) => (each.remove(), each.textContent.trim()));
  const text = own.textContent.replace(/[ \t\n]+/g, " ").trim();
  return small.length ? `${text} (${small.join("; ")})`.trim() : text;
}

function read(table) {
  const head = [...[...table.tHead.rows].at(-1).cells];
  const groups = [];
  if (table.tHead.rows.length > 1) {
    for (const cell of table.tHead.rows[0].cells) for (let n = 0; n < cell.colSpan; n++) groups.push(cell.textContent.trim());
  }
  const columns = head.map((cell, at) => {
    const name = words(cell);
    return groups[at] ? `${groups[at]}: ${name}` : name;
  });
  const numbers = head.map((cell) => !cell.classList.contains("text"));
  const rows = [];
  let band = "";
  for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
    if (row.classList.contains("band")) band = words(row.cells[0]);
    else rows.push({ band, cells: [...row.cells] });
  }
  return { columns, numbers, rows, banded: rows.some((row) => row.band) };
}

function lines({ columns, rows, banded }) {
  const all = [columns, ...rows.map((row) => row.cells.map(words))];
  return banded ? all.map((line, at) => [at ? rows[at - 1].band : "", ...line]) : all;
}

function markdown(found) {
  const escape = (text) => text.replace(/([\\`*_{}[\]<>#|~])/g, "\\$1");
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const [head, ...rows] = lines(found).map((line) => line.map(escape));
  const kinds = [...(found.banded ? [false] : []), ...found.numbers].map((number) => (number ? "---:" : "---"));
  return [row(head), row(kinds), ...rows.map(row)].join("\n") + "\n";
}

function latex(found) {
  const escape = (text) => text.replace(/[&%$#_{}]/g, "\\$&").replace(/\\(?![&%$#_{}])|[~^<>|−–…→·†‡±▲▼✓\u00a0]/g, (sign) => LATEX[sign]);
  const row = (cells) => `${cells.map(escape).join(" & ")} \\\\`;
  const [head, ...rows] = lines(found);
  const kinds = (found.banded ? "l" : "") + found.numbers.map((number) => (number ? "r" : "l")).join("");
  return [
    "% needs \\usepackage{booktabs,amssymb}", `\\begin{tabular}{${kinds}}`, "\\toprule", row(head), "\\midrule", ...rows.map(row), "\\bottomrule", "\\end{tabular}", "",
  ].join("\n");
}

function csv(found) {
  // A formula of a spreadsheet is made a text.
  const quote = (text) => (/^[=@\t]|^[+-](?![\d.])/.test(text) ? `"'${text.replaceAll('"', '""')}"` : /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return lines(found).map((line) => line.map((text) => quote(text.replaceAll("−", "-"))).join(",")).join("\n") + "\n";
}

async function copy(text, menu) {
  menu.querySelector("textarea")?.remove();
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.rows = 6;
    area.readOnly = true;
    area.ariaLabel = "The table as text";
    menu.append(area);
    area.select();
    return document.execCommand?.("copy") ? "Copied." : "Copy the marked text.";
  }
}

function offer(table) {
  const wide = table.closest(".wide") ?? table;
  if (wide.nextElementSibling?.classList.contains("copy")) return;
  const menu = document.createElement("details");
  menu.className = "copy";
  const name = document.createElement("summary");
  name.textContent = "Copy table";
  const list = document.createElement("ul");
  const said = document.createElement("li");
  said.setAttribute("role", "status");
  for (const [form, write] of Object.entries({ Markdown: markdown, LaTeX: latex, CSV: csv })) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = form;
    button.addEventListener("click", async () => {
      said.textContent = await copy(write(read(table)), menu);
    });
    item.append(button);
    list.append(item);
  }
  list.append(said);
  menu.append(name, list);
  wide.after(menu);
}

function offerAll() {
  for (const table of document.querySelectorAll("table.sortable")) offer(table);
}

offerAll();
const results = document.getElementById("results");
if (results) new MutationObserver(offerAll).observe(results.parentNode, { childList: true }); // they are renewed while a run goes on
