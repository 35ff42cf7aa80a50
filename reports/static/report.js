// Draws the charts and computes the cost tables again. Everything it needs is in the page.
"use strict";

const data = JSON.parse(document.getElementById("report-data").textContent);

// ---- charts ----------------------------------------------------------------------------------------------------------

// SVG, so that the style sheet alone decides on the colours: dark, light and print need no second drawing.
// `ast` interprets expressions instead of compiling them, which the page's policy forbids.
async function draw(element) {
  await vegaEmbed(element, data.charts[element.dataset.chart], {
    config: data.config,
    renderer: "svg",
    actions: false,
    ast: true,
  });
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

function meanGrowth(prices) {
  let sum = 0;
  for (let month = 0; month < prices.horizon_months; month++) {
    sum += (1 + prices.growth_percent_per_month / 100) ** month;
  }
  return sum / prices.horizon_months;
}

// As `analysis.effects.estimates`: the geometric mean over trials, and a t interval on logarithms whose standard error
// is never below the resolution of the readings.
function estimate(values, resolutions, quantiles) {
  const n = values.length;
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / n;
  if (n < 2) return { value: Math.exp(mean) };
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (n - 1);
  const floor = Math.max(...values.map((value, place) => resolutions[place] / value));
  const half = quantiles[n] * Math.max(Math.sqrt(variance / n), floor);
  return { value: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

function armCost(trials, cost, prices) {
  const hoursFactor =
    (prices.operations_per_s / cost.prices.operations_per_s) *
    (cost.prices.instance_capacity / prices.instance_capacity);
  const storageFactor =
    ((prices.data_size_gb / cost.prices.data_size_gb) * meanGrowth(prices)) / cost.mean_growth;
  const scaled = trials.map(([hours, gb, roughHours, roughGb]) => [
    hours * hoursFactor,
    gb * storageFactor,
    roughHours * hoursFactor,
    roughGb * storageFactor,
  ]);
  const monthly = (hours, gb) =>
    prices.replicas * (prices.instance_per_hour * hours + prices.storage_per_gb_month * gb);
  const of = (value, rough) => estimate(scaled.map(value), scaled.map(rough), cost.quantiles);
  return {
    hours: of((t) => t[0], (t) => t[2]),
    stored: of((t) => t[1], (t) => t[3]),
    monthly: of((t) => monthly(t[0], t[1]), (t) => monthly(t[2], t[3])),
  };
}

function recompute(form) {
  const inputs = [...form.querySelectorAll("input")];
  if (!inputs.every((input) => input.checkValidity() && input.value !== "")) return;
  const prices = Object.fromEntries(inputs.map((input) => [input.name, Number(input.value)]));
  const cost = data.costs[form.dataset.cost];
  const rows = [...document.querySelectorAll(`#${form.dataset.cost} tbody tr`)];
  const costs = new Map();
  for (const row of rows) {
    const found = armCost(cost.arms[row.dataset.arm], cost, prices);
    const show = (name, text) => (row.querySelector(`[data-field=${name}]`).textContent = text);
    show("instances", number(found.hours.value / cost.hours_per_month));
    show("storage", `${number(found.stored.value)} GB`);
    show("monthly", number(found.monthly.value));
    show("interval", found.monthly.low === undefined ? "" : `${number(found.monthly.low)} to ${number(found.monthly.high)}`);
    if (cost.eligible.includes(row.dataset.arm)) costs.set(row, found.monthly.value);
  }
  const least = Math.min(...costs.values());
  for (const row of rows) row.classList.toggle("cheapest", costs.get(row) === least);
}

for (const form of document.querySelectorAll("form[data-cost]")) {
  form.addEventListener("input", () => recompute(form));
  form.addEventListener("submit", (event) => event.preventDefault());
}

drawAll();
