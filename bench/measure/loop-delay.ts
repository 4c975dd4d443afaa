import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Loaded before a program with `--import`: on SIGUSR2 it prints how long the main thread was busy at most since the last time. */
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
process.on('SIGUSR2', () => {
  process.stderr.write(`loop-delay ${Math.round(delays.max / 1e6)}\n`);
  delays.reset();
});
