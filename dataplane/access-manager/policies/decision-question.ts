import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { textOf } from '../../../contract/expression/text.ts';
import { EvaluationError, isList, isPlainObject, type Value } from '../../../contract/expression/value.ts';
import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { isExpression, type JwtTemplate, type Template, templateValue } from '../../filters/jwt/jwt-template.ts';
import { claimsText } from '../../jose/claims-text.ts';

/** Names and values that policies use in conditions. */
export type Environment = readonly (readonly [name: string, values: readonly string[]])[];
const NO_ENVIRONMENT: Environment = [];

/** The expressions of a filter that say for whom a decision is asked, and in which environment. */
export interface QuestionFields {
  readonly ssoTokenSubject?: RuntimeExpression<string> | undefined;
  readonly jwtSubject?: RuntimeExpression<string> | undefined;
  readonly claimsSubject?: JwtTemplate | undefined;
  readonly environment?: JwtTemplate | undefined;
}

/** No subject is known. The access manager would take the agent itself for the subject, so it must not be asked. */
export class NoSubject extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoSubject';
  }
}

/** For whom a decision is asked, and in which environment. Empty texts stand for parts that are not sent. */
export interface QuestionParts {
  readonly ssoToken: string;
  readonly jwt: string;
  /** As JSON. */
  readonly claims: string;
  readonly environment: Environment;
}

/** A question for a policy decision. */
export class DecisionQuestion implements QuestionParts {
  readonly resource: string;
  readonly ssoToken: string;
  readonly jwt: string;
  readonly claims: string;
  readonly environment: Environment;

  constructor(resource: string, ssoToken: string, jwt: string, claims: string, environment: Environment) {
    this.resource = resource;
    this.ssoToken = ssoToken;
    this.jwt = jwt;
    this.claims = claims;
    this.environment = environment;
  }

  /** Equal for equal questions only: each part is preceded by its length. */
  get key(): string {
    const { resource, ssoToken, jwt, claims, environment } = this;
    const around = environment.length === 0 ? '' : environmentKey(environment);
    const lengths = `${ssoToken.length}.${jwt.length}.${claims.length}.${around.length}`;
    return `${lengths}:${ssoToken}${jwt}${claims}${around}${resource}`;
  }

  /** The body of the request; `more` is added to the environment. */
  body(application: string | null, more: Environment): JsonObject {
    const { resource, ssoToken, jwt, claims } = this;
    const environment = [...this.environment, ...more];
    return {
      resources: [resource],
      ...(application !== null && { application }),
      subject: {
        ...(ssoToken !== '' && { ssoToken }),
        ...(jwt !== '' && { jwt }),
        ...(claims !== '' && { claims: JSON.parse(claims) as JsonValue }),
      },
      ...(environment.length > 0 && { environment: Object.fromEntries(environment) as JsonObject }),
    };
  }
}

/** Reads the parts of a question from a request. */
export class QuestionTemplate {
  private readonly fields: QuestionFields;
  /** The environment as a list, unless one expression gives all of it. */
  private readonly entries: readonly (readonly [string, Template])[];
  private readonly wholeEnvironment: RuntimeExpression<Value> | null;

  constructor(fields: QuestionFields) {
    this.fields = fields;
    const { environment = {} } = fields;
    const isWhole = isExpression(environment);
    this.wholeEnvironment = isWhole ? environment : null;
    this.entries = isWhole ? [] : Object.entries(environment);
  }

  /** @throws NoSubject, and EvaluationError where an expression of the claims or the environment fails */
  parts(exchange: Exchange): QuestionParts {
    const { ssoTokenSubject, jwtSubject, claimsSubject } = this.fields;
    const ssoToken = ssoTokenSubject?.read(exchange, null) ?? '';
    const jwt = jwtSubject?.read(exchange, null) ?? '';
    const claims = claimsSubject === undefined ? '' : claimsOf(claimsSubject, exchange);
    if (ssoToken === '' && jwt === '' && claims === '') {
      throw new NoSubject(
        'every expression for the subject of the policy decision is empty: check their spelling, and place the filter ' +
          'that signs the user on before this one',
      );
    }
    return { ssoToken, jwt, claims, environment: this.environmentOf(exchange) };
  }

  private environmentOf(exchange: Exchange): Environment {
    if (this.wholeEnvironment === null) {
      return this.entries.length === 0
        ? NO_ENVIRONMENT
        : written(this.entries, (item) => templateValue(item, exchange));
    }
    const value = templateValue(this.wholeEnvironment, exchange);
    if (value === null) return [];
    return written(entriesOf(value, 'environment'), (item) => item);
  }
}

function claimsOf(template: JwtTemplate, exchange: Exchange): string {
  const value = templateValue(template, exchange);
  if (value === null) return '';
  const claims = Object.fromEntries(entriesOf(value, 'claimsSubject').filter(([, item]) => item !== null));
  if (typeof claims['sub'] !== 'string' || claims['sub'] === '') {
    throw new NoSubject("the claim 'sub' of 'claimsSubject' is missing or empty");
  }
  return claimsText(claims);
}

function entriesOf(value: Value, field: string): readonly (readonly [string, Value])[] {
  if (value instanceof Map) return [...(value as Map<string, Value>)];
  if (isPlainObject(value)) return Object.entries(value);
  throw new EvaluationError(`'${field}' does not give a map`);
}

/** Values as lists of texts, which is the only form that the access manager reads. Nulls are left out. */
function written<T>(entries: readonly (readonly [string, T])[], read: (item: T) => Value): Environment {
  const environment: [string, readonly string[]][] = [];
  for (const [name, item] of entries) {
    const texts = textsOf(read(item));
    if (texts.length > 0) environment.push([name, texts]);
  }
  return environment;
}

function textsOf(value: Value): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null) return [];
  return isList(value) ? value.filter((item) => item !== null).map(textOfItem) : [textOfItem(value)];
}

function textOfItem(value: Value): string {
  const isStructure = isList(value) || value instanceof Map || isPlainObject(value);
  return isStructure ? claimsText(value) : textOf(value);
}

function environmentKey(environment: Environment): string {
  let key = '';
  for (const [name, values] of environment) {
    key += `${name.length}.${values.length}:${name}`;
    for (const value of values) key += `${value.length}:${value}`;
  }
  return key;
}
