import type { ScriptText } from './script-fields.ts';

/** Words with which a script can send a request to another host. */
const SETS_HOST =
  /\.\s*uri\s*=|\.\s*(?:host|authority)\s*=|\bset(?:Uri|Host)\b|\brebase\b|\bnew\s+Request\b|\bMutableUri\b/;

/** True for a script that may set the host of requests. */
export function namesHost(script: ScriptText | null): boolean {
  return script !== null && SETS_HOST.test(script.text);
}
