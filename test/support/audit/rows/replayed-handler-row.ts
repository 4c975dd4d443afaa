import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { authoredLine, jsonLine } from '../../../../dataplane/audit/handlers/json/json-line.ts';
import { FACILITIES, SEVERITIES } from '../../../../dataplane/audit/handlers/syslog/syslog-codes.ts';
import { syslogMessage } from '../../../../dataplane/audit/handlers/syslog/syslog-message.ts';
import { checkConfigured } from '../../gateways/configured-gateway.ts';
import { sinkEvent } from '../sink-events.ts';
import type { Replay } from './replay.ts';

const AUTHOR = { service: 'main', realm: '' };

type Row = JsonObject & { readonly case: string };

/** A document with an AuditService is accepted or refused. */
export function verdictOn(config: JsonObject, handlers: readonly JsonObject[]): 'accepted' | 'refused' {
  const document = {
    handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    auditService: { type: 'AuditService', config: { config, eventHandlers: handlers } },
  };
  return checkConfigured(document).some(({ severity }) => severity === 'error') ? 'refused' : 'accepted';
}

/** Rows of kind `service`: whether the settings of a service are accepted. */
export function replayedService({ config, build, answer }: Row): Replay {
  const message = (answer as { readonly message?: string } | undefined)?.message;
  const written = config ?? (message === undefined ? undefined : JSON.parse(message.slice(message.indexOf('{'))));
  if (written === undefined) return { left: 'about threads that wait, which do not exist here' };
  const isBuilt = (build as { readonly ok?: boolean } | undefined)?.ok === true;
  return { observed: isBuilt ? 'accepted' : 'refused', ours: verdictOn(written as JsonObject, []) };
}

/** Rows of kind `file`: lines of JSON, written again from the events in them. */
export function replayedFile({ case: name, config, files, log }: Row): Replay {
  const { elasticsearchCompatible = false } = (config ?? {}) as { readonly elasticsearchCompatible?: boolean };
  const isStdout = name.startsWith('json stdout');
  const lines = isStdout
    ? (log as readonly string[])
    : Object.entries((files ?? {}) as Record<string, string>)
        .filter(([file]) => file.includes('.audit.json'))
        .flatMap(([, text]) => text.split('\n').filter((line) => line !== ''));
  if (lines.length === 0) return { left: 'has no lines of JSON' };
  const written = lines.map((line) => {
    const { _eventId, _id = _eventId, _topic: _, ...fields } = JSON.parse(line) as JsonObject;
    const event = sinkEvent({ ...fields, _id: _id ?? null });
    return isStdout
      ? authoredLine(event, elasticsearchCompatible, AUTHOR)
      : jsonLine(event, elasticsearchCompatible).trimEnd();
  });
  // spaces and the order of the last members differ on stdout, which no reader of JSON can tell; the service is ours
  if (isStdout) {
    const observed = lines.map((line) => ({ ...parsed(line), _service: AUTHOR.service }));
    return { observed, ours: written.map(parsed) };
  }
  return { observed: lines, ours: written };
}

function parsed(line: string): JsonObject {
  return JSON.parse(line) as JsonObject;
}

/** Rows of kind `syslog`: messages, made again from the fields in them, and severities. */
export function replayedSyslog(row: Row): Replay {
  const severity = /^syslog severity (\S+) (\w+)$/.exec(row.case);
  if (severity !== null) return replayedSeverity(row, severity[1]!, severity[2]!);
  const wire = (row['wire'] ?? []) as readonly string[];
  if (wire.length === 0) return { left: 'has no message' };
  // octets were counted before the names of host and process were replaced
  const messages = wire.map((framed) => framed.replace(/^\d+ /, ''));
  return { observed: messages, ours: messages.map(madeAgain) };
}

function replayedSeverity({ pri }: Row, field: string, name: string): Replay {
  const config = {
    ...{ name: 'sys', topics: ['access'], protocol: 'TCP', host: '127.0.0.1', port: 514, facility: 'LOCAL0' },
    severityFieldMappings: [{ topic: 'access', field, valueMappings: { FAILED: name } }],
  };
  const verdict = verdictOn({}, [{ class: 'SyslogAuditEventHandler', config }]);
  if (verdict === 'refused') return { observed: pri!, ours: 'nothing' };
  const severities = [['FAILED', SEVERITIES.indexOf(name.toUpperCase() as (typeof SEVERITIES)[number])]] as const;
  const mappings = [{ topic: 'access', field: ['response', 'status'], severities }];
  const event = sinkEvent({ timestamp: '2026-01-02T03:04:05.678Z', response: { status: 'FAILED' }, _id: '1' });
  return {
    observed: pri!,
    ours: syslogMessage(event, { ...FORMAT, mappings }, 0)!
      .toString()
      .slice(0, 8),
  };
}

const FORMAT = {
  ...{ facility: FACILITIES.indexOf('LOCAL0'), mappings: [], hostname: 'gw.test', appName: 'observed' },
  ...{ processId: 42, maxSize: 65_536 },
};
const MESSAGE = /^<\d+>1 (\S+) (\S+) (\S+) <pid> (\S+) \[(\w+)\.\S+ (.*)\] $/s;

/** A message from the fields that another one has. */
function madeAgain(message: string): string {
  const [, timestamp, hostname, appName, eventName, topic, parameters] = MESSAGE.exec(message) ?? [];
  if (timestamp === undefined) return 'is no message';
  const fields: Record<string, unknown> = { eventName: eventName!, timestamp };
  for (const [, name, value] of parameters!.matchAll(/([^ =]+)="((?:[^"\\\]]|\\.)*)"/gs)) {
    const text = value!.replaceAll(/\\(["\\\]])/g, '$1');
    if (text !== '') setAt(fields, name!.split('.'), /^[[{]/.test(text) ? JSON.parse(text) : text);
  }
  const event = sinkEvent({ ...(fields as JsonObject), _id: '1' }, topic);
  const bytes = syslogMessage(event, { ...FORMAT, hostname: hostname!, appName: appName! }, 0)!;
  return bytes.toString().replace(' 42 ', ' <pid> ');
}

function setAt(object: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    object[first] = value;
    return;
  }
  object[first] ??= {};
  setAt(object[first] as Record<string, unknown>, rest, value);
}
