import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { vi } from 'vitest';
import type { DeployedGateway } from '../gateways/deployed-gateway.ts';
import { testedGateway } from '../gateways/tested-gateway.ts';
import type { TestCluster } from './cluster.ts';
import { sayingRoute } from './deployed-routes.ts';

/** Where planes keep what they serve, and how they are told. */
export interface Keeping {
  readonly directory: string;
  readonly file: string;
  readonly key: string;
  readonly words: readonly string[];
}

/** A gateway with one controller and one Route, `/hello`, that says `first`, for the rest of the test. */
export async function helloGateway(cluster: TestCluster, namespace: string): Promise<DeployedGateway> {
  const gateway = await testedGateway({ access: cluster, namespaces: [namespace] });
  await gateway.apply(sayingRoute(namespace, 'hello', 'first'));
  await gateway.startController();
  return gateway;
}

/** A directory, by default one of this name, with a key of its own. */
export function keepingIn(gateway: DeployedGateway, name: string, path = name): Keeping {
  const directory = gateway.at(path);
  const key = gateway.at(`${name}.key`);
  if (!existsSync(key)) writeFileSync(key, randomBytes(32));
  const words = ['--snapshot', directory, '--snapshot-key', key];
  return { directory, file: `${directory}/snapshot.sealed`, key, words };
}

/** Resolves when something was written; with `before`, something else than that. */
export async function untilKept(file: string, before: Buffer | null = null): Promise<Buffer> {
  return vi.waitFor(
    () => {
      if (statSync(file).size === 0) throw new Error('nothing was written yet');
      const bytes = readFileSync(file);
      if (before?.equals(bytes)) throw new Error('it is the one before');
      return bytes;
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Whether a line begins so. */
export function spoken(text: string): (line: { readonly msg: string }) => boolean {
  return ({ msg }) => msg.startsWith(text);
}
