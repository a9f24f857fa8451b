// SPDX-License-Identifier: BSD-3-Clause
// When each thread was in BLAS and LAPACK. The file has bins of equal length: how busy, and with what most.
"use strict";

const LANE = 26;
const TIMELINE = {
  from: 0,
  to: 1,
  canvas: null,
  width: 0
};
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const timelineNames = () => [...DATA.timeline.routines, "other routines"];

// Ranks and processes stand together, each with its threads.
function sortLanes() {
  DATA.timeline.lanes.sort((a, b) => (a.rank || 0) - (b.rank || 0) || a.pid - b.pid || a.tid - b.tid);
}

function laneName(lane, i) {
  const before = i > 0 ? DATA.timeline.lanes[i - 1] : null;
  if (before && before.pid === lane.pid && before.rank === lane.rank) return `- ${lane.tid}`;
  return lane.rank ? `rank ${lane.rank}` : DATA.timeline.lanes.length === 1 ? "thread" : `${lane.tid}`;
}

// The busiest bin of each pixel stands for it, so that short bursts do not vanish.
function laneCells(lane, width) {
  const {bins} = DATA.timeline;
  return d3.range(width).map((pixel) => {
    const first = Math.floor((TIMELINE.from + ((TIMELINE.to - TIMELINE.from) * pixel) / width) * bins);
    const last =
        Math.max(first, Math.ceil((TIMELINE.from + ((TIMELINE.to - TIMELINE.from) * (pixel + 1)) / width) * bins) - 1);
    const range = d3.range(first, Math.min(last, bins - 1) + 1);
    const values = range.map((bin) => DIGITS.indexOf(lane.busy[bin]));
    const most = values.indexOf(d3.max(values));
    return {busy: d3.mean(values) / 63, routine: DIGITS.indexOf(lane.routine[range[most]])};
  });
}

function paintTimeline() {
  const {canvas, width, left} = TIMELINE;
  const ratio = window.devicePixelRatio || 1;
  const style = getComputedStyle(document.documentElement);
  const {lanes} = DATA.timeline;
  canvas.width = width * ratio;
  canvas.height = lanes.length * LANE * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  lanes.forEach((lane, i) => {
    context.fillStyle = style.getPropertyValue("--node");
    context.fillRect(left, i * LANE + 2, width - left, LANE - 4);
    laneCells(lane, Math.floor(width - left)).forEach((cell, pixel) => {
      const height = (LANE - 4) * cell.busy;
      context.fillStyle = ROUTINE_COLOURS[cell.routine % ROUTINE_COLOURS.length];
      context.fillRect(left + pixel, i * LANE + LANE - 2 - height, 1, height);
    });
    context.fillStyle = style.getPropertyValue("--text");
    context.font = "12px sans-serif";
    context.fillText(fitted(laneName(lane, i), left + 10), 0, i * LANE + 17);
  });
}

function timelineText(event) {
  const {canvas, left, width} = TIMELINE;
  const box = canvas.getBoundingClientRect();
  const {lanes, bins, seconds: all} = DATA.timeline;
  const lane = lanes[Math.floor((event.clientY - box.top) / LANE)];
  const part = (event.clientX - box.left - left) / (width - left);
  if (!lane || !(part >= 0 && part < 1)) return `${plural(lanes.length, "thread")}, ${seconds(all)}`;
  const bin = Math.min(bins - 1, Math.floor((TIMELINE.from + (TIMELINE.to - TIMELINE.from) * part) * bins));
  const busy = DIGITS.indexOf(lane.busy[bin]) / 63;
  const what = busy > 0 ? `, most of it ${timelineNames()[DIGITS.indexOf(lane.routine[bin])]}` : "";
  return `process ${lane.pid}, thread ${lane.tid}${lane.rank ? ", rank " + lane.rank : ""}\n${
      seconds((bin * all) / bins)} to ${seconds(((bin + 1) * all) / bins)}\nin BLAS ${percent(busy)} of that${what}`;
}

// Keeps the window within the whole, and no narrower than eight bins.
function showWindow(from, to) {
  const least = 8 / DATA.timeline.bins;
  const length = Math.min(1, Math.max(least, to - from));
  TIMELINE.from = Math.min(Math.max(0, from), 1 - length);
  TIMELINE.to = TIMELINE.from + length;
  TIMELINE.entry.redraw();
}

