// SPDX-License-Identifier: BSD-3-Clause
// Shapes under the roofs of the machine.
"use strict";

const isSingle = (routine) => /^(s|c|is|ic|scn|sca)/.test(routine);

// A point for each context of a shape: operations and bytes of a call over the median of its times.
function pointsOf(shape, i) {
  if (!(shape.flops > 0) || !(shape.bytes > 0)) return [];
  const times = {insitu: shape.insitu, ...(shape.contexts || {})};
  return Object.keys(CONTEXT)
      .filter((context) => times[context] && times[context].median > 0)
      .map((context) => ({
             shape,
             i,
             context,
             x: shape.flops / shape.bytes,
             y: shape.flops / times[context].median,
             time: times[context].median
           }));
}

const threadsOfLibrary = () => Math.max(1, ...DATA.info.libraries.map((library) => library.threads || 1));

// Those of as many cores as a call had; of one core where no others are known.
function mainRoofs() {
  const roofs = (DATA.roofs || []).filter((roof) => roof.per_second > 0 && (roof.main || /random/.test(roof.name)));
  const cores = roofs.some((roof) => roof.cores === threadsOfLibrary()) ? threadsOfLibrary() : 1;
  return roofs.filter((roof) => roof.cores === cores);
}

function rooflineLimit(roofs, single, intensity) {
  const peak = roofs.find((roof) => roof.kind === "flops" && roof.single === single && roof.main);
  const memory = roofs.find((roof) => roof.kind === "bytes" && roof.level === "memory" && roof.main);
  return peak && memory ? Math.min(peak.per_second, memory.per_second * intensity) : null;
}

function pointText(point, roofs) {
  const limit = rooflineLimit(roofs, isSingle(point.shape.routine), point.x);
  return `${shapeText(point.i)}\n${CONTEXT[point.context].name}: ${seconds(point.time)}, ${
             digits(point.y / 1e9)} Gflop/s at ${digits(point.x)} flop/byte\n` +
      `${plural(point.shape.calls, "call")}, ${percent(point.shape.share)} of the BLAS time${
             limit ? `\n${percent(point.y / limit)} of what memory and peak allow` : ""}`;
}

// A roof that is no more than its label apart from another one goes without.
function roofLabels(roofs, x, y) {
  const placed = [];
  return roofs
      .map((roof) => {
        const right = x.domain()[1];
        const at = roof.kind === "flops" ?
            {x: x.range()[1] - 2, y: y(roof.per_second) - 4, anchor: "end"} :
            {x: x.range()[0] + 6, y: y(roof.per_second * x.domain()[0]) + 12, anchor: "start"};
        const free = at.y > y.range()[1] + 6 && at.y < y.range()[0] &&
            placed.every((other) => other.anchor !== at.anchor || Math.abs(other.y - at.y) > 14) && right > 0;
        if (free) placed.push(at);
        return free ? {
          ...at,
          text: `${roof.name}: ${digits(roof.per_second / 1e9)} ${roof.kind === "flops" ? "Gflop/s" : "GB/s"}`
        } :
                      null;
      })
      .filter(Boolean);
}

function drawRoofs(svg, roofs, x, y) {
  const top = d3.max(roofs.filter((roof) => roof.kind === "flops"), (roof) => roof.per_second) || y.domain()[1];
  // Others are above the peak at all intensities of the picture.
  const seen = roofs.filter((roof) => roof.kind === "flops" || roof.per_second * x.domain()[0] < top);
  for (const roof of seen) {
    const ends = roof.kind === "flops" ? x.domain().map((v) => [v, roof.per_second]) : [
      [x.domain()[0], roof.per_second * x.domain()[0]],
      [Math.min(x.domain()[1], top / roof.per_second), Math.min(top, roof.per_second * x.domain()[1])]
    ];
    svg.append("path")
        .attr("class", "on")
        .attr("clip-path", "url(#roof-clip)")
        .attr("d", d3.line().x((p) => x(p[0])).y((p) => y(p[1]))(ends))
        .style("fill", "none")
        .style("stroke", "var(--soft)")
        .style("stroke-width", roof.main ? 1.5 : 1)
        .style("stroke-dasharray", roof.main ? null : "4 3");
  }
  for (const label of roofLabels(seen, x, y))
    svg.append("text")
        .attr("class", "on halo")
        .attr("x", label.x)
        .attr("y", label.y)
        .attr("text-anchor", label.anchor)
        .text(label.text);
}

