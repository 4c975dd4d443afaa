import { join, normalize } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Transform } from '../../contract/crest/apply-patch.ts';
import { badRequest, type CrestError } from '../../contract/crest/crest-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { ValueProblem } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import { describedExchange } from '../../dataplane/dry-run/described-exchange.ts';
import { Response } from '../../dataplane/engine/message/response.ts';
import { languageOf, mediaTypes, scriptParts } from '../../dataplane/scripts/languages.ts';
import { BudgetExceeded } from '../../dataplane/scripts/script-budget.ts';
import { ScriptExchange } from '../../dataplane/scripts/script-exchange.ts';
import { compiling } from '../../dataplane/scripts/script-fields.ts';
import {
  type LiveProgram,
  ScriptFault,
  type ScriptLanguage,
  type TransformedValue,
} from '../../dataplane/scripts/script-language.ts';
import { SCRIPT_LIMITS } from '../../dataplane/scripts/script-setting.ts';
import { type OperatorReach, operatorReach } from '../../dataplane/unit/operator-reach.ts';

const LONGEST_REASON = 500;
const MEMBERS = ['type', 'file', 'source'];

/** Owner of the memory of these scripts; no tenant has such a name. */
const REALM = 'patch transform';

/**
 * Returns a transformation of values with scripts, for patches. A script has the variables `value` and `logger`: it
 * sends nothing, and reads neither files nor the environment.
 */
export function transformByScript(given: OperatorReach, log: Logger): Transform<Promise<JsonValue>> {
  const reach = operatorReach(given);
  return async (found, transformation) => {
    const { language, mediaType, file, text } = readScript(transformation, given.directories.instance, reach);
    await Promise.all(scriptParts({ type: mediaType }).map((part) => part.load()));
    // Other requests get their turn between the scripts of one patch.
    await setImmediate();
    const program = opened(language, file, text);
    try {
      return await transformed(program, found ?? null, file, log);
    } catch (error) {
      if (!(error instanceof BudgetExceeded || error instanceof ScriptFault)) throw error;
      throw refused(error.message);
    } finally {
      program.close?.();
    }
  };
}

interface GivenScript {
  readonly language: ScriptLanguage;
  readonly mediaType: string;
  /** As the patch names it; null for a script in the patch. */
  readonly file: string | null;
  readonly text: string;
}

/** Reads `{ "script": { "type": …, "source": … } }`. @throws CrestError */
function readScript(transformation: JsonValue, instance: string, reach: Reach): GivenScript {
  const script = isJsonObject(transformation) ? transformation['script'] : undefined;
  if (!isJsonObject(script) || Object.keys(transformation as JsonObject).length > 1)
    throw refused('the value must be an object with "script", and nothing else');
  const unknown = Object.keys(script).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw refused(`"script" has no member '${unknown}'; there are type, file and source`);
  const { type: mediaType, file, source } = script;
  const language = typeof mediaType === 'string' ? languageOf(mediaType) : null;
  if (language === null)
    throw refused(`"type" of the script must be one of ${mediaTypes.map((each) => `'${each}'`).join(', ')}`);
  const known = { language, mediaType: mediaType as string };
  if ((file === undefined) === (source === undefined)) throw refused('"script" needs either "file" or "source"');
  if (file === undefined) return { ...known, file: null, text: sourceText(source!) };
  if (typeof file !== 'string') throw refused('"file" of the script must be a text');
  return { ...known, file, text: fileText(file, join(instance, 'scripts', language.folder), language.folder, reach) };
}

function sourceText(source: JsonValue): string {
  const lines = (Array.isArray(source) ? source : [source]) as readonly JsonValue[];
  if (lines.some((line) => typeof line !== 'string'))
    throw refused('"source" of the script must be a text or an array of texts');
  return lines.join('\n');
}

/** Reads a script of the instance; other files are not for those who may patch. */
function fileText(file: string, directory: string, folder: string, reach: Reach): string {
  const path = normalize(join(directory, file));
  if (!path.startsWith(`${directory}/`) || file.includes('\0'))
    throw refused(`the file of the script must be below scripts/${folder} of the instance`);
  const content = reach.readFile(path);
  if (content === null) throw refused(`the file '${file}' cannot be read below scripts/${folder} of the instance`);
  return Buffer.from(content).toString('utf8');
}

function opened(language: ScriptLanguage, file: string | null, text: string): LiveProgram {
  try {
    return compiling(text, file, (checked) => {
      const program = language.compile(checked);
      const missing = program.missing?.('transformation', () => false) ?? null;
      if (missing !== null) throw missing;
      return program;
    }).open({
      kind: 'transformation',
      realm: REALM,
      shapes: new Map(),
      properties: new Map(),
      args: new Map(),
      surroundings: null,
      limits: SCRIPT_LIMITS,
    });
  } catch (error) {
    if (error instanceof ValueProblem) throw refused(error.message);
    throw error;
  }
}

async function transformed(
  program: LiveProgram,
  value: JsonValue,
  file: string | null,
  log: Logger,
): Promise<JsonValue> {
  const nowhere = (): Response => new Response(502);
  const run = new ScriptExchange(describedExchange({}), null, new Map([['value', value]]), nowhere, (level, message) =>
    log[level]({ ...(file === null ? {} : { file }) }, message),
  );
  run.onStart = (begun) => run.limit.begin(begun);
  try {
    const outcome = await new Promise<Awaited<ReturnType<LiveProgram['run']>>>((resolve, reject) => {
      run.limit.reached = reject;
      program.run(run).then(resolve, reject);
    });
    if (outcome.kind === 'failed') {
      const place = outcome.line === undefined ? '' : `${file ?? 'the script'}, line ${outcome.line}: `;
      throw refused(place + outcome.reason);
    }
    const made = outcome.value as TransformedValue | null;
    if (made === null || made.json === null || made.json === undefined)
      throw refused('the script has no result; its result is the new value of the field');
    return made.json;
  } finally {
    run.limit.end();
  }
}

function refused(reason: string): CrestError {
  return badRequest(
    `transform: ${reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON - 1)}…` : reason}`,
  );
}
