// From marks to pixels: three panels over one time axis, and the overview below them.

const LEFT = 64, RIGHT = 14, TOP = 8, AXIS = 24, GAP = 26;
const SHARES = [0.46, 0.27, 0.27];
const TITLES = ["series", "score", "terms of the score"];

function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour("ink"), quiet: colour("quiet"), grid: colour("grid"), line: colour("line"), card: colour("card"),
    series: colour("series"), expected: colour("expected"), score: colour("score"), event: colour("event"), soft: colour("event-soft"),
    train: colour("train"), label: colour("label"), flag: colour("flag"), brush: colour("brush"),
  };
}

function termColours(s) {
  return s.colours[document.documentElement.classList.contains("dark") ? "dark" : "light"];
}

// A canvas whose drawing unit is one CSS pixel, sharp on every screen.
function surface(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  return { ctx, width, height };
}

function panels(height) {
  const room = height - TOP - AXIS - GAP * (SHARES.length - 1);
  let top = TOP;
  return SHARES.map(share => {
    const panel = { top, height: room * share, bottom: top + room * share };
    top = panel.bottom + GAP;
    return panel;
  });
}

function extent(arrays, first, last, also) {
  let low = Infinity, high = -Infinity;
  for (const array of arrays) for (let i = first; i <= last; i++) {
    if (array[i] < low) low = array[i];
    if (array[i] > high) high = array[i];
  }
  for (const value of also) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
  if (!(low <= high)) return [0, 1];
  if (low === high) { const pad = Math.abs(low) * 0.1 || 1; return [low - pad, high + pad]; }
  const pad = (high - low) * 0.06;
  return [low - pad, high + pad];
}

// Pixel height of a value, through `bend`, which is the identity unless peaks are compressed.
function heights(panel, low, high, bend) {
  const bottom = bend(low), range = bend(high) - bottom || 1;
  return value => panel.bottom - (bend(value) - bottom) / range * panel.height;
}

function bending(on, threshold) {
  const unit = Number.isFinite(threshold) && threshold > 0 ? threshold : 1;
  return on ? value => Math.asinh(value / unit) : value => value;
}

const JUMP = 4;  // pixels from one mark of a band to the next, beyond which nothing is known between them

// A line through the marks, or, where they stand closer than pixels, the band they fill: quicker to paint than
// thousands of strokes on top of each other.
function paintBand(ctx, level, first, last, X, low, high, Y) {
  if (low === high || last - first < (X(level.x[last]) - X(level.x[first])) * 0.7) {
    traceBand(ctx, level, first, last, X, low, high, Y);
    return ctx.stroke();
  }
  ctx.beginPath();
  for (let begin = first; begin <= last; begin++) {
    if (Number.isNaN(low[begin])) continue;
    let end = begin;
    const jumps = i => X(level.x[i + 1]) - X(level.x[i]) > JUMP;
    while (end < last && !Number.isNaN(low[end + 1]) && !jumps(end)) end++;
    if (end < last && !Number.isNaN(low[end + 1])) {  // over a gap in time a line, as where marks stand apart
      const [from, to] = [X(level.x[end]), X(level.x[end + 1])], [a, b] = [Y(high[end]), Y(high[end + 1])];
      ctx.moveTo(from, a - 0.5); ctx.lineTo(to, b - 0.5); ctx.lineTo(to, b + 0.5); ctx.lineTo(from, a + 0.5);
    }
    ctx.moveTo(X(level.x[begin]), Y(high[begin]) - 0.5);
    for (let i = begin; i <= end; i++) ctx.lineTo(X(level.x[i]), Y(Math.max(high[i], low[Math.max(i - 1, begin)])) - 0.5);
    for (let i = end; i >= begin; i--) ctx.lineTo(X(level.x[i]), Y(Math.min(low[i], high[Math.max(i - 1, begin)])) + 0.5);
    begin = end;
  }
  ctx.fill();
}

function traceBand(ctx, level, first, last, X, low, high, Y) {
  ctx.beginPath();
  let before = null;
  for (let i = first; i <= last; i++) {
    if (Number.isNaN(low[i])) { before = null; continue; }
    const x = X(level.x[i]), a = Y(low[i]), b = Y(high[i]);
    const [near, far] = before !== null && Math.abs(before - b) < Math.abs(before - a) ? [b, a] : [a, b];
    if (before === null) ctx.moveTo(x, near); else ctx.lineTo(x, near);
    if (far !== near) ctx.lineTo(x, far);
    else if (before === null) ctx.lineTo(x + 0.5, near);
    before = far;
  }
}

function dots(ctx, level, first, last, X, values, Y) {
  ctx.beginPath();
  for (let i = first; i <= last; i++) if (!Number.isNaN(values[i])) {
    ctx.moveTo(X(level.x[i]) + 2, Y(values[i]));
    ctx.arc(X(level.x[i]), Y(values[i]), 2, 0, 7);
  }
  ctx.fill();
}

