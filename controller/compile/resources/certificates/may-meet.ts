import { GROUP_LABEL, type PlaneSelector } from '../resource-verdict.ts';

/**
 * Whether two selectors may select one data plane: only a label that both want with different values rules it out.
 * @param defaultGroup the group that no selector at all stands for
 */
export function mayMeet(a: PlaneSelector | null, b: PlaneSelector | null, defaultGroup: string): boolean {
  const [one, other] = [wanted(a, defaultGroup), wanted(b, defaultGroup)];
  return Object.entries(one).every(([label, value]) => (other[label] ?? value) === value);
}

function wanted(selector: PlaneSelector | null, defaultGroup: string): Readonly<Record<string, string>> {
  return selector === null ? { [GROUP_LABEL]: defaultGroup } : selector.matchLabels;
}
