import type { PortableTls } from '../../../heap/objects/tls.ts';
import type { SeverityMapping } from './syslog-message.ts';

/** Options of the sink, as its definition makes them. */
export interface SyslogOptions extends Readonly<Record<string, unknown>> {
  readonly protocol: 'UDP' | 'TCP' | 'TLS';
  readonly host: string;
  readonly port: number;
  readonly facility: number;
  readonly mappings: readonly SeverityMapping[];
  readonly appName: string;
  readonly maxMessageSize: number;
  /** In milliseconds. */
  readonly connectTimeout: number;
  /** How long the server may leave data unread, in milliseconds. */
  readonly writeTimeout: number;
  readonly tls: PortableTls | null;
}

/** Hands messages to a server, in order. */
export interface SyslogSender {
  /** How many messages of the last call the system took, also after it failed. */
  readonly sent: number;
  /** Places of those among them that are too large for the network. */
  readonly tooLarge: readonly number[];
  send(messages: readonly Buffer[]): Promise<void>;
  open(): Promise<void>;
  close(): void;
}
