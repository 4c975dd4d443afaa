/** Returns the places of the packages that modules belong to, as the lockfile writes them, each once. */
export function packagePlaces(moduleIds: readonly string[]): string[] {
  return [...new Set(moduleIds.filter((id) => id.includes('/node_modules/')).map(placeOf))].sort();
}

function placeOf(id: string): string {
  const inside = id.slice(id.indexOf('/node_modules/') + 1);
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? inside;
}
