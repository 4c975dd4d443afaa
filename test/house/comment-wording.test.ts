import { describe, expect, it } from 'vitest';
import { openingBreaches } from './comment-wording.ts';
import { readRepository } from './source-file.ts';

describe('comments begin with a verb or the thing that they are about', () => {
  it('in rooms that are done', () => {
    expect(openingBreaches(readRepository())).toEqual([]);
  });

  it.each(['/** Whether it is open. */', '  // What remains goes.', '/**\n * How it ends.\n */'])(
    'notices %j',
    (text) => {
      expect(openingBreaches([{ path: 'contract/crest/a.ts', text }])).toHaveLength(1);
    },
  );

  it.each(['/** True while it is open. */', "const a = 'What';", '/** Names it. What else it does. */'])(
    'allows %j',
    (text) => {
      expect(openingBreaches([{ path: 'contract/crest/a.ts', text }])).toEqual([]);
    },
  );
});
