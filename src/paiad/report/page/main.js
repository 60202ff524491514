// One report: choose a series, look at it, jump to its events.

const $ = id => document.getElementById(id);
const report = JSON.parse($("report").textContent);
const state = { index: 0, series: null, view: null, event: null, order: { column: 4, down: true }, choices: { column: 3, down: true }, everything: false, compress: false };
let colours = null, drawn = null, waiting = false;

function load(index) {
  const s = JSON.parse($(`series-${index}`).textContent);
  s.levels = pyramid(s);
  return s;
}

function open(index) {
  state.index = index;
  state.series = load(index);
  state.view = { from: state.series.from, to: state.series.to };
  state.event = null;
  state.everything = false;
  $("name").textContent = state.series.name;
  $("legend").replaceChildren(...legend(state.series));
  $("facts").replaceChildren(...facts(state.series));
  $("notes").replaceChildren(...(state.series.notes.length ? state.series.notes : ["Nothing: every value was used as it stood."]).map(note => element("li", {}, note)));
  for (const row of $("series").children) row.classList.toggle("chosen", Number(row.dataset.series) === index);
  table();
  show(state.view);
}

function table() {
  const s = state.series;
  const { head, rows } = eventTable(s, state.order, state.everything, state.event, jump, column => {
    state.order = { column, down: state.order.column === column ? !state.order.down : column === 4 || column === 6 };
    table();
  });
  $("events").tHead.replaceChildren(head);
  $("events").tBodies[0].replaceChildren(...rows);
  $("count").textContent = s.events.length ? `${whole(s.events.length)}; choose one to see it` : "none";
  $("events").hidden = !s.events.length;
  $("all").hidden = rows.length >= s.events.length;
  $("all").textContent = `Show all ${whole(s.events.length)}`;
  $("previous").disabled = $("next").disabled = !s.events.length;
  $("receipt").hidden = state.event === null || !s.events[state.event].terms.length;
  if (!$("receipt").hidden) $("receipt").replaceChildren(...receipt(s, s.events[state.event], state.event));
}

function jump(index) {
  const s = state.series, event = s.events[index];
  state.event = index;
  table();
  const pad = Math.max((event.x1 - event.x0) * 1.5, s.spacing * 60);
  moves.show(event.x0 - pad, event.x1 + pad);
  const box = $("charts").getBoundingClientRect();
  if (box.top < 0 || box.top > innerHeight * 0.6) $("charts").scrollIntoView({ behavior: "smooth", block: "start" });
}

function step(by) {
  const { events } = state.series;
  if (!events.length) return;
  if (state.event !== null) return jump((state.event + by + events.length) % events.length);
  const middle = (state.view.from + state.view.to) / 2;
  const after = events.findIndex(event => event.x0 >= middle);
  jump(by > 0 ? Math.max(after, 0) : after > 0 ? after - 1 : events.length - 1);
}

