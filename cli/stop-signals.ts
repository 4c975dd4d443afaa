const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** Calls `drain` at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function onStopSignal(drain: () => Promise<void>): void {
  let draining = false;
  for (const [signal, number] of Object.entries(signalNumbers)) {
    process.on(signal, () => {
      // 128 + number is how a shell reports a process that a signal ended.
      if (draining) process.exit(128 + number);
      draining = true;
      drain().catch((error: unknown) => {
        process.stderr.write(
          `gatewarden: could not drain: ${error instanceof Error ? error.message : String(error)}\n`,
        );
        process.exit(1);
      });
    });
  }
}
