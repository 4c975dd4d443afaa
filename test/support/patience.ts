import { vi } from 'vitest';

/** Longest wait for an event that has to happen. Only a test that fails anyway waits this long. */
const PATIENCE = 240_000;

const { waitFor } = vi;

// What a test writes is at most a guess about a quiet machine: a busy one takes its time, and must not fail for it.
vi.waitFor = (check, options = {}) => {
  const { interval = 50, timeout = 0 } = typeof options === 'number' ? { timeout: options } : options;
  return waitFor(check, { interval, timeout: Math.max(timeout, PATIENCE) });
};
