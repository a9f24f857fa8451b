// SPDX-License-Identifier: BSD-3-Clause
// How long the calls of a shape took, and which sizes take the time.
"use strict";

// --- distribution ------------------------------------------------------------------------------------------------

function marksOf(shape) {
  const times = {insitu: shape.insitu, ...(shape.contexts || {})};
  return Object.keys(CONTEXT)
      .filter((key) => times[key] && times[key].median > 0)
      .map((key) => ({key, value: times[key].median}));
}

function timesDomain(times, marks) {
  const values = [times.from, times.to, ...marks.map((mark) => mark.value)];
  return [d3.min(values) * 0.9, d3.max(values) * 1.1];
}

function drawBins(svg, times, x, y, bottom) {
  const step = Math.log(times.to / times.from) / times.counts.length;
  times.counts.forEach((n, i) => {
    if (!n) return;
    const from = times.from * Math.exp(i * step);
    const to = step > 0 ? times.from * Math.exp((i + 1) * step) : from * 1.02;
    const rect = svg.append("rect")
                     .attr("x", x(from))
                     .attr("width", Math.max(1, x(to) - x(from) - 0.5))
                     .attr("y", y(n))
                     .attr("height", bottom - y(n))
                     .style("fill", "var(--bar)");
    hover(rect.node(), `${plural(n, "call")} of ${seconds(from)} to ${seconds(to)}`);
  });
}

// Labels of marks that would touch go on lines of their own.
function markLines(marks, x) {
  const ends = [];
  return [...marks].sort((a, b) => a.value - b.value).map((mark) => {
    const text = `${CONTEXT[mark.key].name} ${seconds(mark.value)}`;
    const at = x(mark.value);
    let line = 0;
    while (ends[line] !== undefined && ends[line] > at - 4) line++;
    ends[line] = at + 12 + text.length * 6.8;
    return {...mark, text, at, line};
  });
}

const markHeight = (mark) => 12 + mark.line * 16;

// Lines first, so that no text is crossed by one.
function drawMarks(svg, marks, bottom, width) {
  for (const mark of marks)
    svg.append("line")
        .attr("class", "on")
        .attr("x1", mark.at)
        .attr("x2", mark.at)
        .attr("y1", markHeight(mark))
        .attr("y2", bottom)
        .style("stroke", CONTEXT[mark.key].colour)
        .style("stroke-width", 2);
  for (const mark of marks) {
    const context = CONTEXT[mark.key];
    const y = markHeight(mark);
    const flip = mark.at + 14 + mark.text.length * 6.8 > width;
    svg.append("path")
        .attr("class", "on")
        .attr("d", symbolPath(context.symbol, 50))
        .attr("transform", `translate(${mark.at},${y})`)
        .style("fill", context.colour);
    svg.append("text")
        .attr("class", "on halo")
        .attr("x", mark.at + (flip ? -8 : 8))
        .attr("text-anchor", flip ? "end" : "start")
        .attr("y", y + 4)
        .text(mark.text);
  }
}

function drawDistribution(box, width, i) {
  const shape = REPORT.shapes[i];
  const times = DATA.times[i];
  if (!times) {
    box.append(el("p", {}, "Of these calls single times are not known."));
    return;
  }
  const marks = marksOf(shape);
  const x = d3.scaleLog().domain(timesDomain(times, marks)).range([48, width - 12]);
  const placed = markLines(marks, x);
  const top = 16 + 16 * (1 + (d3.max(placed, (mark) => mark.line) || 0));
  const bottom = top + 190;
  const svg = svgIn(box, width, bottom + 44, `Times of the calls of ${shapeText(i)}`);
  const y = d3.scaleLinear().domain([0, d3.max(times.counts)]).range([bottom, top]).nice();
  axis(svg, x, {
    side: "bottom",
    at: bottom,
    title: "time of a call",
    length: width - 12,
    ticks: Math.max(2, width / 130),
    format: sparse(seconds)
  });
  const left = axis(svg, y, {side: "left", at: 48, title: "", ticks: 4, format: d3.format("~s")});
  left.select("text:last-child").remove();
  drawBins(svg, times, x, y, bottom);
  drawMarks(svg, placed, bottom, width);
}

function timesTitle(i) {
  const shape = REPORT.shapes[i];
  const {warm, cold} = shape.contexts || {};
  const median = shape.insitu.median;
  if (!warm || !cold) return `Half of the ${plural(shape.calls, "call")} took less than ${seconds(median)}`;
  return `The median in the program is ${digits(median / warm.median)} times the warm and ${
      digits(median / cold.median)} times the cold one`;
}

