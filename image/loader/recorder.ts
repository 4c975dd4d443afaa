/** Takes the place of the loader while an image is built: writes the compiled code of the files that threads loaded. */
import { renameSync, writeFileSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { Script } from 'node:vm';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';
import { programFiles } from './program-files.ts';

/** Where the files are in an image. The compiled code holds this name, and not the place of the build. */
const PLACE = 'file:///usr/lib/gatewarden/code/';

/** Position and length of the hash of V8's flags in what V8 writes. */
const FLAGS_AT = 12;
const FLAGS_END = 16;

interface Loaded {
  readonly script: Script;
  /** Hash of the flags when the file was compiled: V8 compares it then, and the program may set flags later. */
  readonly flags: Uint8Array;
}

/** Runs a file. The signal SIGUSR2 has all threads write what they compiled. */
export function start(folder: string, name: string): void {
  const files = new Map<string, Loaded>();
  const load = programFiles(folder, (path, text) => {
    // A text of its own: a part of a text holds all of it in V8, with the place of this build.
    const filename = Buffer.from(PLACE + basename(path)).toString('latin1');
    const script = new Script(text, { filename });
    files.set(path, { script, flags: script.createCachedData().subarray(FLAGS_AT, FLAGS_END) });
    return script;
  });
  const channel = new BroadcastChannel('recorder');
  channel.onmessage = record;
  channel.unref();
  if (isMainThread) {
    process.on('SIGUSR2', () => {
      channel.postMessage('record');
      for (const other of process.env['RECORDED_FILES']!.split(' ')) load(other);
      record();
    });
  }
  load(name);

  function record(): void {
    for (const [path, { script, flags }] of files) {
      const compiled = script.createCachedData();
      compiled.set(flags, FLAGS_AT);
      // Units write the same files.
      const own = `${path}.cache-${threadId}`;
      writeFileSync(own, compiled);
      renameSync(own, `${path}.cache`);
    }
    writeSync(2, `recorded ${name}\n`);
  }
}