function stackTerms(ctx, level, first, last, X, Y, terms, colours, end) {
  const above = new Float64Array(last - first + 1), below = above.slice();
  terms.forEach((term, k) => {
    ctx.fillStyle = colours[k];
    for (let i = first; i <= last; i++) {
      const value = term[i];
      if (!value) continue;
      const stack = value > 0 ? above : below;
      const from = stack[i - first], to = from + value;
      stack[i - first] = to;
      const left = Math.floor(X(level.x[i])), right = i + 1 < level.count ? Math.floor(X(level.x[i + 1])) : end;
      ctx.fillRect(left, Y(to), Math.max(right - left, 1), Y(from) - Y(to));
    }
  });
}

function grid(ctx, colours, panel, low, high, bend, Y, right) {
  ctx.fillStyle = colours.quiet;
  ctx.strokeStyle = colours.grid;
  ctx.lineWidth = 1;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const plain = bend(2) === 2;
  const ticks = plain ? niceTicks(low, high, Math.max(2, panel.height / 34)) : bentTicks(low, high);
  let free = Infinity;
  for (const tick of ticks) {
    const y = Math.round(Y(tick)) + 0.5;
    ctx.beginPath(); ctx.moveTo(LEFT, y); ctx.lineTo(right, y); ctx.stroke();
    if (free - y < 13) continue;
    ctx.fillText(digits(tick), LEFT - 7, y);
    free = y;
  }
}

function bentTicks(low, high) {
  const ticks = [0];
  for (let power = -2; power < 12; power++) for (const sign of [-1, 1]) {
    const tick = sign * 10 ** power;
    if (tick >= low && tick <= high) ticks.push(tick);
  }
  return ticks.sort((a, b) => a - b);
}

function drawPanels(canvas, s, view, state, colours) {
  const { ctx, width, height } = surface(canvas);
  const right = width - RIGHT;
  const X = x => LEFT + (x - view.from) / (view.to - view.from) * (right - LEFT);
  const { level, first, last } = marksBetween(s.levels, view.from, view.to, (right - LEFT) * 2);
  const rows = panels(height);
  const ticks = axisTicks(s, view.from, view.to, Math.max(2, (right - LEFT) / 110));

  ctx.strokeStyle = colours.grid;
  for (const tick of ticks) for (const panel of rows) {
    const x = Math.round(X(tick.x)) + 0.5;
    ctx.beginPath(); ctx.moveTo(x, panel.top); ctx.lineTo(x, panel.bottom); ctx.stroke();
  }
  ctx.save();
  ctx.beginPath(); ctx.rect(LEFT, 0, right - LEFT, height); ctx.clip();
  bands(ctx, s, view, X, rows, state, colours);
  ctx.restore();

  const drawings = [drawSeries, drawScore, drawTerms];
  rows.forEach((panel, i) => {
    drawings[i](ctx, s, { level, first, last, X, panel, right, bend: i ? bending(state.compress, s.threshold) : v => v }, colours);
    ctx.fillStyle = colours.quiet;
    ctx.textAlign = "left"; ctx.textBaseline = "bottom";
    if (i) ctx.fillText(TITLES[i], LEFT, panel.top - 5);
    ctx.strokeStyle = colours.line;
    ctx.strokeRect(LEFT - 0.5, Math.round(panel.top) - 0.5, right - LEFT + 1, Math.round(panel.height) + 1);
  });
  ctx.fillStyle = colours.quiet;
  ctx.textAlign = "center"; ctx.textBaseline = "top";
  for (const tick of ticks) if (X(tick.x) > LEFT + 4 && X(tick.x) < right - 20) ctx.fillText(tick.text, X(tick.x), rows[rows.length - 1].bottom + 8);
  return { level, first, last, X, rows, right, steps: level.row[Math.min(last + 1, level.count)] - level.row[first] };
}

function clipped(ctx, at, draw) {
  ctx.save();
  ctx.beginPath(); ctx.rect(LEFT, at.panel.top, at.right - LEFT, at.panel.height); ctx.clip();
  draw();
  ctx.restore();
}

function bands(ctx, s, view, X, rows, state, colours) {
  const [top, bottom] = [rows[0].top, rows[rows.length - 1].bottom];
  const box = (from, to, y, tall, colour) => {
    if (to < view.from || from > view.to) return;
    ctx.fillStyle = colour;
    ctx.fillRect(X(from), y, Math.max(X(to) - X(from), 1.5), tall);
  };
  if (s.train) box(s.train[0], s.train[1], rows[0].top, rows[0].height, colours.train);
  s.events.forEach((event, i) => {
    box(event.x0, event.x1, top, bottom - top, colours.soft);
    box(event.x0, event.x1, top, 4, colours.event);
    if (state.event === i) box(event.x0, event.x1, bottom - 3, 3, colours.event);
  });
  for (const [from, to] of s.labels) box(from, to, rows[0].bottom - 5, 5, colours.label);
  for (const [from, to] of s.flags) box(from, to, rows[0].bottom + 2, 4, colours.flag);
}

