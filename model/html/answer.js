// SPDX-License-Identifier: BSD-3-Clause
// The answer, as the page of one screen has it: the heaviest places, what their time is made of, sentences. What is told
// of a part, and what is not, the data say (certainty); nothing is judged here.
"use strict";

// Of ktrace explain, if the page has that; otherwise of ktrace report.
function answerOf() {
  const {explain} = DATA;
  if (!explain) return {...REPORT.summary, command: "report"};
  const {decomposition, places, findings, next} = explain;
  const share = (place) => place.seconds / explain.seconds_blas;
  return {
    seconds: decomposition.insitu,
    parts: decomposition.pairs ? decomposition : null,
    places: places.map((place) => ({...place, share: share(place), parts: place.parts.pairs ? place.parts : null})),
    findings,
    next,
    command: "explain"
  };
}
const ANSWER = answerOf();

const isTold = (part) => part.certainty !== "cannot tell";

// "62 % ± 12 %", or "cannot tell".
function partText({share, certainty}) {
  if (share.value == null) return "not known";
  if (certainty === "none") return "nearly 0";
  if (certainty !== "known") return `cannot tell (${percent(share.lo)} to ${percent(share.hi)})`;
  const half = Math.max(share.hi - share.value, share.value - share.lo);
  return half < 5e-4 ? percent(share.value) : `${percent(share.value)} ± ${percent(half)}`;
}

function partMeaning(name, part) {
  const {lo, hi} = part.seconds;
  const interval = lo == null ? "" : `\n95 % interval: ${seconds(lo)} to ${seconds(hi)}`;
  return `${name}: ${PART_MEANING[name]}\n${isTold(part) ? seconds(part.seconds.value) + ", " : ""}${partText(part)}${
      interval}`;
}

// A part that the trace has no replay for is no part of this answer.
const partsIn = (parts) => PARTS.filter(
    (name) => parts[name] && parts[name].share.value != null && !(parts[name].share.value === 0 && !parts[name].share.hi));

const placeOf = (place) => (place.place ? placeName(place.place) : "not known");

// --- places ------------------------------------------------------------------------------------------------------

// The parts that are told and above 0, beside each other; what is left of the bar is not told.
function drawPlaceBar(svg, place, x, y, height) {
  let at = 0;
  svg.append("rect")
      .attr("x", x(0))
      .attr("y", y)
      .attr("width", Math.max(1, x(place.seconds) - x(0)))
      .attr("height", height)
      .style("fill", "none")
      .style("stroke", "var(--soft)");
  for (const name of place.parts ? partsIn(place.parts) : []) {
    const part = place.parts[name];
    if (!isTold(part) || part.seconds.value <= 0) continue;
    const to = Math.min(at + part.seconds.value, place.seconds);
    bar(svg, {x: x(at), y, width: x(to) - x(at), height, colour: PART_COLOUR[name], text: partMeaning(name, part)});
    at = to;
  }
}

// As on the screen: a place may make calls of several shapes.
const placeWords = ({words, shapes, routine}) => (shapes > 1 ? `${routine}, ${plural(shapes, "shape")}` : words);

function placeText(place) {
  const parts = place.parts ?
      partsIn(place.parts).map((name) => `${name} ${partText(place.parts[name])}`) :
      ["not replayed"];
  return [`${placeOf(place)}: ${placeWords(place)}`, ...parts].join("\n");
}

function drawPlaces(box, width, places) {
  const row = 46;
  const x = d3.scaleLinear().domain([0, places[0].seconds]).range([0, width - 100]);
  const svg = svgIn(box, width, places.length * row + 4, "The heaviest places with the parts of their time");
  places.forEach((place, i) => {
    const name = `${placeOf(place)}  ${placeWords(place)}`;
    const text = svg.append("text").attr("x", 0).attr("y", i * row + 14).text(fitted(name, width));
    hover(text.node(), placeText(place));
    drawPlaceBar(svg, place, x, i * row + 20, 16);
    svg.append("text")
        .attr("x", x(place.seconds) + 6)
        .attr("y", i * row + 33)
        .text(`${seconds(place.seconds)}, ${Math.round(100 * place.share)} %`);
  });
}

function drawAnswer(section) {
  const {places} = ANSWER;
  if (places.length === 0) return;
  const used = PARTS.filter(
      (name) => places.some((place) => place.parts && partsIn(place.parts).includes(name) && isTold(place.parts[name])));
  figure(section, {
    id: "places",
    title: `${placeOf(places[0])} takes ${percent(places[0].share)} of the BLAS time: ${placeWords(places[0])}`,
    command: `ktrace ${ANSWER.command} ${traceWords()}`,
    legend: used.map((name) => ({name, colour: PART_COLOUR[name]})),
    note: used.length ?
        "The heaviest places. What is empty of a bar cannot be told: its interval reaches further than 25 % of the bar, or the part is below 0; hovering tells the intervals." :
        "The heaviest places. A replay tells what their time is made of.",
    draw: (box, width) => drawPlaces(box, width, places)
  });
}

