import { figure } from './measure/quantity.ts';
import type { Spread } from './measure/statistics.ts';
import { type Results, spread } from './results.ts';

const width = 760;
const left = 290;
const right = 70;
const top = 56;
const barHeight = 20;
const rowHeight = 34;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .note, .tick { fill: #59636e; font-size: 12px; }
  .bar { fill: #8c959f; }
  .ours { fill: #0969da; }
  .whisker { stroke: #1f2328; stroke-width: 1.5; }
  .grid { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note, .tick { fill: #9198a1; }
    .bar { fill: #656c76; }
    .ours { fill: #4493f8; }
    .whisker { stroke: #e6edf3; }
    .grid { stroke: #3d444d; }
  }`;

type Bar = { title: string; ours: boolean; cost: Spread };

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A round step that divides the axis into about five. */
function stepFor(largest: number): number {
  const rough = largest / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
}

function grid(largest: number, scale: (value: number) => number, bottom: number): string {
  const step = stepFor(largest);
  return Array.from({ length: Math.floor(largest / step) + 1 }, (_, at) => at * step)
    .map((value) => {
      const x = scale(value).toFixed(1);
      return `<line class="grid" x1="${x}" x2="${x}" y1="${top - 6}" y2="${bottom}"/><text class="tick" x="${x}" y="${bottom + 16}" text-anchor="middle">${value}</text>`;
    })
    .join('\n');
}

function drawBar({ title, ours, cost }: Bar, at: number, scale: (value: number) => number): string {
  const y = top + at * rowHeight;
  const middle = y + barHeight / 2;
  const [low, high, end] = [cost.low, cost.high, cost.median].map((value) => scale(value).toFixed(1));
  const labelX = (scale(Math.max(cost.high, cost.median)) + 8).toFixed(1);
  return `<text x="${left - 10}" y="${middle + 4}" text-anchor="end">${escaped(title)}</text>
<rect class="${ours ? 'ours' : 'bar'}" x="${left}" y="${y}" width="${(Number(end) - left).toFixed(1)}" height="${barHeight}" rx="2"/>
<path class="whisker" fill="none" d="M${low} ${middle}H${high}M${low} ${middle - 4}v8M${high} ${middle - 4}v8"/>
<text x="${labelX}" y="${middle + 4}">${figure(cost.median)}</text>`;
}

/** A bar chart of CPU time per request in the main workload, cheapest first; undefined when that was not measured. */
export function chartOf(results: Results): string | undefined {
  const bars = results.peers
    .flatMap(({ name, title }): Bar[] => {
      const cost = spread(results, 'main', name, (one) => one.cpuMicros);
      return cost ? [{ title, ours: name === 'gatewarden', cost }] : [];
    })
    .sort((a, b) => a.cost.median - b.cost.median);
  if (bars.length === 0) return undefined;
  const largest = Math.max(...bars.map(({ cost }) => cost.high));
  const scale = (value: number): number => left + (value / largest) * (width - left - right);
  const bottom = top + bars.length * rowHeight - (rowHeight - barHeight) + 6;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 28}" role="img" aria-label="CPU time per request of each proxy">
<style>${style}
</style>
<text class="title" x="0" y="18">CPU time per request, µs</text>
<text class="note" x="0" y="37">1 KB request head with a bearer token, 1 KiB answer, 64 connections, one core; less is better; whiskers are quartiles</text>
${grid(largest, scale, bottom)}
${bars.map((bar, at) => drawBar(bar, at, scale)).join('\n')}
</svg>
`;
}
