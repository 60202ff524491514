"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const NS = "http://www.w3.org/2000/svg";

function element(name, attributes, parent) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.append(made);
  return made;
}

for (const table of document.querySelectorAll("table.sortable")) {
  const counted = [...table.tHead.rows[0].cells].findIndex((head) => head.textContent === "n");
  for (const row of table.tBodies[0].rows) row.classList.toggle("absent", row.cells[counted]?.dataset.value === "0");
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(table, head, column));
  });
}

function sort(table, head, column) {
  const down = head.getAttribute("aria-sort") !== "descending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => row.cells[column].dataset.value;
  const rows = [...table.tBodies[0].rows].sort((one, two) => {
    const [a, b] = [key(one), key(two)];
    if (a === "" || b === "") return (a === "") - (b === "");
    const gap = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
    return down ? -gap : gap;
  });
  table.tBodies[0].append(...rows);
}

// One track: the lowest and highest value of each bin as a filled band, anomalies shaded, the training part marked.
function track(title, series, band, colour) {
  const holder = document.createElement("div");
  holder.className = "track";
  const label = document.createElement("div");
  label.textContent = title;
  const picture = element("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", role: "img", "aria-label": title });
  for (const [from, to] of series.labels) {
    element("rect", { x: 1000 * from, y: 0, width: Math.max(1000 * (to - from), 1.5), height: 100, fill: "#f6d5c9" }, picture);
  }
  if (series.train > 0) {
    element("line", { x1: 1000 * series.train, x2: 1000 * series.train, y1: 0, y2: 100, stroke: "#9aa5b1", "stroke-dasharray": "4 3" }, picture);
  }
  const [low, high] = band, count = low.length, at = (i) => (1000 * (i + 0.5)) / count;
  const up = high.map((value, i) => `${at(i).toFixed(1)},${(98 - value * 0.096).toFixed(1)}`);
  const down = low.map((value, i) => `${at(i).toFixed(1)},${(98 - value * 0.096).toFixed(1)}`).reverse();
  element("polygon", { points: [...up, ...down].join(" "), fill: colour, stroke: colour, "stroke-width": 0.8, "vector-effect": "non-scaling-stroke" }, picture);
  holder.append(label, picture);
  return holder;
}

const chooser = document.getElementById("series");
const boxes = document.getElementById("detectors");
const tracks = document.getElementById("tracks");
const order = document.getElementById("order");

// Where the chosen detector fares worst comes first; series it has no value for come last.
function list() {
  const by = order.value, worth = (series) => series.scores[by]?.value ?? Infinity;
  const places = data.series.map((_, i) => i);
  if (by !== "") places.sort((one, two) => worth(data.series[one]) - worth(data.series[two]) || one - two);
  const told = (i) => (by === "" ? "" : ` (${data.series[i].scores[by]?.told ?? "none"})`);
  chooser.replaceChildren(...places.map((i) => new Option(data.series[i].name + told(i), i)));
}
data.detectors.forEach((name, i) => order.add(new Option(`${name}, worst first`, i)));
order.addEventListener("change", () => { list(); show(); });
list();
data.detectors.forEach((name, i) => {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.value = i;
  box.checked = i < 6;
  box.addEventListener("change", show);
  label.append(box, ` ${name}`);
  boxes.append(label);
});
chooser.addEventListener("change", show);

function line(words) {
  const made = document.createElement("div");
  made.textContent = words;
  return made;
}

function show() {
  const series = data.series[chooser.value];
  if (!series) return;
  const told = `${series.name}: ${series.length.toLocaleString("en")} steps, ${series.kind}`;
  tracks.replaceChildren(track(told, series, series.values, "#2f6db3"));
  for (const box of boxes.querySelectorAll("input:checked")) {
    const of = series.scores[box.value];
    if (!of) continue;
    const told = `${data.detectors[box.value]}: ${data.metric} ${of.told}`;
    tracks.append(of.band ? track(told, series, of.band, "#d9822b") : line(`${told} (its scores are not in this store)`));
  }
}
show();
