import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { LiveScript } from '../../../dataplane/scripts/live-script.ts';
import {
  type LiveProgram,
  type ScriptLanguage,
  ScriptMistake,
  type ScriptSetting,
} from '../../../dataplane/scripts/script-language.ts';
import { SCRIPT_LIMITS } from '../../../dataplane/scripts/script-setting.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

it('compiles a changed file again that could not be compiled yet', async () => {
  const attempts: string[] = [];
  const program: LiveProgram = {
    replace(text) {
      attempts.push(text);
      if (attempts.length === 1) throw new ScriptMistake('not now', 1, 1, true);
    },
    run: () => Promise.reject(new Error('nobody runs it')),
    tidy: () => null,
  };
  const language: ScriptLanguage = {
    mediaTypes: ['text/x-test'],
    folder: 'test',
    compile: () => ({ open: () => program }),
    argumentProblem: () => null,
  };
  const reach = { ...operatorReach(), readFile: () => Buffer.from('changed') };
  const shapes = new Map();
  const properties = new Map();
  const script = { language, file: '/a', text: 'first', program: language.compile('first'), properties, shapes };
  const setting: ScriptSetting = {
    kind: 'filter',
    realm: '',
    shapes,
    properties,
    args: new Map(),
    surroundings: null,
    limits: SCRIPT_LIMITS,
  };
  const live = new LiveScript(script, setting, reach, pino({ level: 'silent' }));
  await vi.waitFor(
    () => {
      live.current();
      expect(attempts).toEqual(['changed', 'changed']);
    },
    { timeout: 20_000, interval: 50 },
  );
});
