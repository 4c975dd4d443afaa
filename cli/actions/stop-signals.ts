import { errorText } from '../../platform/error-text.ts';

// 128 + number is how a shell reports a process that a signal ended.
const endings = { SIGINT: () => process.exit(128 + 2), SIGTERM: () => process.exit(128 + 15) } as const;

/** What a stop signal does now. One listener stays for good: a signal that waits for it is lost when it is removed. */
let stop = (end: () => never): void => end();

/**
 * Ends the process at SIGTERM or SIGINT, until there is something to drain. The system does so by itself, but not for the
 * first process of a container, which would start on unmoved.
 */
export function endAtStopSignal(): void {
  for (const [signal, end] of Object.entries(endings)) process.on(signal, () => stop(end));
}

/** From now on calls `drain` at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function onStopSignal(drain: () => Promise<void>): void {
  stop = () => {
    stop = (end) => end();
    drain().catch((error: unknown) => {
      process.stderr.write(`gatewarden: could not drain: ${errorText(error)}\n`);
      process.exit(1);
    });
  };
}
