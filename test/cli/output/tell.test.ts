import { afterEach, describe, expect, it, vi } from 'vitest';
import { tellAsTextFrom } from '../../../cli/output/tell.ts';
import { errorOutput } from '../../../dataplane/log/error-output.ts';
import type { LogLevel } from '../../../dataplane/log/log-level.ts';

afterEach(() => vi.restoreAllMocks());

describe('output for people', () => {
  it.each<[LogLevel, string[]]>([
    ['error', ['an error\nwith more\n']],
    ['warn', ['an error\nwith more\n', 'a warning\n']],
    ['info', ['an error\nwith more\n', 'a warning\n', 'news\n']],
    ['debug', ['an error\nwith more\n', 'a warning\n', 'news\n']],
  ])('from level %s on', (level, expected) => {
    const written: unknown[] = [];
    vi.spyOn(errorOutput, 'write').mockImplementation((text) => void written.push(text));
    const tell = tellAsTextFrom(level);
    tell({ level: 'error', message: 'an error', text: 'an error\nwith more' });
    tell({ level: 'warn', message: 'a warning', fields: { a: 1 } });
    tell({ level: 'info', message: 'news' });
    vi.restoreAllMocks();
    expect(written).toEqual(expected);
  });
});
