/** A path below the access manager, with its realm taken out of it. */
export interface RealmPath {
  /** Null where there is no such realm. */
  readonly realm: string | null;
  readonly path: string;
}

/** First segments behind `/json` and `/oauth2` that are no realms. */
const RESOURCES = new Set([
  'serverinfo',
  'authenticate',
  'sessions',
  'policies',
  'users',
  'introspect',
  'authorize',
  'connect',
  'access_token',
  'token',
  'tokeninfo',
]);

/** Understands `/json/realms/root/realms/customers/policies` and `/json/customers/policies`. */
export function realmPath(path: string, realms: ReadonlySet<string>): RealmPath {
  const [, api, ...segments] = path.split('/');
  if (api !== 'json' && api !== 'oauth2') return { realm: '/', path };
  const names: string[] = [];
  let rest = segments;
  if (rest[0] === 'realms') {
    while (rest[0] === 'realms' && rest.length > 1) {
      names.push(decodeURIComponent(rest[1]!));
      rest = rest.slice(2);
    }
    if (names.shift() !== 'root') return { realm: null, path };
  } else {
    while (rest.length > 1 && !RESOURCES.has(rest[0]!)) {
      names.push(decodeURIComponent(rest[0]!));
      rest = rest.slice(1);
    }
  }
  const realm = `/${names.join('/')}`;
  return { realm: realms.has(realm) ? realm : null, path: `/${[api, ...rest].join('/')}` };
}
