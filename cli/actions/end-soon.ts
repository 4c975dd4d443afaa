/** Milliseconds that whatever is still open may take to end by itself. */
const GRACE = 500;

/**
 * Lets the process end although something is still open: gRPC cannot call off an attempt to connect, and one to a machine
 * that is gone takes minutes.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), GRACE).unref();
}
