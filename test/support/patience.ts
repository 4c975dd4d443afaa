import { expect, vi } from 'vitest';

/** Longest wait for an event that has to happen. Only a test that fails anyway waits this long. */
const PATIENCE = 240_000;

interface Wait {
  readonly interval?: number;
  readonly timeout?: number;
}

// What a test writes is at most a guess about a quiet machine: a busy one takes its time, and must not fail for it.
function patient(given: Wait | number = {}): { interval: number; timeout: number } {
  const { interval = 50, timeout = 0 } = typeof given === 'number' ? { timeout: given } : given;
  return { interval, timeout: Math.max(timeout, PATIENCE) };
}

// files that share a process share these objects, and this file runs before each of them
if (!('isPatient' in vi)) {
  const { waitFor, waitUntil } = vi;
  const { poll } = expect;
  Object.assign(vi, { isPatient: true });
  vi.waitFor = (check, options) => waitFor(check, patient(options));
  vi.waitUntil = (check, options) => waitUntil(check, patient(options));
  expect.poll = (read, options) => poll(read, { ...options, ...patient(options) });
}
