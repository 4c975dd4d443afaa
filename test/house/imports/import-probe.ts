import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import tls from 'node:tls';
import { pathToFileURL } from 'node:url';

// Runs in a process of its own: imports the modules named on the command line and prints what their import did.
const [root, ...modules] = process.argv.slice(2) as [string, ...string[]];
const ownUrl = import.meta.url;
const rootUrl = `${pathToFileURL(root).href}/`;
const tick = setImmediate;
const problems = new Set<string>();
let importing = '';

const watched = { childProcess, dgram, dns, fs, fsPromises, http, http2, https, net, os, timers, timersPromises, tls };
for (const [name, module] of Object.entries(watched)) watchFunctions(name, module);
syncBuiltinESMExports();
watchFunctions('globalThis', globalThis, ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch']);
watchFunctions('process', process, ['on', 'once', 'addListener', 'prependListener', 'nextTick', 'chdir']);
watchFunctions('process.stdout', process.stdout, ['write']);
watchFunctions('process.stderr', process.stderr, ['write']);
process.env = new Proxy(process.env, {
  get(environment, key) {
    report(`reads process.env.${String(key)}`);
    return environment[key as string];
  },
});
process.on('uncaughtException', (error) => problems.add(`${importing}: ${error.message}`));

const before = process.getActiveResourcesInfo();
for (const module of modules) await probe(module);
// The last line is the report, whatever was printed before it.
fs.writeSync(1, `\n${JSON.stringify([...problems])}`);
// What is open has been reported; a clean process has to end by itself.
if (problems.size > 0) process.exit();

async function probe(module: string): Promise<void> {
  importing = module;
  try {
    await import(`${rootUrl}${module}`);
  } catch (error) {
    problems.add(`${module}: cannot be imported: ${error instanceof Error ? error.message : String(error)}`);
  }
  // What the import itself used, such as a file being closed, is gone after a few turns of the event loop.
  for (let turn = 0; turn < 20 && newResources().length > 0; turn++) await new Promise((resolve) => tick(resolve));
  for (const resource of newResources()) problems.add(`${module}: leaves ${resource} open`);
  before.push(...newResources());
}

/** The resources that were not there before, without the turn of the event loop that the probe itself waits for. */
function newResources(): string[] {
  const left = process.getActiveResourcesInfo().filter((name) => name !== 'Immediate');
  for (const known of before) {
    const at = left.indexOf(known);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function watchFunctions(owner: string, holder: object, names = functionNames(holder)): void {
  for (const name of names) {
    const original: unknown = Reflect.get(holder, name);
    if (typeof original !== 'function') continue;
    const watching = new Proxy(original, {
      apply(target, self, words) {
        report(`calls ${owner}.${name}`);
        return Reflect.apply(target as (...words: unknown[]) => unknown, self, words);
      },
    });
    Reflect.set(holder, name, watching);
  }
}

/** Functions that act; constructors and questions such as `net.isIP` do nothing to the world. */
function functionNames(holder: object): string[] {
  return Object.keys(holder).filter((name) => /^[a-z]/.test(name) && !/^is[A-Z]/.test(name));
}

/** Blames the nearest file of ours on the stack; what a package does while it is loaded is not ours. */
function report(deed: string): void {
  const frames = (new Error().stack ?? '').split('\n').filter((frame) => frame.includes(rootUrl));
  const culprit = frames.find((frame) => !frame.includes(ownUrl) && !frame.includes('/node_modules/'));
  const path = culprit?.slice(culprit.indexOf(rootUrl) + rootUrl.length).replace(/:\d+\)?$/, '');
  if (path !== undefined) problems.add(`${path}: ${deed} while it is imported`);
}
