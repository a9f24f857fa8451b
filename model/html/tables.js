// SPDX-License-Identifier: BSD-3-Clause
// Tables that are sorted by their heads and filtered by a word. Columns are those of the tables of ktrace report.
"use strict";

const TABLES = [
  {list: "shapes", name: "Shapes", command: "shape"},
  {list: "lines", name: "Lines", command: "line"},
  {list: "routines", name: "Routines", command: "routine"},
  {list: "callers", name: "Callers", command: "caller"},
  {list: "threads", name: "Threads", command: "thread"},
  {list: "ranks", name: "Ranks", command: "rank"},
  {list: "processes", name: "Processes", command: "process"},
  {list: "regions", name: "Regions", command: "region"},
  {list: "decomposition.routines", name: "Parts by routine", command: "part"},
  {list: "decomposition.callers", name: "Parts by caller", command: "part"},
];
const TABLE_STATES = {};

const rowsOf = (list) => list.split(".").reduce((object, key) => (object ? object[key] : null), REPORT) || [];

// What sorts a cell: of a statistic its median, otherwise the value; of a place its text.
function sortValue(column, row, i) {
  const value = column.key ? row[column.key] : column.values[i];
  if (value && typeof value === "object") return "median" in value ? value.median : column.values[i];
  return column.values && typeof value !== "number" ? column.values[i] : value;
}

function cellText(column, row, i) {
  if (column.values)
    return TEXT_OF[typeof column.values[i] === "string" ? "text" : column.kind](column.values[i]).trim();
  return TEXT_OF[column.kind](row[column.key]);
}

// Columns that no row has a value in tell nothing.
function columnsOf(list) {
  const rows = rowsOf(list);
  return (DATA.columns[list] || []).filter((column) => rows.some((row, i) => {
    const value = column.values ? column.values[i] : row[column.key];
    return value !== null && value !== undefined && value !== "";
  }));
}

const isNumber = (column, lines) =>
    column.kind !== "text" || lines.some((line) => typeof line.sort[column.at] === "number");

function linesOf(list, columns) {
  return rowsOf(list).map((row, i) => {
    const text = columns.map((column) => cellText(column, row, i));
    return {text, row, sort: columns.map((column) => sortValue(column, row, i)), all: text.join(" ").toLowerCase()};
  });
}

function compareBy(at, descending) {
  return (a, b) => {
    const x = a.sort[at];
    const y = b.sort[at];
    if (x == null || y == null) return (x == null) - (y == null);
    const order = typeof x === "number" && typeof y === "number" ?
        x - y :
        String(x).localeCompare(String(y), "en", {numeric: true});
    return descending ? -order : order;
  };
}

function bodyCell(state, column, text, line) {
  const share = column.key && column.key.startsWith("share") ? line.row[column.key] : null;
  const classes = [column.number && "n", !column.number && text.length >= 28 && "long", share != null && "share"];
  const cell = el("td", {class: classes.filter(Boolean).join(" ") || null}, text);
  if (share != null) cell.style.setProperty("--part", Math.min(100, 100 * share).toFixed(1) + "%");
  return cell;
}

function fill(state) {
  const word = state.filter.toLowerCase();
  const shown = state.lines.filter((line) => line.all.includes(word));
  if (state.by >= 0) shown.sort(compareBy(state.by, state.descending));
  state.shown = shown;
  state.body.replaceChildren(...shown.map(
      (line) => el("tr", {}, ...state.columns.map((column, i) => bodyCell(state, column, line.text[i], line)))));
  state.heads.forEach(
      (head, i) => head.setAttribute(
          "aria-sort",
          i !== state.by       ? "none" :
              state.descending ? "descending" :
                                 "ascending"));
  state.told.textContent =
      word ? `${plural(shown.length, "row")} of ${count(state.lines.length)} have “${state.filter}”` : "";
}

function sortBy(state, at) {
  state.descending = state.by === at ? !state.descending : state.columns[at].number;
  state.by = at;
  fill(state);
}

