import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { unescapedStep } from '../../../contract/crest/json-pointer.ts';
import { type JsonObject, type JsonValue, setMember } from '../../../contract/document/json-value.ts';
import { compilePattern } from '../../../contract/pattern/pattern.ts';
import type { Path } from '../../../contract/problem.ts';
import { errorText } from '../../../platform/error-text.ts';
import { withInnerSchemas } from './schema-keywords.ts';
import { eventFault, type Fault, schemaFaults } from './schema-limits.ts';

/** Validates the events of a topic. */
export interface TopicSchema {
  /** What is wrong with an event, with paths into it; empty for a valid one. */
  faults(event: JsonObject): readonly Fault[];
}

type Draft = 'draft-07' | '2019-09' | '2020-12';

const engines: Readonly<Record<Draft, new (options: Options) => Ajv>> = {
  'draft-07': Ajv,
  '2019-09': Ajv2019,
  '2020-12': Ajv2020,
};
const judges = new Map<Draft, Ajv>();

/** The most faults of one event that are reported. */
const MOST_FAULTS = 20;

/** Characters of schemas whose results are kept: a reload compiles again only what changed. */
const MOST_KEPT = 4 << 20;
/** Results by the text of the schema, those used last at the end. */
const kept = new Map<string, TopicSchema | readonly Fault[]>();
let keptLength = 0;

/** Compiles the schema of a topic. @returns the schema, or what is wrong with it, with paths into it */
export function topicSchema(schema: JsonObject): TopicSchema | readonly Fault[] {
  const text = JSON.stringify(schema);
  const known = kept.get(text);
  kept.delete(text);
  const result = known ?? compiled(schema);
  kept.set(text, result);
  if (known === undefined) keptLength += text.length;
  for (const oldest of kept.keys()) {
    if (keptLength <= MOST_KEPT) break;
    kept.delete(oldest);
    keptLength -= oldest.length;
  }
  return result;
}

function compiled(schema: JsonObject): TopicSchema | readonly Fault[] {
  const draft = draftOf(schema);
  if (draft === null) {
    const message = 'must be a JSON Schema of draft-04, draft-06, draft-07, 2019-09 or 2020-12';
    return [{ path: ['$schema'], message }];
  }
  const faults = schemaFaults(schema);
  if (faults.length > 0) return faults;
  const judge = schemaJudge(draft);
  const plain = withoutIdentity(isDraft4(schema) ? fromDraft4(schema) : schema);
  if (judge.validateSchema(plain, false) !== true) return (judge.errors ?? []).slice(0, MOST_FAULTS).map(faultOf);
  let validate: ValidateFunction;
  try {
    // one of its own: what it keeps of the schema goes with the service
    validate = engine(draft, { meta: false, validateSchema: false }).compile(plain);
  } catch (error) {
    return [{ path: [], message: errorText(error) }];
  }
  return {
    faults(event) {
      const tooLarge = eventFault(event);
      if (tooLarge !== null) return [tooLarge];
      if (validate(event) === true) return [];
      const errors = (validate.errors ?? []).slice(0, MOST_FAULTS).map(faultOf);
      return errors.length > 0 ? errors : [{ path: [], message: 'cannot be validated' }];
    },
  };
}

function draftOf({ $schema }: JsonObject): Draft | null {
  if ($schema === undefined) return 'draft-07';
  if (typeof $schema !== 'string') return null;
  const [, name] =
    /^https?:\/\/json-schema\.org\/(draft-0[467]|draft\/2019-09|draft\/2020-12)\/schema#?$/.exec($schema) ?? [];
  if (name === undefined) return null;
  return name === 'draft/2019-09' ? '2019-09' : name === 'draft/2020-12' ? '2020-12' : 'draft-07';
}

function isDraft4({ $schema }: JsonObject): boolean {
  return typeof $schema === 'string' && $schema.includes('draft-04');
}

/** Judges schemas themselves. */
function schemaJudge(draft: Draft): Ajv {
  const known = judges.get(draft);
  if (known !== undefined) return known;
  const made = engine(draft, {});
  judges.set(draft, made);
  return made;
}

function engine(draft: Draft, options: Options): Ajv {
  // patterns of schemas run in linear time
  const regExp = Object.assign((source: string) => compilePattern(source, 'linear'), { code: 'linearPattern' });
  return new engines[draft]({ strict: false, logger: false, code: { regExp }, ...options });
}

/** A schema of draft-04 as one of draft-07: limits that exclude themselves are numbers there, and ids are called `$id`. */
function fromDraft4(schema: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(withInnerSchemas(schema, fromDraft4))) {
    if (name === 'exclusiveMinimum' && typeof member === 'boolean') continue;
    if (name === 'exclusiveMaximum' && typeof member === 'boolean') continue;
    if (name === 'minimum' && schema['exclusiveMinimum'] === true) setMember(result, 'exclusiveMinimum', member);
    else if (name === 'maximum' && schema['exclusiveMaximum'] === true) setMember(result, 'exclusiveMaximum', member);
    else if (name === 'id' && typeof member === 'string') continue;
    else setMember(result, name, member);
  }
  return result;
}

/** Without `$schema`, which is read, and `$id`, so that schemas of different services never meet. */
function withoutIdentity({ $schema: _, $id: __, ...rest }: JsonObject): JsonObject {
  return rest;
}

function faultOf({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): Fault {
  const path: Path = instancePath.split('/').slice(1).map(unescapedStep);
  const missing = keyword === 'required' ? (params as { missingProperty?: string }).missingProperty : undefined;
  if (missing !== undefined) return { path: [...path, missing], message: 'is required' };
  const extra =
    keyword === 'additionalProperties' ? (params as { additionalProperty?: string }).additionalProperty : undefined;
  if (extra !== undefined) return { path: [...path, extra], message: 'is not a field of this topic' };
  return { path, message };
}
