/** A host as grants and certificates have it: in lower case, and without the dot of the root at the end. */
export function plainHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
