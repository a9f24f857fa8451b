// SPDX-License-Identifier: BSD-3-Clause
// What other verbs found, where the page has it: libraries compared, and two runs.
"use strict";

// Marks with their intervals on a logarithmic axis, around 1.
function ratioDomain(rows) {
  const ends = rows.flatMap(({ratio}) => [ratio.value, ratio.value, ratio.lo, ratio.hi]).filter((v) => v > 0);
  const values = rows.map(({ratio}) => ratio.value).filter((v) => v > 0);
  const least = Math.max(d3.min(ends), d3.min(values) / 4);
  const most = Math.min(d3.max(ends), d3.max(values) * 4);
  return [Math.min(least, 0.9) * 0.95, Math.max(most, 1.1) * 1.05];
}

// 1, 2 and 5 times powers of ten.
const steps125 = ([from, to]) =>
    d3.range(Math.floor(Math.log10(from)), Math.ceil(Math.log10(to)) + 1)
        .flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)))
        .filter((value) => value >= from && value <= to);

const VERDICT_COLOUR = {
  faster: "#0072B2",
  slower: "#D55E00"
};

function ratioText({name, ratio, verdict, more}) {
  const interval = ratio.lo == null ? "" : ` (${digits(ratio.lo)} to ${digits(ratio.hi)})`;
  return `${name}\n${digits(ratio.value)} times${interval}: ${verdict}${more ? "\n" + more : ""}`;
}

function drawRatio(svg, row, x, y) {
  const colour = VERDICT_COLOUR[row.verdict] || "var(--soft)";
  const {ratio} = row;
  const g = svg.append("g")
                .attr("tabindex", 0)
                .attr("role", "img")
                .attr("aria-label", ratioText(row).replace(/\n/g, ", "));
  if (ratio.lo > 0)
    g.append("path")
        .attr("d", `M${x(ratio.lo)},${y - 4}v8m0,-4H${x(ratio.hi)}m0,-4v8`)
        .style("fill", "none")
        .style("stroke", colour)
        .style("stroke-width", 2);
  g.append("path")
      .attr("d", symbolPath(VERDICT_COLOUR[row.verdict] ? d3.symbolCircle : d3.symbolDiamond, 80))
      .attr("transform", `translate(${x(ratio.value)},${y})`)
      .style("fill", colour);
  hover(g.node(), ratioText(row));
}

function drawRatios(box, width, rows, axisTitle) {
  const height = 26;
  const left = Math.min(260, width / 2.6);
  const right = width < 600 ? 56 : 190;
  const svg = svgIn(box, width, rows.length * height + 48, axisTitle);
  const x = d3.scaleLog().domain(ratioDomain(rows)).range([left, width - right]).clamp(true);
  axis(svg, x, {
    side: "bottom",
    at: rows.length * height + 6,
    title: axisTitle,
    length: width - right,
    values: steps125(x.domain()),
    format: d3.format("~g")
  });
  svg.append("line")
      .attr("x1", x(1))
      .attr("x2", x(1))
      .attr("y1", 0)
      .attr("y2", rows.length * height + 6)
      .style("stroke", "var(--soft)");
  rows.forEach((row, i) => {
    const y = i * height + 14;
    svg.append("text").attr("x", 0).attr("y", y + 4).text(fitted(row.name, left - 14));
    drawRatio(svg, row, x, y);
    const words = width < 600 ? digits(row.ratio.value) : `${digits(row.ratio.value)}, ${row.verdict}`;
    svg.append("text").attr("x", width - right + 10).attr("y", y + 4).text(words);
  });
}

const VERDICT_NOTE = "Whiskers are 95 % intervals, cut at the ends of the axis. Blue circles: faster; orange: slower; grey diamonds: not told apart.";

// --- libraries ---------------------------------------------------------------------------------------------------

function comparedTitle({libraries, baseline}) {
  const faster = libraries.filter(({verdict}) => verdict === "faster").sort((a, b) => a.ratio.value - b.ratio.value);
  return faster.length ?
      `On ${faster[0].label} the calls take ${digits(faster[0].ratio.value)} times as long as on ${baseline}` :
      `No other library is certain to be faster than ${baseline}`;
}

// What is not as it should be with the results of a library: the key of its list, in words, why.
const RESULT_STATES = [["wrong", "wrong", "what"], ["unfinished", "not finished", "why"], ["failed", "not run", "why"]];

// "wrong: 2 shapes, not finished: 1 shape"
const resultsText = (library) => RESULT_STATES.filter(([key]) => (library[key] || []).length)
                                     .map(([key, state]) => `${state}: ${plural(library[key].length, "shape")}`)
                                     .join(", ");

function comparedRow(library) {
  const {label, version, ratio, verdict, seconds_application: program} = library;
  const results = resultsText(library);
  const more = [version, program == null ? "" : `the program would take ${seconds(program)}`, results];
  return {name: label + (results ? ` (${results})` : ""), ratio, verdict, more: more.filter(Boolean).join("\n")};
}

