// SPDX-License-Identifier: BSD-3-Clause
// What all parts of the page use. Text of a trace becomes text nodes only, never HTML.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);
const REPORT = DATA.report;

// Okabe and Ito's colours, which the colour-blind tell apart; each part has its own everywhere.
const PART_COLOUR = {
  bound: "#009E73",
  library: "#0072B2",
  cache: "#E69F00",
  contention: "#D55E00",
  machine: "#CC79A7",
  uneven: "#56B4E9",
  residual: "#999999",
  unsplit: "#999999",
};
const PART_MEANING = {
  bound: "what the hardware needs",
  library: "what a better library would win",
  cache: "what operands nearer to the processor would win",
  contention: "what calls of other threads at the same time cost",
  machine: "what the state of the machine cost",
  uneven: "calls that took longer than others like them",
  residual: "all else: new pages, other processes, other data",
  unsplit: "cache and residual together",
};
const PARTS = Object.keys(PART_COLOUR);
const CONTEXT = {
  insitu: {name: "in situ", colour: "var(--text)", symbol: d3.symbolCircle},
  warm: {name: "warm", colour: "#D55E00", symbol: d3.symbolTriangle},
  tracked: {name: "tracked", colour: "#CC79A7", symbol: d3.symbolDiamond},
  cold: {name: "cold", colour: "#56B4E9", symbol: d3.symbolSquare},
};
// Of routines, which are no parts: Tol's light colours.
const ROUTINE_COLOURS =
    ["#77AADD", "#EE8866", "#EEDD88", "#FFAABB", "#99DDFF", "#44BB99", "#BBCC33", "#AAAA00", "#DDDDDD", "#BBBBBB"];

// --- elements ----------------------------------------------------------------------------------------------------

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on"))
      node.addEventListener(key.slice(2), value);
    else if (value === true)
      node.setAttribute(key, "");
    else if (value !== false && value != null)
      node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

function say(text) {
  document.getElementById("said").textContent = text;
}

