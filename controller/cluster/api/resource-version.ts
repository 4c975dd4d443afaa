/** Whether a resourceVersion comes before another one. They are whole numbers, larger than a number can hold. */
export function isOlderVersion(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

/** The highest of some resourceVersions; null when none is known. */
export function highestVersion(versions: readonly (string | null)[]): string | null {
  let highest: string | null = null;
  for (const version of versions) {
    if (version !== null && (highest === null || isOlderVersion(highest, version))) highest = version;
  }
  return highest;
}

/** The lowest of some resourceVersions; null when there is none, or when one of them is not known. */
export function lowestVersion(versions: readonly (string | null)[]): string | null {
  let lowest: string | null = null;
  for (const version of versions) {
    if (version === null) return null;
    if (lowest === null || isOlderVersion(version, lowest)) lowest = version;
  }
  return lowest;
}
