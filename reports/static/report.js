// Draws the charts and computes the cost tables again. Everything it needs is in the page.
"use strict";

document.documentElement.dataset.live = ""; // what can be changed is shown only where it does something

const data = JSON.parse(document.getElementById("report-data").textContent);

// ---- charts ----------------------------------------------------------------------------------------------------------

const LEGEND_COLUMN_PX = 135;

// SVG, so that the style sheet alone decides on the colours: dark, light and print need no second drawing.
// `ast` interprets expressions instead of compiling them, which the page's policy forbids.
async function draw(element) {
  const columns = Math.max(1, Math.floor(element.clientWidth / LEGEND_COLUMN_PX));
  await vegaEmbed(element, data.charts[element.dataset.chart], {
    config: { ...data.config, legend: { ...data.config.legend, columns } },
    renderer: "svg",
    actions: false,
    ast: true,
  });
  // The element around it is described, and the table below holds its data: reading out each mark would only add noise.
  element.querySelector("svg").setAttribute("aria-hidden", "true");
}

async function drawAll() {
  const elements = [...document.querySelectorAll("[data-chart]")];
  const outcomes = await Promise.allSettled(elements.map(draw));
  outcomes.forEach((outcome, place) => {
    if (outcome.status === "rejected") {
      elements[place].textContent = "This chart could not be drawn; the table below has its figures.";
      console.error(outcome.reason);
    }
  });
  document.documentElement.dataset.drawn = outcomes.filter((outcome) => outcome.status === "fulfilled").length;
}

// ---- cost ------------------------------------------------------------------------------------------------------------

