import type { Compilation } from '../compile/compiler.ts';
import type { VerdictRoute } from '../compile/verdict.ts';

/** Name of the heap that the routers of `config.json` are in. */
export const HEAP = 'gateway';

/** Returns the paths of the routes of all routers. */
export function routerPaths({
  routers,
  verdicts,
}: Compilation): { readonly steps: string[]; readonly router: string }[] {
  const routes = verdicts.flatMap(({ route }) => (route === null ? [] : [route]));
  const around = (router: string): VerdictRoute[] =>
    routers.size === 1 ? [] : routes.filter((route) => router.startsWith(`${route.router}.${route.name}.`));
  return [...routers.keys()].flatMap((router) => {
    const outer = around(router).toSorted((a, b) => a.router.length - b.router.length);
    const steps = ['system', 'objects'];
    let prefix = HEAP;
    for (const route of outer) {
      steps.push(route.router.slice(prefix.length + 1), 'routes', route.id, 'objects');
      prefix = `${route.router}.${route.name}`;
    }
    return router.startsWith(`${prefix}.`)
      ? [{ steps: [...steps, router.slice(prefix.length + 1), 'routes'], router }]
      : [];
  });
}
