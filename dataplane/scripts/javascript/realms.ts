import { retireHomesOf } from './home.ts';
import { QuickJs } from './quickjs.ts';

/** Memory of all scripts of one tenant in one thread. */
const MOST_BYTES = 128 * 1024 * 1024;

/** The scripts of one tenant that run in this thread, with their memory. */
interface Realm {
  /** Scripts that ran and are not gone. */
  readonly scripts: Set<object>;
  quickJs: QuickJs | null;
  coming: Promise<QuickJs> | null;
}

/** Tenants share no memory: an operation that is broken off makes it useless for all that use it. */
const realms = new Map<string, Realm>();

/** The memory of a tenant, if it is there. */
export function quickJsOrNull(name: string): QuickJs | null {
  return realms.get(name)?.quickJs ?? null;
}

/** Makes a tenant keep its memory as long as the script is there. */
export function enterRealm(name: string, script: object): void {
  const realm = realms.get(name) ?? { scripts: new Set(), quickJs: null, coming: null };
  realms.set(name, realm);
  realm.scripts.add(script);
}

/** The script is gone: with the last one of a tenant, its memory goes too. */
export function leaveRealm(name: string, script: object): void {
  const realm = realms.get(name);
  if (realm?.scripts.delete(script) === true && realm.scripts.size === 0) realms.delete(name);
}

/** The memory of a tenant, which others find too if it has a script. */
export async function quickJsOf(name: string): Promise<QuickJs> {
  const realm = realms.get(name) ?? { scripts: new Set(), quickJs: null, coming: null };
  if (realm.quickJs !== null) return realm.quickJs;
  realm.coming ??= made(realm).finally(() => {
    realm.coming = null;
  });
  return realm.coming;
}

async function made(realm: Realm): Promise<QuickJs> {
  const quickJs = await QuickJs.create(MOST_BYTES);
  realm.quickJs = quickJs;
  const onLost = (): void => {
    if (realm.quickJs === quickJs) realm.quickJs = null;
    // QuickJS may be in the middle of a run.
    queueMicrotask(() => retireHomesOf(quickJs));
  };
  quickJs.onLost = onLost;
  return quickJs;
}