function show(view) {
  state.view = view;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function draw() {
  const s = state.series;
  drawn = drawPanels($("picture"), s, state.view, state, colours);
  drawOverview($("overview"), s, state.view, colours);
  select(null);
  const finest = drawn.level === s.levels[0];
  const shown = Math.min(drawn.steps, s.length), each = drawn.steps / (drawn.last - drawn.first + 1);
  const grain = each > 1.05 ? ` Each mark stands for about ${whole(Math.max(each, 2))} steps and keeps their extremes.` : "";
  const limit = finest && each > 1.05 ? " This file keeps single steps only around events." : "";
  $("status").textContent = `${moment(s, Math.max(state.view.from, s.from))} to ${moment(s, Math.min(state.view.to, s.last))}: ${whole(shown)} of ${plural(s.length, "step")}.${grain}${limit}`;
  $("charts").dataset.from = state.view.from;
  $("charts").dataset.to = state.view.to;
}

function line(name, value, colour) {
  return element("div", {}, element("span", colour === undefined ? {} : { class: `key colour-${colour}` }, name), element("span", {}, value));
}

function range(low, high) { return low === high || Number.isNaN(low) ? digits(high) : `${digits(low)} … ${digits(high)}`; }

function hover(at) {
  const { ctx, width, height } = surface($("pointer"));
  $("readout").hidden = at === null || drawn === null;
  if (at === null || drawn === null) return;
  const s = state.series, level = drawn.level;
  let i = markAt(level, at.x);
  if (i + 1 < level.count && Math.abs(level.x[i + 1] - at.x) < Math.abs(level.x[i] - at.x)) i++;
  const x = drawn.X(level.x[i]);
  ctx.strokeStyle = colours.quiet;
  ctx.beginPath(); ctx.moveTo(x, drawn.rows[0].top); ctx.lineTo(x, drawn.rows[2].bottom); ctx.stroke();
  const steps = level.row[i + 1] - level.row[i];
  const lines = [element("div", { class: "when" }, moment(s, level.x[i]))];
  if (steps > 1) lines.push(element("div", { class: "remark" }, `and the ${plural(steps - 1, "step")} after it`));
  lines.push(line("value", range(level.low[i], level.high[i]), "series"), line("expected", digits(level.expected[i]), "expected"));
  lines.push(line("score", Number.isNaN(level.scoreHigh[i]) ? "not judged" : range(level.scoreLow[i], level.scoreHigh[i])));
  s.terms.forEach((term, k) => { if (level.terms[k][i]) lines.push(element("div", {}, termKey(s, term), element("span", {}, digits(level.terms[k][i])))); });
  const flag = s.flags.find(([from, to]) => level.x[i] >= from && level.x[i] < to);
  if (flag) lines.push(element("div", { class: "remark" }, flag[2]));
  const box = $("readout");
  box.replaceChildren(...lines);
  box.style.left = `${x + 16 + box.offsetWidth > width ? x - 16 - box.offsetWidth : x + 16}px`;
  box.style.top = `${Math.min(Math.max(at.y - box.offsetHeight / 2, 0), height - box.offsetHeight)}px`;
}

function select(from, to) {
  hover(null);
  if (from === null) return;
  const { ctx } = surface($("pointer"));
  ctx.fillStyle = colours.brush;
  ctx.fillRect(Math.min(from, to), drawn.rows[0].top, Math.abs(to - from), drawn.rows[2].bottom - drawn.rows[0].top);
}

function click(at) {
  const slack = (state.view.to - state.view.from) / 300;
  const found = state.series.events.findIndex(event => at.x >= event.x0 - slack && at.x <= event.x1 + slack);
  if (found < 0) return;
  state.event = found;
  table();
  draw();
  $("events").querySelector(`[data-event="${found}"]`)?.scrollIntoView({ block: "nearest" });
}

function chooser() {
  $("choice").hidden = report.series.length < 2;
  const wanted = $("filter").value.toLowerCase();
  const { head, rows } = seriesTable(report.series, state.choices, wanted, state.index, open, column => {
    state.choices = { column, down: state.choices.column === column ? !state.choices.down : column > 0 };
    chooser();
  });
  $("choices").tHead.replaceChildren(head);
  $("series").replaceChildren(...rows);
}

function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  colours = palette();
  if (state.series === null) return;
  $("legend").replaceChildren(...legend(state.series));
  table();
  draw();
}

const moves = navigation(
  { stage: $("stage"), overview: $("overview"), hover, select, click, step },
  () => state, show,
);

const night = matchMedia("(prefers-color-scheme: dark)");
night.addEventListener("change", event => theme(event.matches));
$("theme").addEventListener("click", () => theme(!document.documentElement.classList.contains("dark")));
$("reset").addEventListener("click", moves.reset);
$("in").addEventListener("click", () => moves.zoom(0.6));
$("out").addEventListener("click", () => moves.zoom(1 / 0.6));
$("next").addEventListener("click", () => step(1));
$("previous").addEventListener("click", () => step(-1));
$("compress").addEventListener("change", event => { state.compress = event.target.checked; draw(); });
$("all").addEventListener("click", () => { state.everything = true; table(); });
$("filter").addEventListener("input", chooser);
new ResizeObserver(() => { if (state.series) draw(); }).observe($("stage"));

$("title").textContent = report.title;
$("subtitle").textContent = report.subtitle;
pairs($("settings"), report.settings);
pairs($("versions"), report.versions);
theme(night.matches);
chooser();
open(report.first);
