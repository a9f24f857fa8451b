// SPDX-License-Identifier: BSD-3-Clause
// Puts the page together, in the order in which a reader wants it.
"use strict";

const baseName = (path) => String(path || "").split("/").pop();

// --- summary and findings ----------------------------------------------------------------------------------------

function fact(name, value, meaning) {
  const term = el("dt", {}, name);
  if (meaning) hover(term, meaning);
  return el("div", {}, term, el("dd", {}, value));
}

function drawFacts(section) {
  const info = DATA.info;
  const library = info.libraries.length ? info.libraries[0] : null;
  section.append(
      el("dl", {class: "facts"},
         fact("Wall time", seconds(REPORT.seconds), "from the start of the longest process to its end"),
         fact(
             "In BLAS and LAPACK", `${seconds(REPORT.seconds_blas)}, ${percent(REPORT.share_of_wall)}`,
             "time of outermost calls, threads added; part of the wall time of all processes in which a thread is in one"),
         fact("Calls", count(REPORT.calls_top), "outermost calls: those that the program made itself"),
         fact(
             "Library",
             library ? `${library.version || library.name || baseName(library.path)}`.split(" ").slice(0, 2).join(" ") :
                       "not known",
             library ? library.path : null),
         fact("Processes, threads", `${count(info.processes)}, ${count(info.threads)}`),
         fact("Recording took", seconds(REPORT.self_seconds), "as the recorder measured itself")));
}

function lostSentences() {
  const said = [];
  if (REPORT.state !== "complete")
    said.push(`The trace is ${REPORT.state}: the program was ${
        REPORT.state === "running" ? "still running" : "killed, or crashed"}. All calls up to then are here.`);
  for (const {cause, calls} of REPORT.lost || [])
    said.push(`${plural(calls, "call is", "calls are")} not in the trace: ${cause}.`);
  for (const note of REPORT.damage || [])
    said.push(`Damaged: ${typeof note === "string" ? note : JSON.stringify(note)}.`);
  if (REPORT.unfinished)
    said.push(
        `${plural(REPORT.unfinished, "call has", "calls have")} not returned: they are counted, but have no time.`);
  if (REPORT.skipped)
    said.push(`${
        plural(REPORT.skipped, "call was", "calls were")} not recorded, as the user wished (pauses, filters, limits).`);
  if (REPORT.sample > 1) said.push(`One call in ${count(REPORT.sample)} was recorded: sums are of these.`);
  if (REPORT.clock && REPORT.clock.note) said.push(REPORT.clock.note);
  return said;
}

function findingSentences() {
  if (REPORT.shapes.length === 0) return ["The program made no call that returned and can be seen."];
  const [first] = ANSWER.places;
  const where = first ? [`${placeOf(first)} takes ${percent(first.share)} of the BLAS time, ${seconds(first.seconds)}: ${
                            plural(first.calls, "call")} of ${placeWords(first)}.`] :
                        [];
  return [...where, ...ANSWER.findings.map((text) => text[0].toUpperCase() + text.slice(1) + ".")];
}

function drawFindings(section) {
  drawFacts(section);
  section.append(
      el("ul", {class: "findings"}, ...findingSentences().map((text) => el("li", {}, ...worded(text))),
         ...lostSentences().map((text) => el("li", {class: "warn"}, text))));
  if (DATA.explain && DATA.explain.states.pairs)
    section.append(el("p", {class: "note"}, `Sentences, places and what the time is made of are medians of ${
        plural(DATA.explain.states.pairs, "more run")} of the program; all else is of the recorded one.`));
  const command = `ktrace ${ANSWER.next} ${traceWords()}`;
  drawAnswer(section);
  if (REPORT.shapes.length) section.append(el("p", {}, "Next: ", el("code", {}, command), " ", copyButton(command)));
}

// --- how it was measured -----------------------------------------------------------------------------------------

function plainList(pairs) {
  const list = el("dl", {class: "plain"});
  for (const [name, value] of pairs.filter((pair) => pair[1] !== null && pair[1] !== undefined && pair[1] !== ""))
    list.append(el("dt", {}, name), el("dd", {}, String(value)));
  return list;
}

function drawMeasured(section) {
  const {info} = DATA;
  const {machine} = info;
  section.append(plainList([
    ["Command", (info.command || []).map(quoted).join(" ")], ["Program", info.program],
    ["Trace", DATA.trace.join(", ")], ["Format, state", `${info.format}, ${info.state}`], ["Mode", info.mode],
    ["Size of the trace", bytes(info.bytes)], ["Host", machine.host], ["Processor", machine.cpu_model],
    ["Processors", machine.cpus], ["Page size", machine.page_bytes ? bytes(machine.page_bytes) : null],
    ["Clock", `${info.clock.clock}, ${digits(info.tsc_hz / 1e9)} GHz`],
    [
      "Overhead",
      `${seconds(REPORT.overhead.seconds)} (${seconds(REPORT.overhead.lo)} to ${
          seconds(REPORT.overhead.hi)}): by how much recording made the calls longer`
    ],
    ["Nested calls", `${REPORT.nested.mode}; ${count(REPORT.nested.passed)} passed on and not recorded`]
  ]));
  section.append(
      el("h3", {}, "Libraries"),
      el("ul", {},
         ...info.libraries.map(
             (library) =>
                 el("li", {}, `${library.version || library.name || "unknown"}: `, el("code", {}, library.path)))));
  const set = Object.entries(info.options || {}).filter(([, value]) => value !== "");
  section.append(
      el("h3", {}, "Options of the recording"),
      el("p", {}, el("code", {}, set.map(([key, value]) => `${key}=${value}`).join(" "))));
  drawLost(section);
}

