// What is written around the charts. Text from the data goes in as text, never as markup.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [kind, listener] of Object.entries(value)) node.addEventListener(kind, listener);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function chosenByKey(action) {
  return { click: action, keydown: event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); action(); } } };
}

function severity(event) {
  if (event.severity !== null) return digits(event.severity);
  return event.endless ? "∞" : "–";
}
function rank(event) { return event.severity ?? (event.endless ? Infinity : event.score); }

// A patch of colour with a name: of a term, or of what else is drawn.
function key(colour, text) { return element("span", { class: `key colour-${colour}` }, text); }

function termKey(s, term) {
  const i = s.terms.indexOf(term);
  const node = element("span", { class: "key", title: s.meanings[i] ?? "" }, term);
  node.style.setProperty("--colour", termColours(s)[i] ?? "");
  return node;
}

const DIRECTIONS = { above: "▲ above", below: "▼ below", level: "on it" };

// A hole in the data beside an event may be all that is odd there.
function ran(event) {
  const words = DIRECTIONS[event.direction] ?? "–";
  return event.beside ? element("span", { class: "wraps" }, `${words}, beside ${event.beside}`) : words;
}

const COLUMNS = [
  ["#", "number", (s, e, i) => i + 1, (s, e, i) => i],
  ["Start", "", (s, e) => moment(s, e.x0), (s, e) => e.start],
  ["End", "detail", (s, e) => moment(s, e.xLast), (s, e) => e.end],
  ["Lasts", "detail", duration, (s, e) => e.end - e.start],
  ["Severity", "number", (s, e) => severity(e), (s, e) => rank(e)],
  ["Peak at", "detail", (s, e) => moment(s, e.xPeak), (s, e) => e.peak],
  ["Score", "number detail", (s, e) => digits(e.score), (s, e) => e.score],
  ["Lifted most by", "", (s, e) => e.terms.length ? termKey(s, e.terms[0][0]) : "–", (s, e) => e.terms[0]?.[0] ?? ""],
  ["Value", "number detail", (s, e) => digits(e.value), (s, e) => e.value],
  ["Expected", "number detail", (s, e) => digits(e.expected), (s, e) => e.expected],
  ["Ran", "detail", (s, e) => ran(e), (s, e) => e.direction ?? ""],
];

const ROWS_AT_FIRST = 200;

function eventTable(s, order, everything, chosen, choose, sort) {
  const head = heads(COLUMNS, order, sort);
  const key = COLUMNS[order.column][3];
  const keyed = sorted(s.events.map((event, i) => [key(s, event, i), event, i]), order);
  const rows = keyed.slice(0, everything ? keyed.length : ROWS_AT_FIRST).map(([, event, i]) => element("tr", {
    tabindex: 0, "data-event": i, class: i === chosen ? "chosen" : "", title: "Show this event", on: chosenByKey(() => choose(i)),
  }, ...COLUMNS.map(([, kind, cell]) => element("td", { class: kind }, cell(s, event, i)))));
  return { head, rows };
}

// The first line of a table whose columns can be sorted by.
function heads(columns, order, sort) {
  return element("tr", {}, ...columns.map(([title, kind], i) => element("th", {
    class: kind, scope: "col", tabindex: 0, "aria-sort": order.column !== i ? "none" : order.down ? "descending" : "ascending",
    on: chosenByKey(() => sort(i)),
  }, order.column === i ? `${title} ${order.down ? "↓" : "↑"}` : title)));
}

// [key, thing, place], by their keys; in the order they had where those are equal.
function sorted(keyed, order) {
  return keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (order.down ? -1 : 1) || a[2] - b[2]);
}

const CHOICES = [
  ["Series", "", s => s.name, (s, i) => i],
  ["Steps", "number detail", s => whole(s.length), s => s.length],
  ["Events", "number", s => whole(s.events), s => s.events],
  ["Worst severity", "number", s => digits(s.worst), s => s.worst ?? (s.events ? Infinity : -1)],
];

function seriesTable(all, order, wanted, chosen, choose, sort) {
  const key = CHOICES[order.column][3];
  const found = all.map((s, i) => [key(s, i), s, i]).filter(([, s]) => s.name.toLowerCase().includes(wanted));
  const rows = sorted(found, order).map(([, s, i]) => element("tr", {
    tabindex: 0, "data-series": i, class: i === chosen ? "chosen" : "", on: chosenByKey(() => choose(i)),
  }, ...CHOICES.map(([, kind, cell]) => element("td", { class: kind }, cell(s)))));
  return { head: heads(CHOICES, order, sort), rows };
}

