import { describe, expect, it } from 'vitest';
import { lineLog } from '../../../dataplane/log/program-log.ts';
import { textLogLine } from '../../../dataplane/log/text-log-lines.ts';

/** What a log call looks like as text, without its time. */
function text(level: 'debug' | 'info' | 'warn' | 'error', fields: object, message?: string): string {
  let written = '';
  const log = lineLog('debug', (line) => {
    written += textLogLine(line, false);
  });
  log[level](fields, message);
  expect(written).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /);
  return written.slice(25);
}

describe('a text line of the program log', () => {
  it.each([
    ['debug', 'DEBUG'],
    ['info', 'INFO '],
    ['warn', 'WARN '],
    ['error', 'ERROR'],
  ] as const)('has the level %s, the message and the fields', (level, word) => {
    const fields = { unit: 1, to: '192.0.2.1:80', note: 'two words', list: ['a'], none: null };
    const expected = `${word} connected unit=1 to=192.0.2.1:80 note="two words" list=["a"] none=null\n`;
    expect(text(level, fields, 'connected')).toBe(expected);
  });

  it('has the message and the stack of an error below it, indented', () => {
    const shown = text('error', { err: new TypeError('no such thing'), unit: 2 }, 'a unit failed');
    const [first, ...below] = shown.trimEnd().split('\n');
    expect(first).toBe('ERROR a unit failed unit=2');
    expect(below.slice(0, 2)).toEqual(['  err:', '    TypeError: no such thing']);
    expect(below[2]).toMatch(/^ {8}at .*text-log-lines\.test\.ts/);
  });

  it('has texts of several lines below it, indented', () => {
    expect(text('warn', { text: 'one\ntwo\n', unit: 1 }, 'changed')).toBe(
      'WARN  changed unit=1\n  text:\n    one\n    two\n',
    );
    expect(text('warn', {}, 'one\ntwo')).toBe('WARN  one\n    two\n');
  });

  it('escapes terminal control characters everywhere', () => {
    const evil = '\u001b[2J\u202e\u009b';
    const shown = text('info', { [evil]: evil, list: [evil], err: Object.assign(new Error(evil)) }, `${evil}\rx`);
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(shown).toContain('\\u001b[2J\\u202e\\u009b');
  });

  it('keeps a field that is called name', () => {
    expect(text('info', { name: 'edge' }, 'joined')).toBe('INFO  joined name=edge\n');
  });

  it('has colours only if requested, with the same text', () => {
    const line = '{"level":40,"time":"2026-01-02T03:04:05.678Z","name":"gatewarden","unit":1,"msg":"ended"}\n';
    const painted = textLogLine(line, true);
    expect(painted).toContain('\u001b[33mWARN \u001b[0m');
    expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(textLogLine(line, false));
    expect(textLogLine(line, false)).toBe('2026-01-02T03:04:05.678Z WARN  ended unit=1\n');
  });
});
