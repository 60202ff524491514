// Moving through the series: drag to zoom, wheel, keys, the overview; and what stands under the pointer.

function navigation(elements, get, changed) {
  const { stage, overview } = elements;

  function limit(from, to) {
    const { series } = get();
    const whole = series.to - series.from;
    const least = Math.min(whole, series.spacing * 4);
    const width = Math.min(Math.max(to - from, least), whole);
    const middle = (from + to) / 2;
    const begin = Math.min(Math.max(middle - width / 2, series.from), series.to - width);
    changed({ from: begin, to: begin + width });
  }

  function zoom(factor, at) {
    const { view } = get();
    const pivot = at ?? (view.from + view.to) / 2;
    const whole = get().series.to - get().series.from;
    const width = Math.min((view.to - view.from) * factor, whole);
    const share = (pivot - view.from) / (view.to - view.from);
    limit(pivot - share * width, pivot + (1 - share) * width);
  }

  function move(share) {
    const { view } = get();
    const by = (view.to - view.from) * share;
    const { series } = get();
    const kept = Math.min(Math.max(by, series.from - view.from), series.to - view.to);
    changed({ from: view.from + kept, to: view.to + kept });
  }

  const reset = () => changed({ from: get().series.from, to: get().series.to });

  function place(event) {
    const { view } = get();
    const box = stage.getBoundingClientRect();
    const x = Math.min(Math.max(event.clientX - box.left, LEFT), box.width - RIGHT);
    return { pixel: x, y: event.clientY - box.top, x: view.from + (x - LEFT) / (box.width - RIGHT - LEFT) * (view.to - view.from) };
  }

  stage.addEventListener("wheel", event => {
    const { view, series } = get();
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // There is nothing to zoom out to: let the page scroll.
    if (!sideways && event.deltaY > 0 && view.to - view.from >= series.to - series.from) return;
    event.preventDefault();
    if (sideways) move((event.deltaX || event.deltaY) / 1000);
    else zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * (event.deltaMode ? 33 : 1))) / 500), place(event).x);
  }, { passive: false });

  let drag = null;
  stage.addEventListener("pointerdown", event => {
    if (event.button) return;
    stage.setPointerCapture(event.pointerId);
    const moving = event.shiftKey || event.pointerType === "touch";
    drag = { at: place(event), view: get().view, moving };
    stage.classList.toggle("moving", moving);
  });
  stage.addEventListener("pointermove", event => {
    const at = place(event);
    if (drag === null) return elements.hover(at);
    if (!drag.moving) return elements.select(drag.at.pixel, at.pixel);
    const width = drag.view.to - drag.view.from;
    const by = (drag.at.pixel - at.pixel) / (stage.clientWidth - LEFT - RIGHT) * width;
    const { series } = get();
    const kept = Math.min(Math.max(by, series.from - drag.view.from), series.to - drag.view.to);
    changed({ from: drag.view.from + kept, to: drag.view.to + kept });
  });
  stage.addEventListener("pointerup", event => {
    if (drag === null) return;
    const at = place(event), begun = drag;
    drag = null;
    stage.classList.remove("moving");
    elements.select(null);
    if (Math.abs(at.pixel - begun.at.pixel) < 5) return elements.click(at);
    if (!begun.moving) limit(Math.min(at.x, begun.at.x), Math.max(at.x, begun.at.x));
  });
  stage.addEventListener("pointercancel", () => { drag = null; stage.classList.remove("moving"); elements.select(null); });
  stage.addEventListener("pointerleave", () => { if (drag === null) elements.hover(null); });
  stage.addEventListener("dblclick", reset);

  const KEYS = {
    ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6),
    0: reset, Escape: reset, n: () => elements.step(1), p: () => elements.step(-1),
  };
  document.addEventListener("keydown", event => {
    const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (inField || !action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });

  let brushing = null;
  function brush(event) {
    const { series, view } = get();
    const box = overview.getBoundingClientRect();
    const x = series.from + (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT) * (series.to - series.from);
    if (brushing === null) brushing = x >= view.from && x <= view.to ? x - view.from : (view.to - view.from) / 2;
    const width = view.to - view.from;
    const begin = Math.min(Math.max(x - brushing, series.from), series.to - width);
    changed({ from: begin, to: begin + width });
  }
  overview.addEventListener("pointerdown", event => { overview.setPointerCapture(event.pointerId); brush(event); });
  overview.addEventListener("pointermove", event => { if (brushing !== null) brush(event); });
  overview.addEventListener("pointerup", () => { brushing = null; });
  overview.addEventListener("pointercancel", () => { brushing = null; });

  return { zoom, reset, show: limit };
}
