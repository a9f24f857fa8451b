// SPDX-License-Identifier: BSD-3-Clause
// What ktrace explain found by pairs of runs and replays: the parts of the heaviest places, and how certain they are.
"use strict";

const isCertain = (part) => part.certainty === "known";

// "library 41 % (38 to 44 %)" of those that are certain, the largest first.
function certainText(parts) {
  const known = PARTS.filter((name) => parts[name] && isCertain(parts[name]) && parts[name].share.value > 0)
                    .sort((a, b) => parts[b].share.value - parts[a].share.value);
  return known
      .map(
          (name) => `${name} ${percent(parts[name].share.value)} (${percent(parts[name].share.lo)} to ${
              percent(parts[name].share.hi)})`)
      .join(", ");
}

function explainedSentences({decomposition, states}) {
  const unknown = PARTS.filter((name) => decomposition[name] && decomposition[name].certainty === "cannot tell");
  const said = [];
  if (certainText(decomposition))
    said.push(`By ${plural(decomposition.pairs, "pair")} of a run and a replay: ${certainText(decomposition)}.`);
  if (unknown.length)
    said.push(`Cannot tell: ${unknown.join(", ")}.${
        states.repeated ? "" : " That needs runs of the program between the replays."}`);
  return said;
}

// As the stacks of routines have it; intervals in seconds.
function explainedGroup(place) {
  const group = {
    routine: place.words,
    seconds: place.seconds,
    insitu: place.seconds,
    intervals: {},
    doubtful: [],
    where: place.place ? placeName(place.place) : "not known"
  };
  for (const name of PARTS.filter((part) => place.parts[part])) {
    const part = place.parts[name];
    group[name] = part.seconds.value;
    if (!isCertain(part)) group.doubtful.push(name);
    group.intervals[name] = [part.seconds.lo, part.seconds.hi];
  }
  return group;
}

function drawExplained(section) {
  if (!DATA.explain) return;
  const groups = DATA.explain.places.map(explainedGroup).filter((group) => partsIn(group).length > 0);
  if (groups.length === 0) return;
  const used = PARTS.filter((name) => groups.some((group) => group[name]));
  figure(section, {
    id: "explained",
    title: `${groups[0].where}: ${groups[0].routine} takes ${
        percent(groups[0].seconds / DATA.explain.seconds_blas)} of the BLAS time`,
    command: `ktrace explain ${traceWords()}`,
    legend: used.map((name) => ({name, colour: PART_COLOUR[name]})),
    note: "The heaviest places. A hatched part may be nothing: it cannot be told. Parts below 0 are not drawn.",
    draw: (box, width) => drawStacks(
        box, width, groups.map((group) => ({...group, routine: `${group.where.split(" ")[0]} ${group.routine}`})),
        Math.min(260, width / 2.4))
  });
}