// As `analysis.quantities.number`: three significant digits, integers in full.
function number(value) {
  if (value === 0) return "0";
  const decimals = Math.min(12, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

// As `analysis.quantities.change`: a ratio to the baseline as a signed per cent.
function change(ratio) {
  const percent = 100 * (ratio - 1);
  const size = Math.abs(percent);
  const text = size.toFixed(size >= 100 ? 0 : size >= 1 ? 1 : 2);
  const sign = Number(text) === 0 ? "" : percent < 0 ? "−" : "+";
  return `${sign}${text} %`;
}

function meanGrowth(prices) {
  let sum = 0;
  for (let month = 0; month < prices.horizon_months; month++) {
    sum += (1 + prices.growth_percent_per_month / 100) ** month;
  }
  return sum / prices.horizon_months;
}

const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

// Each block's figures under new prices: instance hours, GB, monthly cost, and how finely that cost is known.
function underPrices(blocks, cost, prices) {
  const hoursFactor =
    (prices.operations_per_s / cost.prices.operations_per_s) *
    (cost.prices.instance_capacity / prices.instance_capacity);
  const storageFactor = ((prices.data_size_gb / cost.prices.data_size_gb) * meanGrowth(prices)) / cost.mean_growth;
  const monthly = (hours, gb) =>
    prices.replicas *
    (prices.instance_per_hour * hours * hoursFactor + prices.storage_per_gb_month * gb * storageFactor);
  return new Map(
    Object.entries(blocks).map(([block, [hours, gb, roughHours, roughGb]]) => [
      block,
      {
        hours: hours * hoursFactor,
        gb: gb * storageFactor,
        monthly: monthly(hours, gb),
        resolution: monthly(roughHours, roughGb),
      },
    ]),
  );
}

// As `analysis.stats.effects.compare` does for costs: the mean log-ratio over the blocks that have both, and its t
// interval by their own scatter, whose standard error is never below the resolution of the readings.
function ratio(ours, theirs, quantiles) {
  const shared = [...ours.keys()].filter((block) => theirs.has(block));
  if (!shared.length) return null;
  const pairs = shared.map((block) => [ours.get(block), theirs.get(block)]);
  const logs = pairs.map(([a, b]) => Math.log(a.monthly / b.monthly));
  const n = logs.length;
  const mean = logs.reduce((sum, log) => sum + log, 0) / n;
  if (!(n in quantiles)) return { value: Math.exp(mean) };
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (n - 1);
  const floor = Math.max(...pairs.map(([a, b]) => Math.hypot(a.resolution / a.monthly, b.resolution / b.monthly)));
  const half = quantiles[n] * Math.max(Math.sqrt(variance / n), floor);
  return { value: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

function recompute(form) {
  const inputs = [...form.querySelectorAll("input")];
  if (!inputs.every((input) => input.checkValidity())) return;
  const prices = Object.fromEntries(inputs.map((input) => [input.name, Number(input.value)]));
  const cost = data.costs[form.dataset.cost];
  const figures = new Map(Object.entries(cost.arms).map(([arm, blocks]) => [arm, underPrices(blocks, cost, prices)]));
  const baseline = figures.get(cost.baseline) ?? new Map();
  const millions = (3600 * cost.hours_per_month * prices.operations_per_s) / 1e6;
  const gigabytes = prices.data_size_gb * meanGrowth(prices);
  const eligible = new Map();
  const rows = [...document.querySelectorAll(`#${form.dataset.cost} tbody tr`)];
  for (const row of rows) {
    const arm = row.dataset.arm;
    const blocks = [...figures.get(arm).values()];
    const mean = (name) => geometricMean(blocks.map((one) => one[name]));
    const show = (name, text) => (row.querySelector(`[data-field=${name}]`).textContent = text);
    show("instances", number(mean("hours") / cost.hours_per_month));
    show("storage", `${number(mean("gb"))} GB`);
    show("per-million", number((prices.replicas * prices.instance_per_hour * mean("hours")) / millions));
    show("per-gb", number((prices.replicas * prices.storage_per_gb_month * mean("gb")) / gigabytes));
    show("monthly", number(mean("monthly")));
    const against = arm === cost.baseline ? { value: 1 } : ratio(figures.get(arm), baseline, cost.quantiles);
    if (arm !== cost.baseline) {
      show("change", against === null ? "–" : change(against.value));
      show("interval", against?.low === undefined ? "" : `${change(against.low)} to ${change(against.high)}`);
    }
    if (against !== null && cost.eligible.includes(arm)) eligible.set(row, against.value);
  }
  const least = Math.min(...eligible.values());
  for (const row of rows) row.classList.toggle("cheapest", eligible.get(row) === least);
  const choice = new Map([...eligible].map(([row, value]) => [row.dataset.arm, value]));
  redrawCurve(cost, figures, choice, prices.storage_per_gb_month / prices.instance_per_hour);
}

// ---- the curve of costs over prices ----------------------------------------------------------------------------------

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// As `analysis.stats.ratios.ratio_of_means`: the ratio of two means of pairs with Fieller's interval.
function ratioOfMeans(over, under, quantiles) {
  const n = over.length;
  if (!n) return null;
  const [above, below] = [mean(over), mean(under)];
  if (!(n in quantiles)) return below ? { value: above / below } : null;
  const covariance = (a, b) => a.reduce((sum, one, i) => sum + (one - mean(a)) * (b[i] - mean(b)), 0) / (n - 1);
  const squared = quantiles[n] ** 2 / n;
  const known = below ** 2 - squared * covariance(under, under);
  if (known <= 0) return null;
  const middle = above * below - squared * covariance(over, under);
  const half = Math.sqrt(Math.max(0, middle ** 2 - known * (above ** 2 - squared * covariance(over, over))));
  return { value: above / below, low: (middle - half) / known, high: (middle + half) / known };
}

// As `analysis.decide.cost`: the nearest price ratio on either side at which another eligible arm costs the same.
function flips(figures, choice, at, quantiles) {
  const cheapest = [...choice.keys()].reduce((a, b) => (choice.get(b) < choice.get(a) ? b : a));
  const held = figures.get(cheapest);
  const found = [];
  for (const arm of choice.keys()) {
    const ours = figures.get(arm);
    const shared = [...ours.keys()].filter((block) => arm !== cheapest && held.has(block));
    const saved = shared.map((block) => held.get(block).gb - ours.get(block).gb);
    const more = shared.map((block) => ours.get(block).hours - held.get(block).hours);
    const crossing = ratioOfMeans(more, saved, quantiles);
    const side = shared.length && mean(saved) > 0 ? "above" : "below";
    if (crossing && crossing.value > 0 && crossing.value > at === (side === "above")) {
      found.push({ ...crossing, arm, side });
    }
  }
  const nearest = (side) =>
    found.filter((one) => one.side === side).sort((a, b) => Math.abs(a.value - at) - Math.abs(b.value - at))[0];
  return [nearest("below"), nearest("above")].filter(Boolean);
}

function redrawCurve(cost, figures, choice, at) {
  const spec = data.charts[cost.curve.chart];
  const element = document.querySelector(`[data-chart="${cost.curve.chart}"]`);
  if (!spec || !element || !figures.has(cost.baseline) || !(at > 0) || !Number.isFinite(at)) return;
  const { furthest, points } = cost.curve;
  const means = new Map();
  for (const [arm, blocks] of figures) {
    const all = [...blocks.values()];
    means.set(arm, { hours: geometricMean(all.map((one) => one.hours)), gb: geometricMean(all.map((one) => one.gb)) });
  }
  const baseline = means.get(cost.baseline);
  const ratios = Array.from({ length: points }, (_, i) => at * furthest ** ((2 * i) / (points - 1) - 1));
  const line = [...means].flatMap(([arm, { hours, gb }]) =>
    ratios.map((ratio) => {
      const value = (hours + ratio * gb) / (baseline.hours + ratio * baseline.gb);
      return { arm, at: ratio, value, shown: change(value) };
    }),
  );
  const crossings = choice.size ? flips(figures, choice, at, cost.quantiles) : [];
  const inside = crossings.filter(({ value }) => at / furthest <= value && value <= at * furthest);
  const [drawn, , now, rules] = spec.layer.map((layer) => layer.data.name); // the order of reports.charts.cost
  spec.datasets[drawn] = line;
  spec.datasets[now] = [{ at, what: "prices now" }];
  spec.datasets[rules] = inside.map(({ arm, side, value }) => ({ at: value, what: `${arm} is cheaper ${side}` }));
  for (const layer of spec.layer.slice(0, 2)) layer.encoding.x.scale.domain = [at / furthest, at * furthest];
  listFlips(element.closest("figure"), crossings);
  element.drawing = (element.drawing ?? Promise.resolve()).then(() => draw(element));
}

function listFlips(figure, crossings) {
  const names = [...figure.querySelectorAll("thead th")].map((cell) => cell.textContent);
  const body = crossings.map(({ arm, side, value, low, high }) => {
    const spread = low === undefined ? "–" : `${number(Math.max(0, low))} to ${number(high)}`;
    const row = document.createElement("tr");
    row.setAttribute("role", "row");
    [arm, side, number(value), spread].forEach((text, place) => {
      const cell = document.createElement(place ? "td" : "th");
      cell.setAttribute("role", place ? "cell" : "rowheader");
      if (!place) cell.scope = "row";
      else Object.assign(cell, { className: place === 1 ? "long" : "figure" }).dataset.label = names[place];
      cell.textContent = text;
      row.append(cell);
    });
    return row;
  });
  figure.querySelector("tbody").replaceChildren(...body);
}

for (const form of document.querySelectorAll("form[data-cost]")) {
  form.addEventListener("input", () => recompute(form));
  form.addEventListener("submit", (event) => event.preventDefault());
}

drawAll();
