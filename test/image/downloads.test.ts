import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Download, downloaded, downloadsFolder } from '../../image/downloads.ts';
import { stripSymbols } from '../../image/strip-symbols.ts';

describe('a download', () => {
  let cache: string;
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'gatewarden-cache-'));
    vi.stubEnv('XDG_CACHE_HOME', cache);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true });
  });

  it('is fetched once', async () => {
    let fetches = 0;
    const download = asking('wanted', () => {
      fetches++;
      return 'wanted';
    });
    const path = await downloaded(download);
    expect(readFileSync(path, 'utf8')).toBe('wanted');
    expect([await downloaded(download), fetches]).toEqual([path, 1]);
  });

  it('is fetched again when the cached file differs', async () => {
    mkdirSync(downloadsFolder(), { recursive: true });
    writeFileSync(join(downloadsFolder(), 'thing'), 'damaged');
    expect(readFileSync(await downloaded(asking('wanted', () => 'wanted')), 'utf8')).toBe('wanted');
  });

  it.each<[string, () => string, string]>([
    ['is something else', () => 'other', `has sha256 ${hash('other')} in place of ${hash('wanted')}`],
    [
      'does not come',
      () => {
        throw new Error('no route');
      },
      'the thing cannot be downloaded; put it there by hand',
    ],
  ])('is rejected and not cached when it %s', async (_, content, problem) => {
    await expect(downloaded(asking('wanted', content))).rejects.toThrow(problem);
    expect(readdirSync(downloadsFolder())).toEqual([]);
  });
});

it('a file that is not an ELF program is not stripped', () => {
  expect(() => stripSymbols(Buffer.from('#!/bin/sh\n'))).toThrow('not a 64-bit little-endian ELF program');
});

function asking(wanted: string, content: () => string): Download {
  return {
    title: 'the thing',
    file: 'thing',
    algorithm: 'sha256',
    hash: hash(wanted),
    fetch: async (folder) => writeFileSync(join(folder, 'came'), content()),
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
