// SPDX-License-Identifier: Apache-2.0
// Draws the charts of the report from the data in the page, as wide as the page is, and again when that changes.
"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
/** Colours on which dark text reads better than light. */
const LIGHT = ["nic11-fast", "nic12-dram", "c2", "c6"];
const tip = document.getElementById("tip");

function node(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}
const colour = (preset) => `var(--${DATA.presets.includes(preset) ? preset : "other"})`;
function number(value) {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

// ---- Tooltip: a headline and rows of (text, value) ----
function showTip(event, headline, rows) {
  tip.replaceChildren();
  const head = document.createElement("b");
  head.textContent = headline;
  tip.append(head);
  for (const [name, value] of rows) {
    const row = document.createElement("span");
    for (const text of [name, value]) row.append(Object.assign(document.createElement("span"), { textContent: text }));
    tip.append(row);
  }
  tip.classList.add("on");
  const box = tip.getBoundingClientRect();
  const x = event.clientX + 16 + box.width > innerWidth ? event.clientX - box.width - 16 : event.clientX + 16;
  const y = Math.min(event.clientY + 12, innerHeight - box.height - 8);
  tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
}
const hideTip = () => tip.classList.remove("on");

// ---- Scales ----
function scale(kind, low, high, from, to) {
  const f = kind === "log" ? Math.log : (value) => value;
  const a = f(low), b = f(high);
  return (value) => from + ((f(value) - a) / (b - a || 1)) * (to - from);
}
function logTicks(low, high) {
  const ticks = [];
  for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high; decade *= 10)
    for (const m of high / low > 300 ? [1] : [1, 2, 5]) if (decade * m >= low && decade * m <= high) ticks.push(decade * m);
  return ticks;
}
function linearTicks(low, high) {
  const rough = (high - low) / 5, magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * magnitude).find((s) => s >= rough);
  const ticks = [];
  for (let at = Math.ceil(low / step) * step; at <= high * 1.001; at += step) ticks.push(at);
  return ticks;
}
/** Moves labels apart: each at least `gap` from the next, within [top, bottom]. */
function spread(labels, gap, top, bottom) {
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((label, i) => { label.at = Math.max(label.y, i ? labels[i - 1].at + gap : top); });
  for (let i = labels.length - 1, limit = bottom; i >= 0; i--, limit = labels[i + 1].at - gap)
    labels[i].at = Math.min(labels[i].at, limit);
}

/** A place for each panel; all of them, before any is measured. */
function boxes(host, chart) {
  return chart.panels.map((panel) => [panel, host.appendChild(document.createElement("div"))]);
}

// ---- Marks: a shape for each memory, so that colour is not all there is ----
function mark(parent, shape, x, y, fill, published, kept) {
  const at = published ? { class: "hollow mark", stroke: fill } : { class: kept ? "mark kept" : "mark", fill };
  if (shape === "square") return node(parent, "rect", { x: x - 3.5, y: y - 3.5, width: 7, height: 7, ...at });
  if (shape === "triangle") return node(parent, "path", { d: `M${x} ${y - 4.5}l4.5 8h-9z`, ...at });
  if (shape === "diamond") return node(parent, "path", { d: `M${x} ${y - 5}l5 5l-5 5l-5 -5z`, ...at });
  return node(parent, "circle", { cx: x, cy: y, r: 3.8, ...at });
}

