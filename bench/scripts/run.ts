/** `npm run bench:scripts`: the cost of scripts for each request, their memory, and an endless loop beside other routes. */
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { scriptOptions } from '../../platform/script-options.ts';
import { spreadOf } from '../measure/statistics.ts';
import { type Beside, besideEndlessLoop } from './endless.ts';
import type { RouteMemory } from './memory.ts';

const USAGE = `usage: npm run bench:scripts -- [--only PARTS] [--rounds N] [--laps N] [--scripts N] [--seconds N]
Measures a filter that reads a header and sets another, in Groovy and in JavaScript, in turns with the same route without
it; the memory of many scripts; and the answers of a route beside another one whose script never ends, at 100 requests a
second. Figures are medians with quartiles.
  --only PARTS   some of cost,memory,endless (all of them)
  --rounds N     rounds of each part (5)
  --laps N       laps of 32,000 requests of each chain, of which the first third does not count (9)
  --scripts N    script objects in one unit (1000)
  --seconds N    seconds of the endless loop (10)
`;
const { only, rounds, laps, scripts, seconds } = scriptOptions(USAGE, {
  only: 'cost,memory,endless',
  rounds: '5',
  laps: '9',
  scripts: '1000',
  seconds: '10',
}).values;

const LANGUAGES = ['groovy', 'javascript'] as const;

/** Output of a program of the bench, in a process of its own. */
function run(program: string, ...words: readonly string[]): string {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawnSync(process.execPath, ['--expose-gc', path, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status !== 0) throw new Error(`${program} ${words.join(' ')} failed`);
  return child.stdout;
}

class Figures {
  readonly #unit: string;
  readonly #digits: number;
  readonly #values = new Map<string, number[]>();

  constructor(unit: string, digits = 1) {
    this.#unit = unit;
    this.#digits = digits;
  }

  add(name: string, value: number): void {
    this.#values.set(name, [...(this.#values.get(name) ?? []), value]);
  }

  print(): void {
    for (const [name, values] of this.#values) {
      const { median, low, high } = spreadOf(values)!;
      const [middle, ...ends] = [median, low, high].map((value) => value.toFixed(this.#digits));
      console.log(`${name}: ${middle} ${this.#unit} (${ends.join('–')})`);
    }
  }
}

/** Chains of `bench/chain.ts` take turns. */
function cost(): void {
  const figures = new Figures('µs a request');
  for (let round = 0; round < Number(rounds); round++) {
    const microseconds = (chain: string): number => Number(run('../chain.ts', chain, '--laps', laps)) / 1000;
    const route = microseconds('route');
    figures.add('route', route);
    for (const language of LANGUAGES) {
      const script = microseconds(language);
      figures.add(`route with a filter in ${language}`, script);
      figures.add(`the filter in ${language} adds`, script - route);
    }
  }
  figures.print();
}

function memory(): void {
  const figures = new Figures('KB');
  const each = (language: string): RouteMemory => JSON.parse(run('memory.ts', language, scripts)) as RouteMemory;
  for (let round = 0; round < Number(rounds); round++) {
    const none = each('none');
    for (const language of LANGUAGES) {
      const script = each(language);
      figures.add(`heap of a route in ${language}`, script.heap / 1024);
      figures.add(`heap of a script object in ${language}`, (script.heap - none.heap) / 1024);
      figures.add(`heap of one that was used in ${language}`, (script.heapUsed - none.heapUsed) / 1024);
      figures.add(`resident memory of one that was used in ${language}`, (script.resident - none.resident) / 1024);
    }
  }
  figures.print();
}

async function endless(): Promise<void> {
  const figures = new Figures('ms');
  let lost = 0;
  let answers = 0;
  const measure = async (language: 'groovy' | 'javascript' | null): Promise<Beside> => {
    const found = await besideEndlessLoop(language, Number(seconds));
    lost += found.lost;
    answers += found.answers;
    return found;
  };
  for (let round = 0; round < Number(rounds); round++) {
    const none = await measure(null);
    figures.add('p99 of the other route', none.p99);
    for (const language of LANGUAGES) {
      const loop = await measure(language);
      figures.add(`p99 of the other route, loop in ${language}`, loop.p99);
      figures.add(`the loop in ${language} adds to p99`, loop.p99 - none.p99);
      figures.add(`slowest answer, loop in ${language}`, loop.highest);
    }
  }
  figures.print();
  console.log(`lost: ${lost} of ${answers}`);
}

const parts = only.split(',');
console.log(`load average ${loadavg()[0]!.toFixed(1)} at the beginning`);
if (parts.includes('cost')) cost();
if (parts.includes('memory')) memory();
if (parts.includes('endless')) await endless();
console.log(`load average ${loadavg()[0]!.toFixed(1)} at the end`);
