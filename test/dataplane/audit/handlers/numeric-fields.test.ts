import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { fieldPaths } from '../../../../contract/vocabulary/field-path.ts';
import { fieldTable } from '../../../../contract/vocabulary/field-table.ts';
import { handlerClasses } from '../../../../dataplane/audit/handlers/handler-classes.ts';
import { handlerProblems } from '../../../support/audit/built-sink.ts';

/** Values that no number of a handler may have. */
const WRONG_NUMBERS: readonly JsonValue[] = [-2, 1.5, 1e300, 2 ** 53, 'many', true, null, {}];
/** Values that no duration of a handler may have. */
const WRONG_DURATIONS: readonly JsonValue[] = ['-1 second', '1.5 seconds', 'soon', 5, true, null, {}];
/** Fields that may be 0, such as for no limit. */
const MAY_BE_ZERO = [
  'batch.capacity',
  'batch.insertTimeoutSec',
  'batch.pollTimeoutSec',
  'batch.shutdownTimeoutSec',
  'batch.threadCount',
  'connectionPool.idleTimeout',
  'connectionPool.maxLifetime',
  'connectionPool.minIdle',
  'fileRetention.maxDiskSpaceToUse',
  'fileRetention.maxNumberOfHistoryFiles',
  'fileRetention.minFreeSpaceRequired',
  'fileRotation.maxFileSize',
];

interface NumericField {
  readonly className: string;
  readonly path: string;
  readonly isDuration: boolean;
  readonly example: JsonObject;
}

const numericFields = [...handlerClasses.values()].flatMap(({ className, config, examples = [] }) =>
  fieldPaths(fieldTable(config)).flatMap(({ path, field }): NumericField[] => {
    const isDuration = field.label.includes('duration');
    if ((!isDuration && !/integer|number/.test(field.label)) || path.includes('[]')) return [];
    return [{ className, path, isDuration, example: examples[0]!.config as JsonObject }];
  }),
);

/** The configuration with another value at a path. */
function withValue(config: JsonValue | undefined, [name, ...rest]: readonly string[], value: JsonValue): JsonObject {
  const object = isJsonObject(config ?? null) ? (config as JsonObject) : {};
  return { ...object, [name!]: rest.length === 0 ? value : withValue(object[name!], rest, value) };
}

function errorsOf({ className, path, example }: NumericField, value: JsonValue): string[] {
  const { problems } = handlerProblems(className, withValue(example, path.split('.'), value));
  return problems.filter(({ severity }) => severity === 'error').map((problem) => pathText(problem.path));
}

describe('the check of an event handler refuses values out of range, with the path', () => {
  it('and finds such fields in every class', () => {
    const classes = new Set(numericFields.map(({ className }) => className));
    expect([...handlerClasses.keys()].filter((name) => !classes.has(name))).toEqual([]);
  });

  it.each(numericFields.map((field): [string, NumericField] => [`${field.className} ${field.path}`, field]))(
    '%s',
    (_, field) => {
      const wrong = field.isDuration ? WRONG_DURATIONS : WRONG_NUMBERS;
      expect(wrong.filter((value) => !errorsOf(field, value).includes(field.path))).toEqual([]);
      if (field.isDuration) return;
      const mayBeZero = MAY_BE_ZERO.includes(field.path);
      expect(errorsOf(field, 0).includes(field.path)).toBe(!mayBeZero);
    },
  );
});