function headCell(state, column, i) {
  const button = el("button", {type: "button", onclick: () => sortBy(state, i)}, column.head);
  if (column.meaning) hover(button, column.meaning + (column.unit ? ` (${column.unit})` : ""));
  return el("th", {scope: "col", class: column.number ? "n" : null, "aria-sort": "none"}, button);
}

function cutNote(list, rows, command) {
  const cut = leftOut(list);
  if (!cut) return null;
  const share = sum(rows.map((row) => row.share));
  const part = rows.length && rows[0].share != null ? `, ${percent(share)} of the time` : "";
  return el(
      "p", {class: "note"}, `The first ${count(cut.rows)} of ${count(cut.of)} rows${part}. All: `,
      el("code", {}, command));
}

// What the marks before a number mean, where there are any.
function marksNote(lines) {
  const marks = {"*": "of two kinds of calls", "~": "what recording nested calls took is subtracted"};
  const used = Object.keys(marks).filter(
      (mark) =>
          lines.some((line) => line.text.some((text) => new RegExp(`^[*~]*\\${mark}[*~]*[\\d.]+\\s`).test(text))));
  return used.length ? el("p", {class: "note"}, used.map((mark) => `${mark} ${marks[mark]}`).join("; ")) : null;
}

function tablePanel(table) {
  const columns = columnsOf(table.list).map((column, at) => ({...column, at}));
  const lines = linesOf(table.list, columns);
  columns.forEach((column) => {
    column.number = isNumber(column, lines);
  });
  const state = {
    columns,
    lines,
    by: -1,
    descending: false,
    filter: "",
    body: el("tbody"),
    told: el("span", {class: "note", role: "status"})
  };
  const command = `ktrace report --by ${table.command} --csv ${traceWords()}`;
  const field = el("input", {
    type: "search",
    "aria-label": `Filter ${table.name}`,
    placeholder: "filter",
    oninput: (event) => {
      state.filter = event.target.value;
      fill(state);
    }
  });
  state.heads = columns.map((column, i) => headCell(state, column, i));
  state.input = field;
  TABLE_STATES[table.list] = state;
  fill(state);
  return [
    el("div", {class: "tools"}, field, state.told, copyButton(command)),
    el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": table.name},
       el("table", {}, el("caption", {}, `${table.name}, longest time first; a click on a head sorts`),
          el("thead", {}, el("tr", {}, ...state.heads)), state.body)),
    marksNote(lines), cutNote(table.list, rowsOf(table.list), command)
  ].filter(Boolean);
}

function selectTab(tabs, at) {
  tabs.forEach(({tab, panel}, i) => {
    tab.setAttribute("aria-selected", String(i === at));
    tab.tabIndex = i === at ? 0 : -1;
    panel.hidden = i !== at;
  });
}

function tabKey(event, tabs, at) {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step) return;
  const next = (at + step + tabs.length) % tabs.length;
  selectTab(tabs, next);
  tabs[next].tab.focus();
}

function drawTables(section) {
  const tabs = [];
  const bar = el("div", {class: "tools", role: "tablist", "aria-label": "Tables"});
  section.append(bar);
  for (const table of TABLES.filter(({list}) => rowsOf(list).length > 0)) {
    const at = tabs.length;
    const id = "table-" + table.list.replace(".", "-");
    const panel = el("div", {role: "tabpanel", id, "aria-labelledby": id + "-tab", hidden: true}, ...tablePanel(table));
    const tab =
        el("button", {
          type: "button",
          role: "tab",
          id: id + "-tab",
          "aria-controls": id,
          onclick: () => selectTab(tabs, at),
          onkeydown: (event) => tabKey(event, tabs, at)
        },
           `${table.name} (${count(rowsOf(table.list).length)})`);
    tabs.push({tab, panel});
    bar.append(tab);
    section.append(panel);
  }
  if (tabs.length)
    selectTab(tabs, 0);
  else
    section.append(el("p", {}, "The trace has no call that returned, so there are no tables."));
}
