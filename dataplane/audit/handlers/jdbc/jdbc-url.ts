import { ValueProblem } from '../../../../contract/problem.ts';

/** Place of a database, and what its URL says about connections. */
export interface JdbcPlace {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly useTls: boolean;
  /** User name in the URL, or null. */
  readonly user: string | null;
  readonly schema: string | null;
  readonly applicationName: string | null;
}

const FORM = /^jdbc:postgresql:(?:\/\/(?<places>[^/?#]*)\/)?(?<database>[^/?#]*)(?:\?(?<query>[^#]*))?$/;
const PLACE = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<name>[^:[\]@\s]+))(?::(?<port>\d{1,5}))?$/;
const ENCRYPTED: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full']);

/** Reads a URL as Java programs have it. Messages show nothing of it but names of parameters. @throws ValueProblem */
export function readJdbcUrl(text: string): JdbcPlace {
  const found = FORM.exec(text)?.groups;
  if (found === undefined) {
    const hint = 'write jdbc:postgresql://HOST:PORT/DATABASE?sslmode=verify-full';
    throw new ValueProblem('value', 'is not the JDBC URL of a PostgreSQL database', hint);
  }
  const { places = 'localhost:5432', database = '', query = '' } = found;
  if (places.includes('@'))
    throw new ValueProblem('value', "must hold no credentials: use 'username' and 'passwordSecretId'");
  if (places.includes(','))
    throw new ValueProblem('value', 'must name one host: failover between hosts is not supported');
  const place = PLACE.exec(places === '' ? 'localhost' : places)?.groups;
  const port = Number(place?.['port'] ?? 5432);
  if (place === undefined || port < 1 || port > 65_535) throw new ValueProblem('value', 'has no valid host and port');
  if (database === '') throw new ValueProblem('value', 'must name a database after the host');
  const parameters = readParameters(query);
  return {
    host: place['v6'] ?? decoded(place['name']!),
    port,
    database: decoded(database),
    useTls: usesTls(parameters),
    user: parameters.get('user') ?? null,
    schema: parameters.get('currentSchema') ?? null,
    applicationName: parameters.get('ApplicationName') ?? null,
  };
}

const KNOWN: ReadonlySet<string> = new Set(['user', 'ssl', 'sslmode', 'currentSchema', 'ApplicationName']);
const ELSEWHERE: Readonly<Record<string, string>> = {
  password: "'password' must not be in the URL: use 'passwordSecretId'",
  sslrootcert: "'sslrootcert' is not supported: use 'tls' with a trustManager",
  sslcert: "'sslcert' is not supported: use 'tls' with a keyManager",
  sslkey: "'sslkey' is not supported: use 'tls' with a keyManager",
  connectTimeout: "'connectTimeout' is not supported: use 'connectionTimeout' of the connectionPool",
  loginTimeout: "'loginTimeout' is not supported: use 'connectionTimeout' of the connectionPool",
  socketTimeout: "'socketTimeout' is not supported: use 'timeout'",
};

function readParameters(query: string): Map<string, string> {
  const read = new Map<string, string>();
  for (const part of query.split('&').filter(Boolean)) {
    const equals = part.indexOf('=');
    const name = decoded(equals < 0 ? part : part.slice(0, equals));
    if (!KNOWN.has(name)) {
      const elsewhere = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
      throw new ValueProblem('value', elsewhere ?? `the parameter '${name.slice(0, 40)}' is not supported`);
    }
    read.set(name, equals < 0 ? '' : decoded(part.slice(equals + 1)));
  }
  return read;
}

function usesTls(parameters: ReadonlyMap<string, string>): boolean {
  const mode = parameters.get('sslmode')?.toLowerCase();
  if (mode === 'allow' || mode === 'prefer') {
    throw new ValueProblem('value', `sslmode=${mode} is not supported: use verify-full, or disable for no encryption`);
  }
  if (mode !== undefined && mode !== 'disable' && !ENCRYPTED.has(mode)) {
    throw new ValueProblem('value', 'sslmode must be verify-full, verify-ca, require or disable');
  }
  if (mode !== undefined) return ENCRYPTED.has(mode);
  const ssl = parameters.get('ssl');
  if (ssl !== undefined && ssl !== '' && ssl !== 'true' && ssl !== 'false') {
    throw new ValueProblem('value', 'ssl must be true or false');
  }
  return ssl === '' || ssl === 'true';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ValueProblem('value', 'is not percent-encoded UTF-8');
  }
}
