import { GMap, GSet, List } from '../../values/collections.ts';
import { isNumber, toLong } from '../../values/conversions.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { Plain } from '../encoding/encoding-classes.ts';
import { JsonSyntaxError, jacksonManner, readJson } from '../json/json-reader.ts';
import { writeJson } from '../json/json-writer.ts';
import { DateValue } from '../time/date-value.ts';
import { jackson } from './jackson-writing.ts';
import { JsonNode } from './json-node.ts';

const JOSE = 'org.forgerock.json.jose.';

/** A signed token that is read, and not verified. */
interface Token {
  readonly header: GMap;
  readonly claims: GMap;
  readonly source: string;
}

function part(rt: Runtime, text: string | undefined): GMap {
  try {
    const value = readJson(Buffer.from(text ?? '', 'base64url').toString('utf8'), jacksonManner, rt.budget);
    if (value instanceof GMap) return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  return rt.fail(`${JOSE}exceptions.InvalidJwtException`, 'not right number of dots or not JSON');
}

function reconstructed(rt: Runtime, source: string): Plain<Token> {
  const parts = source.split('.');
  if (parts.length !== 3)
    return rt.fail(`${JOSE}exceptions.InvalidJwtException`, `not right number of dots, ${parts.length - 1}`);
  return new Plain(rt, `${JOSE}jws.SignedJwt`, { header: part(rt, parts[0]), claims: part(rt, parts[1]), source });
}

type Claims = Plain<{ readonly claims: GMap }>;

const claim =
  (name: string, shown: (value: Value, rt: Runtime) => Value = (value) => value): LibraryFunction =>
  (rt: Runtime, self: Claims) => {
    const value = self.state.claims.get(name) ?? null;
    return value === null ? null : shown(value, rt);
  };

const date = (value: Value, rt: Runtime): Value =>
  isNumber(value) ? new DateValue(rt, Number(toLong(value)) * 1000) : null;
const audience = (value: Value): Value => (value instanceof List ? value : new List([value]));

export const jwtClasses: readonly ClassSpec[] = [
  {
    name: `${JOSE}common.JwtReconstruction`,
    constructors: { '()': (rt) => new Plain(rt, `${JOSE}common.JwtReconstruction`, null) },
    methods: { 'reconstructJwt(String, Class)': (rt, _self: Value, [text]: [string]) => reconstructed(rt, text) },
  },
  { name: `${JOSE}jwt.Jwt`, kind: 'interface' },
  {
    name: `${JOSE}jws.SignedJwt`,
    interfaces: [`${JOSE}jwt.Jwt`],
    methods: {
      'getClaimsSet()': (rt, self: Plain<Token>) =>
        new Plain(rt, `${JOSE}jwt.JwtClaimsSet`, { claims: self.state.claims }),
      'getHeader()': (rt, self: Plain<Token>) => new Plain(rt, `${JOSE}jws.JwsHeader`, { claims: self.state.header }),
    },
  },
  {
    name: `${JOSE}jws.JwsHeader`,
    methods: {
      'getAlgorithm()': claim('alg'),
      'getKeyId()': claim('kid'),
      'getType()': claim('typ'),
      'getParameter(String)': (_rt, self: Claims, [name]: [string]) => self.state.claims.get(name) ?? null,
    },
  },
  {
    name: `${JOSE}jwt.JwtClaimsSet`,
    methods: {
      'getClaim(String)': (_rt, self: Claims, [name]: [string]) => self.state.claims.get(name) ?? null,
      'isDefined(String)': (_rt, self: Claims, [name]: [string]) => self.state.claims.has(name),
      'keys()': (_rt, self: Claims) => new GSet(self.state.claims.entries().map((entry) => entry.entryKey)),
      'get(String)': (rt, self: Claims, [name]: [string]) => new JsonNode(rt, self.state.claims.get(name) ?? null),
      'toJsonValue()': (rt, self: Claims) => new JsonNode(rt, self.state.claims),
      'build()': (rt, self: Claims) => writeJson(rt, self.state.claims, jackson),
      'getSubject()': claim('sub'),
      'getIssuer()': claim('iss'),
      'getJwtId()': claim('jti'),
      'getType()': claim('typ'),
      'getAudience()': claim('aud', audience),
      'getExpirationTime()': claim('exp', date),
      'getNotBeforeTime()': claim('nbf', date),
      'getIssuedAtTime()': claim('iat', date),
    },
  },
  { name: `${JOSE}exceptions.InvalidJwtException`, superclass: 'java.lang.RuntimeException' },
];
