// What the file carries: arrays as base64, and a pyramid of ever coarser levels made of them.

function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

// {offset, scale, data}: 32-bit numbers moved and scaled; {constant, length}; {exact}: 64-bit numbers;
// {start, step, length}: evenly spaced.
function numbers(packed) {
  if (packed === null) return null;
  if ("constant" in packed) return new Float64Array(packed.length).fill(packed.constant ?? NaN);
  if ("exact" in packed) return new Float64Array(bytes(packed.exact));
  if ("step" in packed) return Float64Array.from({ length: packed.length }, (_, i) => packed.start + i * packed.step);
  const small = new Float32Array(bytes(packed.data));
  const out = new Float64Array(small.length);
  for (let i = 0; i < out.length; i++) out[i] = packed.offset + packed.scale * small[i];
  return out;
}

// A level is a row of marks. A mark stands for one step or several neighbours: the lowest and highest value,
// the lowest and highest score, and the terms and the expected value at the step of the highest score.
function finestLevel(s) {
  const low = numbers(s.low), scoreHigh = numbers(s.scoreHigh);
  const count = low.length;
  const row = s.row === null ? Float64Array.from({ length: count + 1 }, (_, i) => i) : numbers(s.row);
  const x = s.x === null ? row.slice(0, count) : numbers(s.x);
  return {
    count, row, x, low, high: numbers(s.high) ?? low, scoreHigh, scoreLow: numbers(s.scoreLow) ?? scoreHigh,
    expected: numbers(s.expected), terms: s.termValues.map(numbers),
  };
}

const FACTOR = 2;

function coarser(fine) {
  const count = Math.ceil(fine.count / FACTOR);
  const make = () => new Float64Array(count).fill(NaN);
  const out = {
    count, row: new Float64Array(count + 1), x: make(), low: make(), high: make(), scoreLow: make(), scoreHigh: make(),
    expected: make(), terms: fine.terms.map(make),
  };
  for (let i = 0; i < count; i++) {
    const begin = i * FACTOR, end = Math.min(begin + FACTOR, fine.count);
    let best = begin;
    out.row[i] = fine.row[begin];
    out.x[i] = fine.x[begin];
    for (let j = begin; j < end; j++) {
      if (!(out.low[i] <= fine.low[j])) out.low[i] = Number.isNaN(fine.low[j]) ? out.low[i] : fine.low[j];
      if (!(out.high[i] >= fine.high[j])) out.high[i] = Number.isNaN(fine.high[j]) ? out.high[i] : fine.high[j];
      if (!(out.scoreLow[i] <= fine.scoreLow[j])) out.scoreLow[i] = Number.isNaN(fine.scoreLow[j]) ? out.scoreLow[i] : fine.scoreLow[j];
      if (fine.scoreHigh[j] > fine.scoreHigh[best] || Number.isNaN(fine.scoreHigh[best])) best = j;
    }
    out.scoreHigh[i] = fine.scoreHigh[best];
    out.expected[i] = fine.expected[best];
    for (let k = 0; k < out.terms.length; k++) out.terms[k][i] = fine.terms[k][best];
  }
  out.row[count] = fine.row[fine.count];
  return out;
}

function pyramid(s) {
  const levels = [finestLevel(s)];
  while (levels[levels.length - 1].count > 256) levels.push(coarser(levels[levels.length - 1]));
  return levels;
}

// The last mark that begins at or before x (0 when there is none).
function markAt(level, x) {
  let low = 0, high = level.count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (level.x[middle] <= x) low = middle; else high = middle;
  }
  return low;
}

// The finest level that has no more than `most` marks between two x, and the marks to draw.
function marksBetween(levels, from, to, most) {
  for (const level of levels) {
    const first = Math.max(0, markAt(level, from) - 1);
    const last = Math.min(level.count - 1, markAt(level, to) + 1);
    if (last - first <= most + 4 || level === levels[levels.length - 1]) return { level, first, last };
  }
}
