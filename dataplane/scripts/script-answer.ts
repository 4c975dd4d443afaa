import type { Exchange, Next } from '../engine/message/exchange.ts';
import type { Response } from '../engine/message/response.ts';
import type { Parts } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import type { ScriptConfig } from './script-fields.ts';
import { ScriptRunner } from './script-runner.ts';

/** Answers requests with the response of a script, or says why there is none. */
export function scriptAnswers(
  kind: 'filter' | 'handler',
  config: ScriptConfig,
  parts: Parts,
): (exchange: Exchange, next: Next | null) => Promise<Response> {
  const runner = new ScriptRunner(kind, config, parts);
  const denied = denials(parts, ['script-failed', 'script-exceeded', 'script-suspended', 'no-answer']);
  return (exchange, next) =>
    runner.run(exchange, next).then((verdict) => {
      if (verdict.kind === 'none') {
        const reason = verdict.code === 'script-suspended' ? undefined : verdict.reason;
        return denied.answer(exchange, verdict.code, undefined, reason);
      }
      return verdict.value ?? denied.answer(exchange, 'no-answer', undefined, 'the script returned null');
    });
}
