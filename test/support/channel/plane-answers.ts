import { expect, vi } from 'vitest';

/** How long something may take that has to happen, on a machine that others use too. */
export const PATIENCE = { timeout: 60_000, interval: 50 };

/** Status and text of what a plane answers. */
export async function planeAnswer(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return `${answer.status} ${await answer.text()}`;
}

/** Resolves when a plane answers so. */
export async function untilAnswer(port: number, path: string, expected: string | RegExp): Promise<void> {
  await vi.waitFor(async () => expect(await planeAnswer(port, path)).toMatch(expected), PATIENCE);
}