function drawLost(section) {
  const lost = lostSentences();
  section.append(
      el("h3", {}, "What is missing"),
      lost.length ? el("ul", {}, ...lost.map((text) => el("li", {}, text))) :
                    el("p", {}, "Nothing: each call is here or counted."));
  const parts = REPORT.decomposition;
  if (parts && parts.not_replayed && parts.not_replayed.reasons.length)
    section.append(
        el("p", {}, `Not taken apart: ${percent(parts.not_replayed.share)} of the BLAS time.`),
        el("ul", {},
           ...parts.not_replayed.reasons.map((reason) => el("li", {}, `${percent(reason.seconds / REPORT.seconds_blas)}: ${reason.why}`))));
  for (const {list, rows, of} of DATA.left_out)
    section.append(el("p", {class: "note"}, `This page has ${count(rows)} of ${count(of)} ${list}.`));
}

function drawGlossary(section) {
  section.append(plainList(Object.entries(GLOSSARY).filter(([words]) => words !== "word")));
}

// --- the page ----------------------------------------------------------------------------------------------------

const SECTIONS = [
  ["findings", "Findings", drawFindings],
  ["changes", "What changed", drawDiff],
  ["where", "Where the time goes", drawIcicle],
  ["tables", "Tables", drawTables],
  ["parts", "What the time is made of", drawParts],
  ["roofline", "Roofline", drawRoofline],
  ["times", "Times of calls", drawTimes],
  ["timeline", "Time line", drawTimeline],
  ["sizes", "Sizes", drawSizes],
  ["compared", "Libraries compared", drawComparison],
  ["measured", "How it was measured", drawMeasured],
  ["glossary", "Glossary", drawGlossary],
];

function setTheme(dark) {
  const button = document.getElementById("theme");
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  button.setAttribute("aria-pressed", String(dark));
  FIGURES.forEach((entry) => entry.redraw());
}

function redrawIfWider() {
  for (const entry of FIGURES)
    if (entry.box.clientWidth && entry.box.clientWidth !== entry.width) entry.redraw();
}

function drawPage() {
  const program = baseName((DATA.info.command || [])[0]) || "a program";
  document.title = "ktrace: " + program;
  document.getElementById("what").textContent = (DATA.info.command || []).join(" ");
  document.getElementById("made").textContent = `Made by ktrace ${DATA.version}. Figures: d3, BSD 3-Clause.`;
  for (const [id, title, draw] of SECTIONS.filter(([id]) => id !== "changes" || DATA.diff)) {
    const section = el("section", {id, "aria-labelledby": id + "-h"}, el("h2", {id: id + "-h"}, title));
    document.getElementById("main").append(section);
    document.getElementById("contents").append(el("li", {}, el("a", {href: "#" + id}, title)));
    draw(section);
  }
  document.getElementById("theme").addEventListener(
      "click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
  setTheme(
      location.hash === "#dark" || (location.hash !== "#light" && matchMedia("(prefers-color-scheme: dark)").matches));
  addEventListener("resize", redrawIfWider);
  addEventListener("beforeprint", redrawIfWider);
}

// What tests ask for by #selftest: what the page does with a reader's hands, as text of the element "selftest".
function selfTest() {
  const shapes = TABLE_STATES.shapes;
  const found = {words: explained.size, figures: FIGURES.map(({id}) => id), marks: {}, rows: {}};
  for (const {id, box} of FIGURES) found.marks[id] = box.querySelectorAll("rect, path, circle, canvas").length;
  for (const [list, state] of Object.entries(TABLE_STATES)) found.rows[list] = state.shown.length;
  if (shapes) Object.assign(found, testTable(shapes));
  if (ICICLE.box) Object.assign(found, testIcicle());
  if (DATA.timeline) Object.assign(found, testTimeline());
  found.wide = document.documentElement.scrollWidth - innerWidth;
  document.body.append(el("pre", {id: "selftest"}, JSON.stringify(found)));
}

function testTable(state) {
  const calls = state.columns.findIndex(({key}) => key === "calls");
  const values = () => state.shown.map((line) => line.sort[calls]);
  state.heads[calls].querySelector("button").click();
  const descending = values();
  state.heads[calls].querySelector("button").click();
  const ascending = values();
  state.input.value = state.lines[0].row.routine;
  state.input.dispatchEvent(new Event("input"));
  return {descending, ascending, filtered: state.shown.map((line) => line.row.routine), cells: state.body.rows.length};
}

function testIcicle() {
  const before = ICICLE.drawn;
  const rect = ICICLE.box.querySelectorAll("rect")[1];
  rect.dispatchEvent(new MouseEvent("mousemove", {clientX: 5, clientY: 5}));
  const tip = document.getElementById("tip").textContent;
  rect.dispatchEvent(new MouseEvent("click"));
  const zoomed = ICICLE.focus.depth;
  zoomTo(ICICLE.root);
  ICICLE.search(REPORT.shapes[0].routine);
  const matched = ICICLE.matched;
  ICICLE.search("");
  return {tip, zoomed, matched, boxes: [before, ICICLE.drawn], total: ICICLE.root.value};
}

function testTimeline() {
  zoomTimeline(0.5);
  const window = TIMELINE.to - TIMELINE.from;
  showWindow(0, 1);
  return {window};
}

drawPage();
if (location.hash === "#selftest") selfTest();
document.documentElement.dataset.ready = String(FIGURES.length);
