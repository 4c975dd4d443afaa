import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const source = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/** Returns the rules of axe that a page breaks, each with the elements that do. The context must bypass the policy of the page. */
export async function accessibilityBreaches(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(source, 'utf8'));
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations.map(({ id, nodes }) => ({
      id,
      targets: nodes.map((node) => node.target.join(' ')),
    }));
  });
  return violations.map(({ id, targets }) => `${id}: ${targets.join(', ')}`);
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