function lines(host, chart) {
  const all = chart.panels.flatMap((panel) => panel.series.flatMap((series) => series.points.concat(series.behind || [])));
  if (!all.length) return;
  const xs = [...new Set(all.map((point) => point[0]))].sort((a, b) => a - b);
  const limits = [chart, ...chart.panels].flatMap((one) => one.limit || []);
  const ys = all.concat(limits).map((point) => point[1]);
  const longest = Math.max(...chart.panels.flatMap((panel) => panel.series.map((series) => series.label.length)));
  const log = chart.scale === "log";
  const low = log ? Math.min(...ys) / 1.25 : chart.low || 0, high = Math.max(...ys) * (log ? 1.25 : 1.04);
  for (const [panel, box] of boxes(host, chart)) {
    const width = Math.max(260, box.clientWidth), height = width < 420 ? 300 : 340;
    const left = 46, right = Math.max(104, 34 + 6.3 * longest), top = 30, bottom = 40;
    const limit = panel.limit || chart.limit, limitName = panel.limitName || chart.limitName;
    const svg = node(box, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    node(svg, "title", {}, `${chart.title}, ${panel.title}`);
    node(svg, "text", { class: "panel", x: 0, y: 13 }, panel.title);
    node(svg, "text", { x: width, y: 13, "text-anchor": "end" }, chart.y);
    const X = scale(chart.xscale || "log", xs[0], xs[xs.length - 1], left + 8, width - right);
    const Y = scale(chart.scale, low, high, height - bottom, top);
    for (const tick of log ? logTicks(low, high) : linearTicks(low, high)) {
      node(svg, "line", { class: "grid", x1: left, x2: width - right + 8, y1: Y(tick), y2: Y(tick) });
      node(svg, "text", { x: left - 7, y: Y(tick) + 4, "text-anchor": "end" }, number(tick));
    }
    node(svg, "line", { class: "axis", x1: left, x2: width - right + 8, y1: height - bottom, y2: height - bottom });
    let taken = Infinity;
    for (const x of [...xs].reverse()) {
      node(svg, "line", { class: "axis", x1: X(x), x2: X(x), y1: height - bottom, y2: height - bottom + 4 });
      const half = 3.6 * number(x).length;
      if (X(x) + half > taken - 4) continue;
      taken = X(x) - half;
      node(svg, "text", { x: X(x), y: height - bottom + 17, "text-anchor": "middle" }, number(x));
    }
    node(svg, "text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, chart.x);
    const path = (points) => points.map((point, i) => `${i ? "L" : "M"}${X(point[0]).toFixed(1)} ${Y(point[1]).toFixed(1)}`).join("");
    const labels = [];
    if (limit) {
      const [x, y] = limit[limit.length - 1];
      node(svg, "path", { class: "limit", d: path(limit) });
      labels.push({ y: Y(y), text: limitName, x: X(x) });
    }
    // What is published lies under what is measured.
    for (const series of [...panel.series].sort((a, b) => b.published - a.published)) {
      if (!series.points.length) continue;
      // A curve that is kept with the sources lies behind the few points that were measured.
      const behind = series.behind || [];
      if (behind.length) node(svg, "path", { class: "ours kept", stroke: colour(series.preset), d: path(behind) });
      else node(svg, "path", { class: series.published ? "published" : series.kept ? "ours kept" : "ours", stroke: colour(series.preset), d: path(series.points) });
      for (const [x, y] of series.points) mark(svg, series.shape, X(x), Y(y), colour(series.preset), series.published, series.kept);
      // One without a label has the colour of another, and the legend says what it is.
      if (!series.label) continue;
      const last = series.points[series.points.length - 1];
      labels.push({ y: Y(last[1]), x: X(last[0]), text: series.label, series });
    }
    spread(labels, 15, top + 4, height - bottom);
    for (const label of labels) {
      const at = width - right + 20;
      node(svg, "line", { class: "leader", x1: Math.min(label.x + 7, at - 4), y1: label.y, x2: at - 4, y2: label.at });
      if (label.series) mark(svg, label.series.shape, at + 2, label.at, colour(label.series.preset), label.series.published, label.series.kept);
      node(svg, "text", { class: label.series && !label.series.published ? "name" : "", x: at + (label.series ? 10 : 0), y: label.at + 4 }, label.text);
    }
    // Whatever is nearest in x is told for all lines.
    const hover = node(svg, "line", { class: "hover", y1: top, y2: height - bottom, visibility: "hidden" });
    svg.addEventListener("pointermove", (event) => {
      const at = ((event.clientX - svg.getBoundingClientRect().left) * width) / svg.getBoundingClientRect().width;
      const x = xs.reduce((best, one) => (Math.abs(X(one) - at) < Math.abs(X(best) - at) ? one : best));
      hover.setAttribute("x1", X(x));
      hover.setAttribute("x2", X(x));
      hover.setAttribute("visibility", "visible");
      const told = (points, words) => points.filter((point) => point[0] === x)
        .map((point) => ({ y: point[1], row: [words, `${number(point[1])} ${chart.unit}`] }));
      const rows = panel.series.flatMap((series) => [
        ...told(series.points, series.name || series.label), ...told(series.behind || [], `${series.label}, kept`)]);
      rows.sort((a, b) => b.y - a.y);
      showTip(event, `${panel.title}, ${chart.at || "payload"} ${number(x)} ${chart.xunit || "bytes"}`, rows.map((one) => one.row));
    });
    svg.addEventListener("pointerleave", () => { hideTip(); hover.setAttribute("visibility", "hidden"); });
  }
}

function shades(host, names, shade) {
  const legend = document.createElement("div");
  legend.className = "legend shades";
  names.forEach((name, at) => {
    const item = legend.appendChild(document.createElement("span"));
    const svg = node(item, "svg", { viewBox: "0 0 26 10" });
    node(svg, "rect", { width: 26, height: 10, rx: 2, fill: "var(--ink)", "fill-opacity": shade[at] });
    item.append(name);
  });
  host.before(legend);
}

// ---- Bars: rows of segments, one colour a row, shades for the segments ----
function bars(host, chart) {
  const first = chart.panels[0].rows[0];
  if (first.shades && !host.parentElement.querySelector(".shades")) shades(host, first.segments.map((segment) => segment[0]), first.shades);
  for (const [panel, box] of boxes(host, chart)) {
    const width = Math.max(260, box.clientWidth), row = 34, top = 30, left = 0, right = 74;
    const height = top + panel.rows.length * (row + 16) + 6;
    const svg = node(box, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    node(svg, "title", {}, `${chart.title}, ${panel.title}`);
    node(svg, "text", { class: "panel", x: 0, y: 13 }, panel.title);
    const most = chart.most || Math.max(...panel.rows.map((one) => one.segments.reduce((sum, part) => sum + part[1], 0)));
    const X = scale("linear", 0, most, left, width - right);
    panel.rows.forEach((one, index) => {
      const y = top + index * (row + 16);
      node(svg, "text", { class: "name", x: left, y: y + 6 }, one.label);
      let sum = 0;
      one.segments.forEach(([name, value], at) => {
        const x = X(sum), length = Math.max(0, X(sum + value) - x);
        sum += value;
        const shade = one.shades ? one.shades[at] : 1;
        const kept = one.kept ? " kept" : "";
        const look = one.published ? { class: "published mark", stroke: colour(one.preset) } : { class: `mark${kept}`, fill: colour(one.preset), "fill-opacity": shade };
        const bar = node(svg, "rect", { x, y: y + 12, width: Math.max(length - (one.segments.length > 1 ? 1 : 0), 0.5), height: row - 14, rx: 2, ...look });
        node(bar, "title", {}, `${one.label}: ${name} ${number(value)} ${chart.unit}`);
        bar.addEventListener("pointermove", (event) => showTip(event, one.label, (one.detail || one.segments).map(([n, v]) => [n, `${number(v)} ${chart.unit}`])));
        bar.addEventListener("pointerleave", hideTip);
        if (one.segments.length > 1 && length > 7.2 * name.length + 8)
          node(svg, "text", { class: shade < 1 ? "name" : LIGHT.includes(one.preset) ? "dark" : "inside", x: x + 5, y: y + 26, "pointer-events": "none" }, name);
      });
      node(svg, "text", { class: "name", x: X(sum) + 6, y: y + 26 }, `${number(sum)} ${chart.unit}`);
    });
  }
}

function draw() {
  for (const chart of DATA.charts) {
    const host = document.getElementById(`chart-${chart.id}`);
    host.replaceChildren();
    (chart.kind === "lines" ? lines : bars)(host, chart);
  }
}
let drawnAt = document.documentElement.clientWidth;
addEventListener("resize", () => {
  if (document.documentElement.clientWidth !== drawnAt) { drawnAt = document.documentElement.clientWidth; draw(); }
});
const tables = document.querySelectorAll("details");
const openAll = () => { for (const one of tables) one.open = true; };
addEventListener("beforeprint", openAll);
for (const button of document.querySelectorAll("button.open"))
  button.addEventListener("click", () => { for (const one of button.closest("section").querySelectorAll("details")) one.open = true; });
draw();

// ---- The records as CSV ----
document.getElementById("csv").addEventListener("click", () => {
  const quoted = (value) => (value === null ? "" : /[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
  const text = [DATA.columns, ...DATA.records].map((row) => row.map(quoted).join(",")).join("\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text + "\n"], { type: "text/csv" }));
  link.download = "nsoc-report.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
