import { pathToFileURL } from 'node:url';
import { readPropertiesText } from '../../document/properties-text.ts';
import type { Reach } from '../../reach.ts';
import type { FunctionRows } from '../language.ts';
import { EvaluationError, type Value } from '../value.ts';

/** Functions that reach files, and therefore exist only in what operators write. */
export function fileFunctions(reach: Reach): FunctionRows {
  function read(path: Value, charset: Value): Value {
    const bytes = typeof path === 'string' ? reach.readFile(path) : null;
    return bytes === null ? null : decoderOf(charset).decode(bytes);
  }

  function readProperties(path: Value): Value {
    const bytes = typeof path === 'string' ? reach.readFile(path) : null;
    if (bytes === null) return null;
    return readPropertiesText(bytes);
  }

  return [
    ['read', { takes: 'one', first: 'text', impure: true, call: (path) => read(path, 'utf-8') }],
    ['readWithCharset', { takes: 'two', first: 'text', second: 'text', impure: true, call: read }],
    ['readProperties', { takes: 'one', first: 'text', impure: true, call: readProperties }],
    ['fileToUrl', { takes: 'one', first: 'text', impure: true, call: urlOf }],
    ['pathToUrl', { takes: 'one', first: 'text', impure: true, call: urlOf }],
  ];
}

function decoderOf(charset: Value): TextDecoder {
  try {
    return new TextDecoder(typeof charset === 'string' ? charset : 'utf-8');
  } catch {
    throw new EvaluationError(`'${charset}' is not a character set`);
  }
}

function urlOf(path: Value): Value {
  return typeof path === 'string' ? pathToFileURL(path).href : null;
}
