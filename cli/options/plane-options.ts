import { availableParallelism } from 'node:os';
import type { AccessLogTarget } from '../../dataplane/log/log-destination.ts';
import { type LogLevel, logLevels } from '../../dataplane/log/log-level.ts';
import { type LogFormat, logFormats } from '../../dataplane/log/log-style.ts';
import type { Reading, ValueOption } from '../commands/command.ts';
import { type Address, readAddress } from './address.ts';
import { readDelay } from './duration.ts';
import { readLimits } from './limits.ts';
import { readNetworks } from './networks.ts';

export const logLevelOption = {
  valueName: 'LEVEL',
  description: 'Log level: error, warn, info or debug.',
  default: 'info',
  read: readLogLevel,
} as const satisfies ValueOption;

export const logFormatOption = {
  valueName: 'text|json|auto',
  description:
    'Format of the program log on the standard error: text for people, or JSON lines; "auto" means text on a ' +
    'terminal and JSON elsewhere.',
  default: 'auto',
  read: readLogFormat,
} as const satisfies ValueOption;

/** The options of every command that starts a plane. */
export const planeOptions = {
  'access-log': {
    valueName: 'FILE|-|off',
    description:
      'Destination of the access log, one line per request: a file, the standard output (-) or nowhere (off).',
    default: '-',
    read: readAccessLog,
  },
  'access-log-format': {
    valueName: 'text|json|auto',
    description:
      'Format of the access log: text for people, or JSON; "auto" means text on a terminal and JSON elsewhere. Text has ' +
      'colours on a terminal unless NO_COLOR is set.',
    default: 'auto',
    read: readLogFormat,
  },
  admin: {
    valueName: 'ADDR|auto|off',
    description:
      'Address of /health/live, /health/ready and /metrics, which are never on the traffic address; "auto" means ' +
      '127.0.0.1:9090, or any free port when that one is in use.',
    default: 'auto',
    read: readAdmin,
  },
  'log-level': logLevelOption,
  'log-format': logFormatOption,
  'trusted-proxies': {
    valueName: 'CIDR,…',
    description: 'Peers whose X-Forwarded-* and Forwarded headers are trusted; those of all others are dropped.',
    default: 'none',
    read: readNetworks,
  },
  limits: {
    valueName: 'NAME=VALUE,…',
    description: 'Limits for clients, such as bodyBytes=1048576,headTimeout=5s; docs/limits.md lists the names.',
    default: 'default',
    read: readLimits,
  },
  'drain-delay': {
    valueName: 'DURATION',
    description:
      'How long to keep accepting connections after a stop signal while readiness already fails, so that load balancers can ' +
      'take this instance out first; clients are asked to reconnect meanwhile.',
    default: '0s',
    read: readDelay,
  },
  'drain-timeout': {
    valueName: 'DURATION',
    description: 'How long running requests may take to finish once no new connections are accepted.',
    default: '30s',
    read: readDelay,
  },
} as const satisfies Record<string, ValueOption>;

/** How many event loops serve a configuration, which may say so itself. */
export const unitsOption = {
  valueName: 'N',
  description:
    'Number of event loops that share the port; "cores" means one for each processor core. By default ' +
    'gatewayUnits of admin.json, or cores.',
  optional: true,
  read: readUnits,
} as const satisfies ValueOption;

export function readUnits(text: string): Reading<number> {
  if (text === 'cores') return { value: availableParallelism() };
  const units = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return units > 0 ? { value: units } : { problem: `must be a number from 1 to 9999 or "cores", not '${text}'` };
}

export function readLogFormat(text: string): Reading<LogFormat> {
  const format = logFormats.find((one) => one === text);
  return format === undefined ? { problem: `must be "text", "json" or "auto", not '${text}'` } : { value: format };
}

function readLogLevel(text: string): Reading<LogLevel> {
  const level = logLevels.find((one) => one === text);
  return level === undefined ? { problem: `must be one of ${logLevels.join(', ')}, not '${text}'` } : { value: level };
}

function readAccessLog(text: string): Reading<AccessLogTarget> {
  if (text === '') return { problem: 'must be a file, "-" or "off"' };
  if (text === 'off') return { value: { to: 'nowhere' } };
  return { value: text === '-' ? { to: 'stdout' } : { to: 'file', path: text } };
}

function readAdmin(text: string): Reading<(Address & { readonly orAnyPort?: boolean }) | undefined> {
  if (text === 'auto') return { value: { host: '127.0.0.1', port: 9090, orAnyPort: true } };
  return text === 'off' ? { value: undefined } : readAddress(text);
}
