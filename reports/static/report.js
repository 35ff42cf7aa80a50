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
}

for (const form of document.querySelectorAll("form[data-cost]")) {
  form.addEventListener("input", () => recompute(form));
  form.addEventListener("submit", (event) => event.preventDefault());
}

drawAll();
