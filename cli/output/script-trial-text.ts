import type { ScriptTrial, ShownMessage } from '../actions/script-trial.ts';

/** A trial of a script for people: what it logged, what it sent, and its result. */
export function scriptTrialText({ logs, next, http, result }: ScriptTrial): string {
  return [
    ...logs.map(({ level, message }) => `log ${level}: ${message}`),
    ...http.map((sent) => `http: ${messageText(sent)}`),
    ...next.map((sent) => `next: ${messageText(sent)}`),
    resultText(result),
  ].join('\n');
}

function resultText(result: ScriptTrial['result']): string {
  if (result.kind === 'response') return `response: ${messageText(result.response)}`;
  if (result.kind !== 'value') return `${result.kind === 'none' ? 'no result' : 'failed'}: ${result.reason}`;
  return `result: ${typeof result.value === 'string' ? result.value : JSON.stringify(result.value)}`;
}

function messageText({ method, uri, status, headers, entity }: ShownMessage): string {
  const first = status === undefined ? `${method} ${uri}` : String(status);
  const lines = [first, ...headers.map(([name, value]) => `  ${name}: ${value}`)];
  return (
    entity === ''
      ? lines
      : [
          ...lines,
          '',
          ...entity
            .replace(/\n$/, '')
            .split('\n')
            .map((line) => `  ${line}`),
        ]
  ).join('\n');
}