function drawTimes(section) {
  const known = DATA.times.map((times, i) => (times ? i : -1)).filter((i) => i >= 0);
  if (known.length === 0) {
    section.append(el("p", {}, "No times of single calls are known."));
    return;
  }
  let chosen = known[0];
  const choice =
      el("select", {"aria-label": "Shape"},
         ...known.map((i) => el("option", {value: i}, shapeText(i))));
  const entry = figure(section, {
    id: "distribution",
    title: timesTitle(chosen),
    command: `ktrace roofline --plot boxes -o boxes.svg ${traceWords()}`,
    tools: el("div", {class: "tools"}, el("label", {}, "Shape ", choice)),
    note: `How many calls took how long; marks are medians.` +
        (REPORT.shapes.length > known.length ? ` The ${known.length} heaviest shapes can be chosen.` : ""),
    draw: (box, width) => drawDistribution(box, width, chosen)
  });
  choice.addEventListener("change", () => {
    chosen = Number(choice.value);
    document.getElementById("distribution-title").textContent = timesTitle(chosen);
    entry.redraw();
  });
}

// --- sizes -------------------------------------------------------------------------------------------------------

function sizesOf(shape) {
  const args = Object.fromEntries(Object.entries(shape.args).map(([key, value]) => [key.toLowerCase(), value]));
  const m = args.m || args.n;
  return m > 0 && (args.n || args.m) > 0 ? {m, n: args.n || args.m, k: args.k || null} : null;
}

function sizePoints() {
  return REPORT.shapes.map((shape, i) => ({shape, i, size: sizesOf(shape)}))
      .filter((point) => point.size && point.shape.total > 0);
}

function drawSizeMark(svg, point, x, y, radius) {
  const part = dominantPart(point.shape.parts);
  const text = `${shapeText(point.i)}\nm ${point.size.m}, n ${point.size.n}${
      point.size.k ? ", k " + point.size.k : ""}\n${seconds(point.shape.total)}, ${percent(point.shape.share)}, ${
      plural(point.shape.calls, "call")}${part ? "\nmost of it: " + part : ""}`;
  const mark = svg.append("circle")
                   .attr("cx", x(point.size.m))
                   .attr("cy", y(point.size.n))
                   .attr("r", radius(point.shape.total))
                   .style("fill", part ? PART_COLOUR[part] : "var(--mark)")
                   .style("fill-opacity", 0.55)
                   .style("stroke", "var(--text)")
                   .style("stroke-width", 0.7)
                   .attr("role", "img")
                   .attr("aria-label", text.replace(/\n/g, ", "))
                   .attr("tabindex", point.i < 15 ? 0 : null);
  hover(mark.node(), text);
}

function drawSizePicture(box, width, points) {
  const height = Math.max(300, Math.min(480, width * 0.5));
  const most = Math.max(10, Math.min(50, width / 20));
  const svg = svgIn(box, width, height, "Sizes of the calls: the area of a circle is the time of all calls of a shape");
  const scale = (key, range) =>
      d3.scaleLog()
          .domain([d3.min(points, (p) => p.size[key]) / 2, d3.max(points, (p) => p.size[key]) * 2])
          .range(range);
  const x = scale("m", [56, width - most]);
  const y = scale("n", [height - 44, Math.max(20, most)]);
  const radius = d3.scaleSqrt().domain([0, d3.max(points, (p) => p.shape.total)]).range([2, most]);
  axis(svg, y, {side: "left", at: 48, title: "n", ticks: 6, format: sparse(count)});
  axis(svg, x, {
    side: "bottom",
    at: height - 40,
    title: "m (rows; of vectors their length)",
    length: width - 12,
    ticks: Math.max(2, width / 160),
    format: sparse(count)
  });
  [...points].sort((a, b) => b.shape.total - a.shape.total).forEach((point) => drawSizeMark(svg, point, x, y, radius));
}

function sizesTitle(points) {
  const total = sum(REPORT.shapes.map((shape) => shape.total));
  const small = sum(points.filter(({size}) => Math.max(size.m, size.n) <= 100).map(({shape}) => shape.total));
  return `${percent(small / total)} of the time is in calls with m and n of at most 100`;
}

function drawSizes(section) {
  const points = sizePoints();
  if (points.length === 0) {
    section.append(el("p", {}, "No shape has sizes that can be drawn."));
    return;
  }
  const used = PARTS.filter((part) => points.some((point) => dominantPart(point.shape.parts) === part));
  figure(section, {
    id: "size-map",
    title: sizesTitle(points),
    command: `ktrace report --by shape ${traceWords()}`,
    legend: used.map((name) => ({name: "mostly " + name, colour: PART_COLOUR[name]})),
    note: `The area of a circle is the time of a shape; hovering tells k. ${count(points.length)} of ${
        count(REPORT.shapes.length)} shapes have such sizes.`,
    draw: (box, width) => drawSizePicture(box, width, points)
  });
}
