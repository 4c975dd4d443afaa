import type { CompiledRoute } from '../snapshot.ts';

/** Routes in the order in which they are tried: by name, then by id. A change costs little however many there are. */
export class SortedRoutes {
  private routes: CompiledRoute[] = [];
  private isShared = false;

  /** All of them; the array stays as it is. */
  all(): readonly CompiledRoute[] {
    this.isShared = true;
    return this.routes;
  }

  replace(before: CompiledRoute | null, after: CompiledRoute | null): void {
    if (before === after) return;
    if (this.isShared) this.routes = [...this.routes];
    this.isShared = false;
    if (before !== null && after !== null && compare(before, after) === 0) this.routes[this.find(before)] = after;
    else {
      if (before !== null) this.routes.splice(this.find(before), 1);
      if (after !== null) this.routes.splice(this.find(after), 0, after);
    }
  }

  /** Where a route is, or where it belongs. */
  private find(route: CompiledRoute): number {
    let [low, high] = [0, this.routes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.routes[middle]!, route) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare(a: CompiledRoute, b: CompiledRoute): number {
  return compareTexts(a.name, b.name) || compareTexts(a.id, b.id);
}

/** Characters compare by their code, as planes order routes. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
