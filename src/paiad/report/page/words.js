// Numbers, moments and durations in words. Times are shown as they stood in the data.

function digits(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(3);
  return value.toLocaleString("en", size >= 1000 ? { maximumFractionDigits: 1 } : { maximumSignificantDigits: 4 });
}

function whole(value) { return Math.round(value).toLocaleString("en"); }

function plural(count, word) { return `${whole(count)} ${word}${count === 1 ? "" : "s"}`; }

function moment(s, x) {
  if (s.axis === "row") return `row ${whole(x)}`;
  if (s.axis === "number") return digits(x);
  const date = new Date(x);
  if (Number.isNaN(date.getTime())) return "–";
  const [day, rest] = date.toISOString().split("T");
  const clock = rest.slice(0, 12);
  if (clock.endsWith(":00.000")) return clock === "00:00:00.000" ? day : `${day} ${clock.slice(0, 5)}`;
  return `${day} ${clock.endsWith(".000") ? clock.slice(0, 8) : clock}`;
}

const UNITS = [["d", 86400e3], ["h", 3600e3], ["min", 60e3], ["s", 1e3], ["ms", 1]];

function span(milliseconds) {
  for (let i = 0; i < UNITS.length; i++) {
    const [name, size] = UNITS[i];
    if (milliseconds < size && i < UNITS.length - 1) continue;
    const count = Math.floor(milliseconds / size);
    const next = UNITS[i + 1];
    const rest = next ? Math.floor((milliseconds - count * size) / next[1]) : 0;
    return rest && count < 100 ? `${count} ${name} ${rest} ${next[0]}` : `${whole(count)} ${name}`;
  }
}

function duration(s, event) {
  const steps = plural(event.end - event.start, "step");
  return s.axis === "date" && event.span > 0 ? `${steps} · ${span(event.span)}` : steps;
}

function niceTicks(low, high, most) {
  const rough = (high - low) / most;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(m => m >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high && ticks.length < 100; i++) ticks.push(i * step);
  return ticks;
}

const MINUTE = 60e3, HOUR = 3600e3, DAY = 86400e3;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3],
  ...[1, 2, 5, 10, 15, 30].map(m => m * MINUTE), ...[1, 2, 3, 6, 12].map(h => h * HOUR), ...[1, 2, 7, 14].map(d => d * DAY),
];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// [{x, text}] for a time axis; beyond two weeks it counts in months and years.
function timeTicks(from, to, most) {
  const rough = (to - from) / most;
  const step = STEPS.find(size => size >= rough);
  if (step === undefined) return monthTicks(from, to, Math.ceil(rough / (30.4 * DAY)));
  const begin = Math.ceil(from / step) * step;
  const ticks = [];
  let day = null;
  for (let x = begin; x <= to && ticks.length < 100; x += step) {
    const text = timeText(x, step, day);
    day = Math.floor(x / DAY);
    ticks.push({ x, text });
  }
  return ticks;
}

function timeText(x, step, dayBefore) {
  const date = new Date(x);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  if (step >= DAY) return date.getUTCMonth() === 0 && date.getUTCDate() <= step / DAY ? `${day} ${date.getUTCFullYear()}` : day;
  const clock = date.toISOString().slice(11, step < 1e3 ? 23 : step < MINUTE ? 19 : 16);
  if (clock === "00:00" ) return day;
  return dayBefore === null || Math.floor(x / DAY) !== dayBefore ? `${day} ${clock}` : clock;
}

function monthTicks(from, to, rough) {
  const step = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200].find(size => size >= rough) ?? 12000;
  const start = new Date(from);
  const ticks = [];
  let month = Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step;
  for (; ticks.length < 100; month += step) {
    const x = Date.UTC(Math.floor(month / 12), month % 12, 1);
    if (x > to) break;
    if (x >= from) ticks.push({ x, text: month % 12 && step < 12 ? MONTHS[month % 12] : `${Math.floor(month / 12)}` });
  }
  return ticks;
}

function axisTicks(s, from, to, most) {
  if (s.axis === "date") return timeTicks(from, to, most);
  return niceTicks(from, to, most).map(x => ({ x, text: s.axis === "row" ? whole(x) : digits(x) }));
}