// Shows TEXT beside NODE while the pointer or the keyboard is on it.
function hover(node, text) {
  const tip = document.getElementById("tip");
  const show = (event) => {
    tip.textContent = typeof text === "function" ? text(event) : text;
    tip.hidden = !tip.textContent;
    const box =
        event.type.startsWith("focus") ? node.getBoundingClientRect() : {left: event.clientX, bottom: event.clientY};
    tip.style.left = Math.max(4, Math.min(box.left + 12, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, Math.min(box.bottom + 12, innerHeight - tip.offsetHeight - 8)) + "px";
  };
  const hide = () => {
    tip.hidden = true;
  };
  node.addEventListener("mousemove", show);
  node.addEventListener("mouseleave", hide);
  node.addEventListener("focus", show);
  node.addEventListener("blur", hide);
  return node;
}

// --- words of the glossary -----------------------------------------------------------------------------------------

const MEANINGS = {};
for (const [words, meaning] of Object.entries(GLOSSARY))
  for (const word of words.split(", ")) MEANINGS[word] = meaning.replace(/`/g, "");
delete MEANINGS.word;
const WORDS =
    new RegExp(`(?<![\\w./-])(${Object.keys(MEANINGS).sort((a, b) => b.length - a.length).join("|")})s?(?![\\w/=-])`);
const explained = new Set();

// The text as nodes; the first time that a word of the glossary comes up on the page, hovering tells its meaning.
function worded(text) {
  const nodes = [];
  for (let found = WORDS.exec(text); found; found = WORDS.exec(text)) {
    const [word, key] = found;
    nodes.push(
        text.slice(0, found.index),
        explained.has(key) ? word : hover(el("abbr", {tabindex: "0"}, word), `${key}: ${MEANINGS[key]}`));
    explained.add(key);
    text = text.slice(found.index + word.length);
  }
  return [...nodes, text];
}

// --- numbers as text ---------------------------------------------------------------------------------------------

function digits(value, least = 0) {
  if (value == null) return "n/a";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(Math.max(2 - size, least), 6));
}

function seconds(value) {
  if (value == null) return "n/a";
  const size = Math.abs(value);
  const [unit, scale] = size >= 1 || size === 0 ? ["s", 1] :
      size >= 1e-3                              ? ["ms", 1e3] :
      size >= 1e-6                              ? ["us", 1e6] :
                                                  ["ns", 1e9];
  return digits(value * scale) + "\u00a0" + unit;
}

const percent = (value) => (value == null ? "n/a" : (100 * value).toFixed(1) + "\u00a0%");
const count = (value) => (value == null ? "n/a" : Math.round(value).toLocaleString("en"));
const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many || one + "s");

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return digits(value) + "\u00a0" + units[unit];
}

const TEXT_OF = {
  seconds,
  share: percent,
  count,
  number: (v) => (v == null ? "n/a" : digits(v)),
  index: (v) => (v == null ? "n/a" : v.toFixed(2)),
  id: (v) => (v == null ? "" : String(v)),
  flag: (v) => (v ? "yes" : "no"),
  text: (v) => (v == null ? "" : String(v)),
};

// --- commands ----------------------------------------------------------------------------------------------------

const quoted = (word) => (/^[\w@%+=:,.\/-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");
const traceWords = () => DATA.trace.map(quoted).join(" ");

function copyButton(command) {
  const copied = () => say("copied: " + command);
  const button =
      el("button", {
        type: "button",
        title: command,
        onclick: () => copyText(command).then(copied, () => say("copying is not allowed here"))
      },
         "Copy command");
  button.setAttribute("aria-label", "Copy command: " + command);
  return button;
}

// Pages of file:// have no clipboard in some browsers.
function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = el("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done ? Promise.resolve() : Promise.reject();
}

// --- figures -----------------------------------------------------------------------------------------------------

const FIGURES = [];

// DRAW(box, width) fills an empty box; it is called again when the width changes.
function figure(section, {id, title, command, note, tools, legend, draw}) {
  const box = el("div", {class: "box"});
  const heading = el("h3", {id: id + "-title"}, title);
  section.append(
      el("figure", {id, "aria-labelledby": id + "-title"},
         el("figcaption", {}, heading, command ? copyButton(command) : null), tools || null,
         legend ? legendOf(legend) : null, box, note ? el("p", {class: "note"}, ...worded(note)) : null));
  const entry = {
    id,
    box,
    width: 0,
    redraw() {
      entry.width = box.clientWidth;
      box.replaceChildren();
      draw(box, Math.max(entry.width, 280));
    }
  };
  FIGURES.push(entry);
  return entry;
}

function legendOf(items) {
  const list = el("ul", {class: "legend"});
  for (const {name, colour, symbol, meaning} of items) {
    const svg = d3.create("svg").attr("width", 14).attr("height", 14).attr("aria-hidden", "true");
    if (symbol)
      svg.append("path").attr("d", symbolPath(symbol, 70)).attr("transform", "translate(7,7)").style("fill", colour);
    else
      svg.append("rect").attr("width", 14).attr("height", 14).style("fill", colour);
    list.append(el("li", {}, svg.node(), ...worded(meaning ? name + ": " + meaning : name)));
  }
  return list;
}

function svgIn(box, width, height, label) {
  return d3.select(box)
      .append("svg")
      .attr("class", "chart")
      .attr("viewBox", `0 0 ${width} ${height}`)
      .attr("height", height)
      .attr("role", "group")
      .attr("aria-label", label);
}

// A rectangle that hovering and the keyboard explain; HOLLOW: only its outline.
function bar(svg, {x, y, width, height, colour, hollow, text}) {
  const rect = svg.append("rect")
                   .attr("x", x)
                   .attr("y", y)
                   .attr("width", width)
                   .attr("height", height)
                   .style("fill", hollow ? "var(--panel)" : colour)
                   .attr("tabindex", 0)
                   .attr("role", "img")
                   .attr("aria-label", text.replace(/\n/g, ", "));
  if (hollow) rect.style("stroke", colour).style("stroke-width", 2.5).style("stroke-dasharray", "4 2");
  hover(rect.node(), text);
}

const symbolPath = (symbol, area) => d3.symbol().type(symbol).size(area)();

// Black or white, whichever is read better on COLOUR.
function inkOn(colour) {
  const c = d3.rgb(colour);
  const linear =
      [c.r, c.g, c.b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return luminance > 0.18 ? "#000000" : "#ffffff";
}

// A text that fits WIDTH pixels, or nothing.
function fitted(text, width) {
  const room = Math.floor((width - 6) / 6.8);
  return room < 3 ? "" : text.length <= room ? text : text.slice(0, room - 1) + "…";
}

// VALUES: where ticks are; otherwise about as many as TICKS.
function axis(svg, scale, {side, at, title, length, format, ticks, values}) {
  const make = side === "bottom" ? d3.axisBottom(scale) : d3.axisLeft(scale);
  if (values)
    make.tickValues(values).tickFormat(format);
  else if (ticks)
    make.ticks(ticks, format);
  else if (format)
    make.tickFormat(format);
  const g = svg.append("g")
                .attr("class", "axis")
                .attr("aria-hidden", "true")
                .attr("transform", side === "bottom" ? `translate(0,${at})` : `translate(${at},0)`)
                .call(make);
  const label = g.append("text").text(title);
  if (side === "bottom") {
    label.attr("x", length).attr("y", 34).attr("text-anchor", "end");
    g.selectAll(".tick").filter((value) => scale(value) > length - 12).select("text").attr("text-anchor", "end");
  } else
    label.attr("x", -at + 4).attr("y", 10).attr("text-anchor", "start");
  return g;
}

// On a logarithmic axis only the ticks at 1, 2 and 5 have room for a text.
const sparse = (format) => (value) =>
    ([1, 2, 5].includes(Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9))) ? format(value) : "");

function leftOut(list) {
  return DATA.left_out.find((entry) => entry.list === list);
}

const sum = (values) => values.reduce((a, b) => a + (b || 0), 0);