function drawPoint(svg, point, x, y, roofs) {
  const context = CONTEXT[point.context];
  const area = 40 + 500 * (point.shape.share || 0);
  const mark = svg.append("path")
                   .attr("d", symbolPath(context.symbol, area))
                   .attr("transform", `translate(${x(point.x)},${y(point.y)})`)
                   .style("fill", context.colour)
                   .style("fill-opacity", 0.75)
                   .style("stroke", "var(--panel)")
                   .attr("role", "img")
                   .attr("aria-label", pointText(point, roofs).replace(/\n/g, ", "))
                   .attr("tabindex", point.context === "insitu" && point.i < 15 ? 0 : null);
  hover(mark.node(), pointText(point, roofs));
}

// Shapes that take less would stretch the axes and tell little.
const ROOF_SHAPES = 25;
const ROOF_SHARE = 0.002;

function drawRoofPicture(box, width, points, roofs) {
  const height = Math.max(320, Math.min(520, width * 0.55));
  const svg = svgIn(box, width, height, "Roofline: operations a second over operations a byte");
  const rates = points.map((point) => point.y)
                    .concat(roofs.filter((roof) => roof.kind === "flops" && roof.main).map((roof) => roof.per_second));
  const x =
      d3.scaleLog().domain([d3.min(points, (p) => p.x) / 2, d3.max(points, (p) => p.x) * 2]).range([56, width - 10]);
  const y = d3.scaleLog().domain([d3.min(points, (p) => p.y) / 2, d3.max(rates) * 2]).range([height - 44, 18]);
  svg.append("clipPath")
      .attr("id", "roof-clip")
      .append("rect")
      .attr("x", 56)
      .attr("y", 18)
      .attr("width", width - 66)
      .attr("height", height - 62);
  const powers =
      d3.range(Math.ceil(Math.log10(y.domain()[0])), Math.log10(y.domain()[1]) + 1e-9).map((power) => 10 ** power);
  const g = axis(svg, y, {side: "left", at: 56, title: "Gflop/s"});
  g.call(d3.axisLeft(y).tickValues(powers).tickFormat((v) => d3.format("~g")(v / 1e9)));
  axis(svg, x, {
    side: "bottom",
    at: height - 44,
    title: "flop/byte of operands",
    length: width - 10,
    ticks: Math.max(2, width / 160),
    format: sparse(d3.format("~g"))
  });
  drawRoofs(svg, roofs, x, y);
  d3.range(points.length - 1, -1, -1).forEach((i) => drawPoint(svg, points[i], x, y, roofs));
}

function rooflineTitle(points, roofs) {
  const first = points.find((point) => point.context === "insitu");
  const limit = first ? rooflineLimit(roofs, isSingle(first.shape.routine), first.x) : null;
  if (!limit) return "Operations a second over operations a byte";
  const name = `The heaviest shape, ${shapeText(first.i)},`;
  return first.y > limit ? `${name} is above the roof of memory: caches held its operands` :
                           `${name} reaches ${percent(first.y / limit)} of what memory and peak allow`;
}

function drawRoofline(section) {
  const shapes = REPORT.shapes.slice(0, ROOF_SHAPES).filter((shape) => shape.share >= ROOF_SHARE);
  const points = shapes.flatMap(pointsOf);
  const roofs = mainRoofs();
  if (points.length === 0) {
    section.append(el("p", {}, "No shape has a known number of operations, so there is nothing to put under a roof."));
    return;
  }
  const known = roofs.length ? "" : " The machine's peaks are not known: ktrace probe, or a replay, measures them.";
  const contexts = Object.entries(CONTEXT).filter(([key]) => points.some((point) => point.context === key));
  figure(section, {
    id: "roofs",
    title: rooflineTitle(points, roofs),
    command: `ktrace roofline -o roofline.svg ${traceWords()}`,
    legend: contexts.map(([, context]) => context),
    note: `The ${count(shapes.length)} heaviest of ${
        plural(
            REPORT.shapes.length,
            "shape")}, as far as their operations are known; the area of a mark grows with its part of the time. Bytes are those of the operands.${
        known}`,
    draw: (box, width) => drawRoofPicture(box, width, points, roofs)
  });
}