function drawSeries(ctx, s, at, colours) {
  const { level, first, last, X, panel } = at;
  const [low, high] = extent([level.low, level.high], first, last, []);
  const Y = heights(panel, low, high, at.bend);
  grid(ctx, colours, panel, low, high, at.bend, Y, at.right);
  clipped(ctx, at, () => {
    ctx.lineJoin = "round";
    ctx.setLineDash([5, 4]);
    ctx.strokeStyle = colours.expected;
    ctx.lineWidth = 1.2;
    paintBand(ctx, level, first, last, X, level.expected, level.expected, Y);
    ctx.setLineDash([]);
    ctx.strokeStyle = ctx.fillStyle = colours.series;
    paintBand(ctx, level, first, last, X, level.low, level.high, Y);
    if (last - first < (at.right - LEFT) / 7) dots(ctx, level, first, last, X, level.low, Y);
  });
}

function drawScore(ctx, s, at, colours) {
  const { level, first, last, X, panel } = at;
  const [low, high] = extent([level.scoreLow, level.scoreHigh], first, last, [s.threshold]);
  const Y = heights(panel, low, high, at.bend);
  grid(ctx, colours, panel, low, high, at.bend, Y, at.right);
  const line = Number.isFinite(s.threshold) ? Y(s.threshold) : -1;
  const part = (top, bottom, colour) => {
    ctx.save();
    ctx.beginPath(); ctx.rect(LEFT, top, at.right - LEFT, Math.max(bottom - top, 0)); ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = colour; ctx.lineWidth = 1.3; ctx.lineJoin = "round";
    paintBand(ctx, level, first, last, X, level.scoreLow, level.scoreHigh, Y);
    ctx.restore();
  };
  part(panel.top, line, colours.event);
  part(Math.max(line, panel.top), panel.bottom, colours.score);
  if (line < 0) return;
  ctx.strokeStyle = colours.event; ctx.setLineDash([6, 4]); ctx.lineWidth = 1;
  ctx.beginPath(); ctx.moveTo(LEFT, line); ctx.lineTo(at.right, line); ctx.stroke();
  ctx.setLineDash([]);
  ctx.fillStyle = colours.event; ctx.textAlign = "right"; ctx.textBaseline = line - panel.top < 16 ? "top" : "bottom";
  const words = [`threshold ${digits(s.threshold)}`, at.right - 5, line + (line - panel.top < 16 ? 3 : -2)];
  ctx.strokeStyle = colours.card; ctx.lineWidth = 4; ctx.lineJoin = "round";
  ctx.strokeText(...words);  // a rim, so that it can be read over the score
  ctx.fillText(...words);
  ctx.lineWidth = 1;
}

function drawTerms(ctx, s, at, colours) {
  const { level, first, last, X, panel } = at;
  let low = 0, high = 0;
  for (let i = first; i <= last; i++) {
    let above = 0, below = 0;
    for (const term of level.terms) if (term[i] > 0) above += term[i]; else if (term[i] < 0) below += term[i];
    low = Math.min(low, below); high = Math.max(high, above);
  }
  [low, high] = extent([], 0, -1, [low, high]);
  const Y = heights(panel, low, high, at.bend);
  grid(ctx, colours, panel, low, high, at.bend, Y, at.right);
  clipped(ctx, at, () => stackTerms(ctx, level, first, last, X, Y, level.terms, termColours(s), at.right));
}

function drawOverview(canvas, s, view, colours) {
  const { ctx, width, height } = surface(canvas);
  const right = width - RIGHT;
  const X = x => LEFT + (x - s.from) / (s.to - s.from) * (right - LEFT);
  const { level, first, last } = marksBetween(s.levels, s.from, s.to, (right - LEFT) * 2);
  const [low, high] = extent([level.low, level.high], first, last, []);
  const Y = heights({ bottom: height - 4, height: height - 8 }, low, high, v => v);
  ctx.fillStyle = colours.soft;
  for (const event of s.events) ctx.fillRect(X(event.x0), 0, Math.max(X(event.x1) - X(event.x0), 2), height);
  ctx.strokeStyle = ctx.fillStyle = colours.expected;
  paintBand(ctx, level, first, last, X, level.low, level.high, Y);
  ctx.fillStyle = colours.event;
  for (const event of s.events) ctx.fillRect(X(event.x0), 0, Math.max(X(event.x1) - X(event.x0), 2), 3);
  ctx.fillStyle = colours.brush;
  ctx.fillRect(X(view.from), 0, Math.max(X(view.to) - X(view.from), 3), height);
  ctx.strokeStyle = colours.series;
  ctx.strokeRect(X(view.from) + 0.5, 0.5, Math.max(X(view.to) - X(view.from) - 1, 2), height - 1);
  return { X, right };
}
