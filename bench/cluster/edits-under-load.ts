import { PlaneProbe } from './plane-probe.ts';
import type { RoutesClient } from './routes-client.ts';

/** How many connections ask all the time, over all planes. */
const CONNECTIONS = 64;
/** Routes that are edited in turn. */
const EDITED = 10;

/**
 * Edits Routes while clients ask for them. An answer is wrong when it is none of the Route, or of an older version than
 * that connection has had.
 */
export async function editsUnderLoad(
  client: RoutesClient,
  planes: readonly { readonly port: number }[],
  edits: number,
  route: (at: string, version: number) => readonly [name: string, spec: object],
): Promise<{ readonly wrong: number; readonly answered: number }> {
  const names = Array.from({ length: EDITED }, (_, at) => `load${at}`);
  for (const name of names) await client.apply(...route(name, 0));
  const counts = { wrong: 0, answered: 0 };
  let isOver = false;
  const asking = Array.from({ length: CONNECTIONS }, async (_, at) => {
    const probe = await PlaneProbe.connect(planes[at % planes.length]!.port);
    const newest = new Map<string, number>();
    for (const name of names) await probe.until(`/r${name}/`, (answer) => answer.startsWith('200'));
    for (let turn = at; !isOver; turn++) {
      const name = names[turn % EDITED]!;
      const answer = await probe.ask(`/r${name}/`);
      const version = Number(/^200 version (\d+)$/.exec(answer)?.[1] ?? -1);
      counts.answered++;
      if (version < (newest.get(name) ?? 0)) counts.wrong++;
      newest.set(name, version);
    }
    probe.close();
  });
  for (let edit = 1; edit <= edits; edit++) await client.apply(...route(names[edit % EDITED]!, edit));
  isOver = true;
  await Promise.all(asking);
  return counts;
}