// Nothing if all shapes were run, with results that are right as far as they were checked.
function resultsTable(libraries) {
  const rows = libraries.flatMap(
      (library) => RESULT_STATES.flatMap(
          ([key, state, why]) => (library[key] || []).map((shape) => [shape.words, library.label, state, shape[why]])));
  if (!rows.length) return null;
  const more = rows.length > 15 ? `; ${count(rows.length - 15)} more: compare --json` : "";
  return wordsTable(`Results that are wrong or not known${more}`, ["shape", "library", "state", "why"], rows.slice(0, 15), "long");
}

const hasRatio = ({ratio}) => ratio && ratio.value > 0;

// The heaviest shapes on each library.
function shapesTable({libraries, shapes}) {
  const head = ["shape", "calls", "share", ...libraries.map(({label}) => label)];
  const cell = (shape, label) => {
    const on = (shape.libraries || []).find(({name}) => name === label);
    if (!on || !hasRatio(on)) return on && on.verdict ? on.verdict : "n/a";
    return `${digits(on.ratio.value)}${on.verdict === "faster" ? " ↓" : on.verdict === "slower" ? " ↑" : ""}`;
  };
  const rows = shapes.slice(0, 15).map((shape) => [
    shape.words, count(shape.calls), percent(shape.share),
    ...libraries.map(({label}) => cell(shape, label))
  ]);
  return wordsTable("Ratios of the heaviest shapes; ↓ faster, ↑ slower, others are not told apart", head, rows);
}

function wordsTable(caption, head, rows, others = "n") {
  const number = (i) => (i > 0 ? others : null);
  return el(
      "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      el("table", {}, el("caption", {}, caption),
         el("thead", {}, el("tr", {}, ...head.map((text, i) => el("th", {scope: "col", class: number(i)}, text)))),
         el("tbody", {},
            ...rows.map((row) => el("tr", {}, ...row.map((text, i) => el("td", {class: number(i)}, text)))))));
}

function drawComparison(section) {
  const {comparison} = DATA;
  const command = `ktrace compare ${traceWords()}`;
  if (!comparison) {
    section.append(
        el("p", {}, "Libraries were not compared. This tells whether another one is faster: ", el("code", {}, command),
           " ", copyButton(command)));
    return;
  }
  const rows = comparison.libraries.filter(hasRatio).map(comparedRow);
  figure(section, {
    id: "libraries",
    title: comparedTitle(comparison),
    command,
    note: `All recorded calls, ${comparison.context === "sequence" ? "in their order" : comparison.context}, in ${
              plural(comparison.rounds, "round")}. ` + VERDICT_NOTE,
    draw: (box, width) => drawRatios(box, width, rows, `times as long as on ${comparison.baseline}`)
  });
  const tables = [shapesTable({...comparison, libraries: comparison.libraries.filter(hasRatio)}), resultsTable(comparison.libraries)];
  section.append(...tables.filter(Boolean));
}

// --- two runs ----------------------------------------------------------------------------------------------------

function diffTitle({changed, shapes}) {
  if (!changed) return "No shape changed from the run before to this one";
  const number = (change) => shapes.filter((shape) => shape.change === change).length;
  const said = ["slower", "faster", "new", "vanished"].map((change) => [number(change), change]).filter(([n]) => n);
  return `${plural(changed, "shape")} changed: ${said.map(([n, change]) => `${count(n)} ${change}`).join(", ")}`;
}

function diffRow({words, change, ratio, lo, hi, before, after}) {
  const time = (side) => (side ? seconds(side.in_situ.median) : "not called");
  return {
    name: words,
    ratio: {value: ratio, lo, hi},
    verdict: change,
    more: `median before ${time(before)}, after ${time(after)}`
  };
}

function drawDiff(section) {
  const {diff} = DATA;
  if (!diff) return;
  const rows = diff.shapes.map(diffRow).filter(hasRatio).slice(0, 25);
  section.append(el("p", {}, `${diff.traces[0]}: ${seconds(diff.seconds_blas[0])} in BLAS; ${diff.traces[1]}: ${
                                 seconds(diff.seconds_blas[1])}, which this page reports on.`));
  if (rows.length)
    figure(section, {
      id: "runs",
      title: diffTitle(diff),
      command: `ktrace diff ${diff.traces.map(quoted).join(" ")}`,
      note: `${diff.drift_taken_out ? `Ratios are without what all shapes share, ${digits(diff.drift)} times. ` : ""}${VERDICT_NOTE}`,
      draw: (box, width) => drawRatios(box, width, rows, "median after over median before")
    });
  const gone = diff.shapes.filter(({before, after}) => !before || !after).slice(0, 15);
  if (gone.length)
    section.append(wordsTable(
        "New and vanished", ["shape", "change", "seconds"],
        gone.map((shape) => [shape.words, shape.change, seconds((shape.before || shape.after).seconds)])));
}
