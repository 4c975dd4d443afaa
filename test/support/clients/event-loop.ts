/** Lets the event loop go round once, so that everything that is ready is handled. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Goes round until the condition holds; for what shows itself in this process and has no event of its own. */
export async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

/**
 * Goes round until the figure has not moved for many turns: with every peer in this process and on loopback, what still
 * could move would have moved.
 */
export async function untilStill(figure: () => number, turns = 300): Promise<number> {
  let last = figure();
  for (let still = 0; still < turns; still++) {
    await nextTurn();
    if (figure() === last) continue;
    last = figure();
    still = 0;
  }
  return last;
}
