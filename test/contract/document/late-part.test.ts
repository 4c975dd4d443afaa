import { describe, expect, it } from 'vitest';
import { attempt, LatePart, PartMissing, withParts } from '../../../contract/document/late-part.ts';

const part = (loads: string[] = []): LatePart<string> =>
  new LatePart('a language', async () => {
    loads.push('loaded');
    return 'the language';
  });

describe('code that is loaded late', () => {
  it('cannot be used before it is loaded', () => {
    const late = part();
    expect(() => late.now).toThrow(PartMissing);
    expect(late.isLoaded).toBe(false);
  });

  it('is loaded once, also by two documents at the same time', async () => {
    const loads: string[] = [];
    const late = part(loads);
    await Promise.all([late.load(), late.load()]);
    await late.load();
    expect([late.now, loads]).toEqual(['the language', ['loaded']]);
  });

  it('is loaded again after a failure', async () => {
    let tries = 0;
    const late = new LatePart('a language', async () => {
      if (++tries === 1) throw new Error('no such file');
      return tries;
    });
    await expect(late.load()).rejects.toThrow('no such file');
    expect(await late.load()).toBe(2);
  });
});

describe('work that needs late code', () => {
  it('is done again from its beginning', async () => {
    const late = part();
    let runs = 0;
    const result = await withParts(() => {
      runs++;
      return late.now;
    });
    expect([result, runs]).toEqual(['the language', 2]);
  });

  it('does not count where the error was caught', async () => {
    const late = part();
    const judge = (): string => {
      try {
        return late.now;
      } catch {
        return 'rejected';
      }
    };
    expect(attempt(judge).isDone).toBe(false);
    expect(await withParts(judge)).toBe('the language');
  });

  it('is done at once if nothing is missing', () => {
    expect(attempt(() => 1)).toEqual({ isDone: true, value: 1 });
  });

  it('throws its own errors', async () => {
    await expect(
      withParts(() => {
        throw new Error('of its own');
      }),
    ).rejects.toThrow('of its own');
  });

  it('ends if the code cannot be loaded', async () => {
    const late = new LatePart('a language', () => Promise.reject(new Error('no such file')));
    await expect(withParts(() => late.now)).rejects.toThrow('no such file');
  });
});