function zoomTimeline(factor, at = (TIMELINE.from + TIMELINE.to) / 2) {
  showWindow(at - (at - TIMELINE.from) * factor, at + (TIMELINE.to - at) * factor);
}

function timelineKey(event) {
  const step = (TIMELINE.to - TIMELINE.from) / 4;
  const move = {ArrowLeft: -step, ArrowRight: step}[event.key];
  if (move)
    showWindow(TIMELINE.from + move, TIMELINE.to + move);
  else if (event.key === "+")
    zoomTimeline(0.5);
  else if (event.key === "-")
    zoomTimeline(2);
  else
    return;
  event.preventDefault();
  TIMELINE.canvas.focus();
}

// A drag over the picture shows what it covers.
function dragTimeline(canvas) {
  let start = null;
  const partOf = (event) => {
    const box = canvas.getBoundingClientRect();
    const part =
        Math.min(1, Math.max(0, (event.clientX - box.left - TIMELINE.left) / (TIMELINE.width - TIMELINE.left)));
    return TIMELINE.from + (TIMELINE.to - TIMELINE.from) * part;
  };
  canvas.addEventListener("mousedown", (event) => {
    start = partOf(event);
  });
  canvas.addEventListener("mouseup", (event) => {
    const end = partOf(event);
    if (start !== null && Math.abs(end - start) > (TIMELINE.to - TIMELINE.from) / 100)
      showWindow(Math.min(start, end), Math.max(start, end));
    start = null;
  });
}

function drawTimelinePicture(box, width) {
  const {lanes, seconds: all} = DATA.timeline;
  const canvas = el("canvas", {
    tabindex: "0",
    role: "img",
    "aria-label":
        `Time line of ${plural(lanes.length, "thread")} over ${seconds(all)}. Plus and minus zoom, arrows move.`,
    onkeydown: timelineKey
  });
  canvas.style.height = lanes.length * LANE + "px";
  Object.assign(TIMELINE, {canvas, width, left: 64});
  box.append(canvas);
  paintTimeline();
  hover(canvas, timelineText);
  dragTimeline(canvas);
  const x = d3.scaleLinear().domain([TIMELINE.from * all, TIMELINE.to * all]).range([TIMELINE.left, width - 1]);
  const svg = svgIn(box, width, 42, "Seconds since the recording began");
  axis(svg, x, {
    side: "bottom",
    at: 2,
    title: "seconds since the recording began",
    length: width,
    ticks: Math.max(2, width / 120)
  });
}

function timelineTitle() {
  const {lanes, seconds: all} = DATA.timeline;
  const shares = lanes.map((lane) => lane.seconds / all);
  return lanes.length === 1 ?
      `The thread was in BLAS for ${percent(shares[0])} of the time` :
      `Threads were in BLAS for ${percent(d3.min(shares))} to ${percent(d3.max(shares))} of the time`;
}

function drawTimeline(section) {
  if (!DATA.timeline) {
    section.append(el(
        "p", {},
        "Single calls were not recorded (KTRACE_MODE=profile), or there are none: when they were made is not known."));
    return;
  }
  sortLanes();
  const tools =
      el("div", {class: "tools"}, el("button", {type: "button", onclick: () => zoomTimeline(0.5)}, "Zoom in"),
         el("button", {type: "button", onclick: () => zoomTimeline(2)}, "Zoom out"),
         el("button", {type: "button", onclick: () => showWindow(0, 1)}, "Whole"));
  const used =
      timelineNames()
          .map((name, i) => ({name, colour: ROUTINE_COLOURS[i], digit: DIGITS[i]}))
          .filter(({digit}) => DATA.timeline.lanes.some((lane) => lane.routine.includes(digit) && lane.seconds > 0));
  const cut = leftOut("timeline");
  TIMELINE.entry = figure(section, {
    id: "timeline-figure",
    title: timelineTitle(),
    command: `ktrace export -o timeline.json --format perfetto ${traceWords()}`,
    tools,
    legend: used,
    note: `Height: how much of a bin of ${
              seconds(
                  DATA.timeline.seconds /
                  DATA.timeline.bins)} the thread was in BLAS; colour: in which routine most. A drag zooms.` +
        (cut ? ` The ${cut.rows} busiest of ${count(cut.of)} threads.` : ""),
    draw: drawTimelinePicture
  });
}