// --- the whole, as a waterfall -----------------------------------------------------------------------------------

// Where each part begins and ends: one after the other, as they add up to the time in situ.
function steps(parts) {
  let at = 0;
  return partsIn(parts).map((name) => {
    const part = parts[name];
    const from = at;
    at += part.seconds.value;
    return {name, part, from, to: at, least: from + part.seconds.lo, most: from + part.seconds.hi};
  });
}

function partsTitle(parts) {
  const told = partsIn(parts).filter((name) => parts[name].certainty === "known");
  const [most] = told.sort((a, b) => parts[b].share.value - parts[a].share.value);
  return most ? `${most[0].toUpperCase()}${most.slice(1)}, ${PART_MEANING[most]}, is ${
                    percent(parts[most].share.value)} of the BLAS time` :
                "What the time is made of cannot be told";
}

// A whisker over the interval; of a part that cannot be told it is all there is.
function drawStep(svg, step, x, y, height) {
  const told = isTold(step.part);
  const middle = y + height / 2;
  const text = partMeaning(step.name, step.part);
  const negative = step.to < step.from;
  if (told)
    bar(svg, {
      x: Math.min(x(step.from), x(step.to)),
      y,
      width: Math.max(1, Math.abs(x(step.to) - x(step.from))),
      height,
      colour: PART_COLOUR[step.name],
      hollow: negative,
      text
    });
  if (step.part.share.lo == null) return;
  const line = svg.append("path")
                   .attr("d", `M${x(step.least)},${middle - 4}v8m0,-4H${x(step.most)}m0,-4v8`)
                   .style("fill", "none")
                   .style("stroke", "var(--text)")
                   .style("stroke-width", 1.2)
                   .style("stroke-dasharray", told ? null : "3 3");
  hover(line.node(), text);
}

// What stands in a line: name on the left, value on the right where there is room.
function lineTexts(svg, y, right, width, name, value) {
  svg.append("text").attr("x", 0).attr("y", y + 15).text(name);
  if (right > 100) svg.append("text").attr("x", width - right + 8).attr("y", y + 15).text(value);
}

function drawWaterfall(box, width, parts) {
  const rows = steps(parts);
  const height = 28;
  const left = 82;
  const right = width < 600 ? 12 : 250;
  const whole = ANSWER.seconds;
  const end = rows[rows.length - 1].to;
  const rest = whole - end > 0.005 * whole ? 1 : 0;
  const lines = 1 + rows.length + rest;
  const ends = rows.flatMap((row) => (isTold(row.part) ? [row.from, row.to, row.least, row.most] : [row.from, row.to]));
  const svg = svgIn(box, width, lines * height + 44, "Waterfall of the parts of the time");
  const x = d3.scaleLinear()
                .domain([Math.min(0, ...ends), Math.max(whole, ...ends)])
                .range([left, width - right])
                .clamp(true);
  const wholeBar = (y, from, to, text) =>
      bar(svg, {x: x(from), y, width: x(to) - x(from), height: height - 8, colour: "var(--bar)", text});
  axis(svg, x, {
    side: "bottom",
    at: lines * height + 4,
    title: "seconds of all calls",
    length: width - right,
    ticks: Math.max(2, width / 140)
  });
  wholeBar(4, 0, whole, `in situ: ${seconds(whole)}`);
  lineTexts(svg, 4, right, width, "in situ", seconds(whole));
  rows.forEach((row, i) => {
    const y = (i + 1) * height + 4;
    const value = isTold(row.part) ? seconds(row.part.seconds.value) + ", " : "";
    drawStep(svg, row, x, y, height - 8);
    lineTexts(svg, y, right, width, row.name === "unsplit" ? "rest" : row.name, value + partText(row.part));
  });
  if (rest) {
    const y = (lines - 1) * height + 4;
    wholeBar(y, end, whole, `not replayed: ${seconds(whole - end)}`);
    lineTexts(svg, y, right, width, "not replayed", `${seconds(whole - end)}, ${percent(1 - end / whole)}`);
  }
}

function drawParts(section) {
  const {parts} = ANSWER;
  if (!parts) {
    const command = `ktrace replay ${traceWords()}`;
    section.append(
        el("p", {}, "The trace was not replayed. This tells what the time is made of: ", el("code", {}, command), " ",
           copyButton(command)));
    return;
  }
  const names = partsIn(parts);
  figure(section, {
    id: "waterfall",
    title: partsTitle(parts),
    command: `ktrace roofline --plot waterfall -o waterfall.svg ${traceWords()}`,
    legend: names.map((name) => ({name, colour: PART_COLOUR[name], meaning: PART_MEANING[name]})),
    note: "Parts begin where the one before ends; whiskers are 95 % intervals. A hollow part is below 0: the program was faster than its replay, and what follows begins further left. A dashed whisker alone: cannot be told.",
    draw: (box, width) => drawWaterfall(box, width, parts)
  });
}