function pairs(table, entries) {
  const rows = entries.map(([name, value]) => element("tr", {}, element("td", {}, name), element("td", {}, value)));
  table.querySelector("tbody").replaceChildren(...rows);
}

function fact(value, name, alarm) {
  return element("div", { class: alarm ? "fact alarm" : "fact" }, element("b", {}, value), element("span", {}, name));
}

function facts(s) {
  const worst = s.events.reduce((best, event) => best === null || rank(event) > rank(best) ? event : best, null);
  const covered = s.events.reduce((sum, event) => sum + event.end - event.start, 0);
  return [
    fact(whole(s.length), s.axis === "row" ? "steps" : `steps, ${moment(s, s.from)} to ${moment(s, s.last)}`),
    fact(whole(s.events.length), s.events.length ? `event${s.events.length === 1 ? "" : "s"}, ${digits(Math.round(1e4 * covered / s.length) / 100)} % of the steps` : "events: nothing stands out", s.events.length > 0),
    fact(worst ? severity(worst) : "–", worst ? `worst severity (1 is the threshold), ${moment(s, worst.xPeak)}` : "worst severity"),
    fact(digits(s.threshold), s.rule ? `threshold: ${s.rule}` : "threshold"),
    fact(s.train ? whole(s.trainSteps) : "all", s.train ? "steps taken as normal" : "steps compared with one another"),
  ];
}

function legend(s) {
  const keys = [["series", s.name], ["expected", "expected"], ["event", "event"]];
  if (s.train !== null) keys.push(["train", "taken as normal"]);
  if (s.labels.length) keys.push(["label", "labelled"]);
  if (s.flags.length) keys.push(["flag", "filled or flagged"]);
  return [...keys.map(([colour, text]) => key(colour, text)), ...s.terms.map(term => termKey(s, term))];
}

const SVG = "http://www.w3.org/2000/svg";

function bar(from, to, colour, threshold) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 14");
  svg.setAttribute("preserveAspectRatio", "none");
  const rect = document.createElementNS(SVG, "rect");
  rect.style.fill = colour;
  rect.setAttribute("x", Math.min(from, to));
  rect.setAttribute("width", Math.max(Math.abs(to - from), 0.4));
  rect.setAttribute("height", 14);
  svg.append(rect);
  if (threshold !== undefined) {
    const line = document.createElementNS(SVG, "line");
    for (const [name, value] of [["x1", threshold], ["x2", threshold], ["y1", 0], ["y2", 14]]) line.setAttribute(name, value);
    svg.append(line);
  }
  return element("div", { class: "track" }, svg);
}

// The score at the peak as a sum: each term starts where the one before it ended.
function receipt(s, event, number) {
  const stops = event.terms.reduce((all, [, part]) => [...all, all[all.length - 1] + part], [0]);
  const low = Math.min(0, ...stops), high = Math.max(s.threshold ?? 0, ...stops);
  const place = value => (value - low) / (high - low || 1) * 100;
  const parts = event.terms.flatMap(([term, part], i) => part === 0 ? [] : [
    termKey(s, term), bar(place(stops[i]), place(stops[i + 1]), termColours(s)[s.terms.indexOf(term)]),
    element("span", {}, digits(part)), element("span", { class: "quiet" }, s.meanings[s.terms.indexOf(term)]),
  ]);
  const total = [element("span", { class: "total" }, "score"), bar(place(0), place(event.score), "var(--event)", place(s.threshold ?? 0)), element("span", { class: "total" }, digits(event.score)), element("span", {}, "")];
  const reasons = [];
  if (event.value !== null) reasons.push(`The value was ${digits(event.value)}; ${digits(event.expected)} would have been normal.`);
  if (Number.isFinite(s.threshold)) reasons.push(`The threshold (dashed) is ${digits(s.threshold)}.`);
  if (event.returns) reasons.push(`Normal data shows such a score no more than about once in ${whole(event.returns)} steps.`);
  return [
    element("h2", {}, `Why event ${number + 1}: the score at ${moment(s, event.xPeak)}, taken apart`),
    element("div", { class: "sum" }, ...parts, ...total), element("p", {}, reasons.join(" ")),
  ];
}
