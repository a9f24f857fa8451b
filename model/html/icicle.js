// SPDX-License-Identifier: BSD-3-Clause
// Lines, routines and shapes as an icicle: the width of a box is its time, and what stands below it is part of it.
"use strict";

const ROW = 24;
const ICICLE = {
  root: null,
  focus: null,
  word: "",
  box: null,
  width: 0
};

// The largest part, where that is told.
const dominantPart = (parts) => (parts ? parts.dominant : null);

// "dgemv T 1000x1000"; of those that are left out their number.
const shapeText = (i) => (i < REPORT.shapes.length ? REPORT.shapes[i].words : `shape ${i + 1}`);

// --- the tree ----------------------------------------------------------------------------------------------------

function placeName(node) {
  if (node.routine) return node.routine;
  if (node.file) return `${baseName(node.file)}:${node.line}${node.function ? " " + node.function : ""}`;
  return `${node.function || "+0x" + Number(node.offset || 0).toString(16)}${
      node.object ? " in " + baseName(node.object) : ""}`;
}

function routineParts(routine) {
  const groups = REPORT.decomposition ? REPORT.decomposition.routines : [];
  return dominantPart(groups.find((group) => group.routine === routine));
}

function pathNode(node) {
  const children = (node.children || []).map(pathNode);
  return {
    name: placeName(node),
    title: node.file || node.object || "",
    kind: node.routine ? "routine" : "place",
    seconds: node.seconds,
    calls: node.calls,
    part: node.routine ? routineParts(node.routine) : null,
    children
  };
}

function shapeNode([, routine, shape, calls, time]) {
  const row = REPORT.shapes[shape];
  return {
    name: shapeText(shape),
    title: `${routine}, shape ${shape + 1}`,
    kind: "shape",
    seconds: time,
    calls,
    part: row ? dominantPart(row.parts) : null,
    children: []
  };
}

function groupNode(name, kind, children) {
  return {
    name,
    title: "",
    kind,
    seconds: sum(children.map((c) => c.seconds)),
    calls: sum(children.map((c) => c.calls)),
    part: kind === "routine" ? routineParts(name) : null,
    children
  };
}

// Without call paths: place, routine, shape.
function callNodes() {
  const places = d3.nest().key((row) => row[0]).key((row) => row[1]).entries(DATA.calls_from);
  return places.map(
      (place) => groupNode(
          place.key || "not known", "place",
          place.values.map((routine) => groupNode(routine.key, "routine", routine.values.map(shapeNode)))));
}

function icicleTree() {
  const children = REPORT.paths.length ? REPORT.paths.map(pathNode) : callNodes();
  const all = groupNode("all BLAS and LAPACK calls", "all", children);
  const own = (node) => Math.max(0, (node.seconds || 0) - sum(node.children.map((child) => child.seconds)));
  const root = d3.hierarchy(all).sum(own).sort((a, b) => b.value - a.value);
  return d3.partition()(root);
}

// --- drawing -----------------------------------------------------------------------------------------------------

function nodeColour({data}) {
  if (data.part) return PART_COLOUR[data.part];
  return data.kind === "place" || data.kind === "all" ? "var(--node)" : "var(--bar)";
}

function nodeText(node) {
  const {data} = node;
  const part = data.part ? `\nmost of it: ${data.part}` : "";
  return `${data.name}${data.title ? "\n" + data.title : ""}\n${seconds(data.seconds)}, ${
      percent(node.value / ICICLE.root.value)} of the BLAS time\n${plural(data.calls, "call")}${part}`;
}

const matches = (node) =>
    ICICLE.word !== "" && `${node.data.name} ${node.data.title}`.toLowerCase().includes(ICICLE.word);

function zoomTo(node) {
  ICICLE.focus = node;
  drawBoxes();
  say(`${node.data.name}: ${seconds(node.data.seconds)}`);
}

function visibleNodes(scale) {
  const {focus, root} = ICICLE;
  return root.descendants().filter(
      (node) => node.x1 > focus.x0 + 1e-12 && node.x0 < focus.x1 - 1e-12 && scale(node.x1) - scale(node.x0) >= 1);
}

