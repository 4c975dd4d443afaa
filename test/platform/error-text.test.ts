import { describe, expect, it } from 'vitest';
import { errorCode } from '../../platform/error-code.ts';
import { asError, errorStack, errorText } from '../../platform/error-text.ts';

describe('the text of any thrown value', () => {
  it('is the message of an error', () => {
    expect(errorText(new TypeError('no such host'))).toBe('no such host');
  });

  it('is the name of an error without a message', () => {
    expect(errorText(new AggregateError([new Error('refused')]))).toBe('AggregateError');
  });

  it.each([
    ['a text', 'gone', 'gone'],
    ['a number', 404, '404'],
    ['nothing', undefined, 'undefined'],
  ])('is the text of %s that was thrown instead of an error', (_, thrown, text) => {
    expect(errorText(thrown)).toBe(text);
    expect(errorStack(thrown)).toBe(text);
    expect(asError(thrown)).toEqual(new Error(text));
  });

  it('leaves out the cause, which may contain message data', () => {
    expect(errorText(new Error('no answer', { cause: new Error('password=secret') }))).toBe('no answer');
  });

  it('includes the position only if the stack is requested', () => {
    const error = new Error('broken');
    expect(errorStack(error)).toContain('error-text.test.ts');
    delete (error as { stack?: string }).stack;
    expect(errorStack(error)).toBe('broken');
  });

  it('keeps an error that is one', () => {
    const error = new Error('broken');
    expect(asError(error)).toBe(error);
  });
});

describe('the code of an error', () => {
  it('is that of Node.js', () => {
    expect(errorCode(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
  });

  it.each([
    ['an error without a code', new Error('x')],
    ['an error with a number for a code', new DOMException('x', 'AbortError')],
    ['an object that is no error', { code: 'ENOENT' }],
    ['null', null],
  ])('is null for %s', (_, thrown) => {
    expect(errorCode(thrown)).toBeNull();
  });
});
