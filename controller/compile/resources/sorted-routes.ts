import { compareRoutes } from '../../../contract/route-order.ts';
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
    if (before !== null && after !== null && compareRoutes(before, after) === 0) this.routes[this.find(before)] = after;
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
      if (compareRoutes(this.routes[middle]!, route) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