function drawBox(g, node, scale) {
  const x = Math.max(0, scale(node.x0));
  const width = Math.min(ICICLE.width, scale(node.x1)) - x;
  const colour = nodeColour(node);
  const box = g.append("g")
                  .attr("transform", `translate(${x},${node.depth * ROW})`)
                  .style("opacity", ICICLE.word && !matches(node) ? 0.35 : 1);
  const rect = box.append("rect").attr("width", Math.max(0.5, width - 1)).attr("height", ROW - 2).style("fill", colour);
  if (matches(node)) rect.style("stroke", "var(--mark)").style("stroke-width", 2);
  if (width > 20) {
    rect.attr("tabindex", 0)
        .attr("role", "button")
        .attr("aria-label", nodeText(node).replace(/\n/g, ", "))
        .on("keydown", () => {
          if (["Enter", " "].includes(d3.event.key)) {
            d3.event.preventDefault();
            zoomTo(node);
          }
        });
    box.append("text")
        .attr("class", "on")
        .attr("x", 4)
        .attr("y", 16)
        .attr("aria-hidden", "true")
        .text(fitted(node.data.name, width))
        .style("fill", colour[0] === "#" ? inkOn(colour) : "var(--text)");
  }
  rect.on("click", () => zoomTo(node));
  hover(rect.node(), nodeText(node));
}

function drawBoxes() {
  const {box, width, root, focus} = ICICLE;
  box.replaceChildren();
  const scale = d3.scaleLinear().domain([focus.x0, focus.x1]).range([0, width]);
  const nodes = visibleNodes(scale);
  const depth = d3.max(nodes, (node) => node.depth) || 0;
  const svg = svgIn(
      box, width, (depth + 1) * ROW,
      "Icicle of lines, routines and shapes; each box is a button that makes it as wide as the figure");
  nodes.forEach((node) => drawBox(svg, node, scale));
  ICICLE.drawn = nodes.length;
  return root;
}

// Time below matching boxes, each counted once.
function matchedTime(node) {
  return matches(node) ? node.value : sum((node.children || []).map(matchedTime));
}

function search(word, told) {
  ICICLE.word = word.trim().toLowerCase();
  drawBoxes();
  ICICLE.matched = ICICLE.word ? matchedTime(ICICLE.root) : 0;
  told.textContent = ICICLE.word ? `${percent(ICICLE.matched / ICICLE.root.value)} of the BLAS time matches` : "";
}

function icicleTitle() {
  const [first] = ICICLE.root.children || [];
  return first ? `${first.data.name} takes ${percent(first.value / ICICLE.root.value)} of the BLAS time` : "";
}

function drawIcicle(section) {
  ICICLE.root = icicleTree();
  ICICLE.focus = ICICLE.root;
  if (!(ICICLE.root.value > 0)) {
    section.append(el("p", {}, "No call returned, so there is no time to show."));
    return;
  }
  const told = el("span", {class: "note", role: "status"});
  const field = el("input", {
    type: "search",
    placeholder: "search",
    "aria-label": "Search the icicle",
    oninput: (event) => search(event.target.value, told)
  });
  const used = new Set(ICICLE.root.descendants().map((node) => node.data.part));
  const paths = REPORT.paths.length > 0;
  ICICLE.search = (word) => search(word, told);
  figure(section, {
    id: "icicle",
    title: icicleTitle(),
    command: `ktrace report --by ${paths ? "path" : "line"} ${traceWords()}`,
    tools:
        el("div", {class: "tools"}, field, el("button", {type: "button", onclick: () => zoomTo(ICICLE.root)}, "Whole"),
           told),
    legend: PARTS.filter((part) => used.has(part)).map((name) => ({name: "mostly " + name, colour: PART_COLOUR[name]})),
    note: `${
              paths ? "Call paths, then routines." :
                      "Lines, then routines, then shapes."} Width is time; a click or Enter zooms in.` +
        cutText(paths ? "paths" : "calls_from"),
    draw: (box, width) => {
      Object.assign(ICICLE, {box, width});
      drawBoxes();
    }
  });
}

function cutText(list) {
  const cut = leftOut(list);
  return cut ? ` ${count(cut.of - cut.rows)} of ${count(cut.of)} boxes that take least are left out.` : "";
}
