import type { z } from 'zod';
import { Double, EvaluationError, isPlainObject, type Value } from '../../../contract/expression/value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { type RuntimeExpression, runtimeValue } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { Response } from '../../engine/message/response.ts';
import type { Claims } from '../../jose/claims.ts';
import { claimsText } from '../../jose/claims-text.ts';

/** Values with expressions for texts, in lists and maps of any depth. */
export type Template = RuntimeExpression<Value> | readonly Template[] | TemplateMap;
export interface TemplateMap {
  readonly [name: string]: Template;
}

/** Template of the claims of a JWT: a map, or one expression that evaluates to a map. */
export type JwtTemplate = RuntimeExpression<Value> | TemplateMap;

/** Claims that are moments: without them, or with another value, a JWT would say something else than was meant. */
const TIME_CLAIMS = ['exp', 'nbf', 'iat'];

/** The claims of a JWT, computed for each request. */
export function jwtTemplate(): z.ZodType<JwtTemplate, unknown> {
  const json = { anyOf: [{ type: 'object' }, { type: 'string', pattern: '[$#]\\{' }] };
  return leaf('map of runtime expression<object> or runtime expression<map>', json, (value): JwtTemplate => {
    if (typeof value === 'string') {
      const expression = expressionOf(value, '');
      if (expression.compiled === null) throw wrongType('a map or an expression', value);
      return expression;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrongType('a map or an expression', value);
    }
    return mapOf(value, '');
  });
}

/** The claims for this exchange; those that are null are left out. @throws an error when they cannot be computed. */
export function claimsOf(template: JwtTemplate, exchange: Exchange): Claims {
  const claims: unknown = JSON.parse(textOf(template, exchange));
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) {
    throw new Error('the template of a JWT does not give a map');
  }
  const entries: [string, unknown][] = Object.entries(claims);
  for (const [name, value] of entries) {
    if (TIME_CLAIMS.includes(name) && typeof value !== 'number') {
      throw new Error(`the template of a JWT gives no number for '${name}'`);
    }
  }
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function textOf(template: JwtTemplate, exchange: Exchange): string {
  try {
    return claimsText(templateValue(template, exchange));
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw new Error(`the template of a JWT cannot be evaluated: ${error.message}`, { cause: error });
  }
}

/** A template for this exchange as JSON. @throws EvaluationError */
export function templateText(template: Template, exchange: Exchange, answer: Response | null): string {
  return claimsText(templateValue(template, exchange, answer));
}

/** Evaluates a template for this exchange, with its answer once there is one. @throws EvaluationError */
export function templateValue(template: Template, exchange: Exchange, answer: Response | null = null): Value {
  if (isExpression(template)) {
    const value = template.compiled === null ? template.read(null, null) : template.compiled.evaluate(exchange, answer);
    const number = value instanceof Double ? value.value : value;
    if (typeof number === 'number' && !Number.isFinite(number)) throw new EvaluationError(`it gives ${number}`);
    return value;
  }
  if (isTemplateList(template)) return template.map((item) => templateValue(item, exchange, answer));
  const entries = Object.entries(template);
  return Object.fromEntries(entries.map(([name, item]) => [name, templateValue(item, exchange, answer)]));
}

function isTemplateList(template: readonly Template[] | TemplateMap): template is readonly Template[] {
  return Array.isArray(template);
}

/** Whether a template is one value for all of it. */
export function isExpression(template: Template): template is RuntimeExpression<Value> {
  return 'compiled' in template && 'read' in template && typeof template.read === 'function';
}

function templateOf(value: unknown, place: string): Template {
  if (Array.isArray(value)) return value.map((item, index) => templateOf(item, `${place}[${index}]`));
  if (typeof value === 'object' && value !== null && isPlainObject(value)) return mapOf(value, place);
  return expressionOf(value, place);
}

function mapOf(value: object, place: string): TemplateMap {
  const entries = Object.entries(value).map(([name, item]): [string, Template] => [
    name,
    templateOf(item, place === '' ? name : `${place}.${name}`),
  ]);
  return Object.fromEntries(entries);
}

function expressionOf(value: unknown, place: string): RuntimeExpression<Value> {
  const { success, data, error } = runtimeValue().safeParse(value);
  if (success) return data;
  const message = error.issues[0]?.message ?? 'cannot be read';
  throw new ValueProblem('expression', place === '' ? message : `${message} (in '${place}')`);
}
