import { X509Certificate } from 'node:crypto';
import { isIP, Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import type { MayReach } from '../../../../contract/egress.ts';
import type { PortableTls } from '../../../heap/objects/tls.ts';
import { certifiedNames, isFor } from '../../../tls/host-name.ts';
import { portableContext } from '../../../tls/portable-tls.ts';
import { nameFault } from '../../../tls/tls-faults.ts';
import { checkedAddress } from '../connection/open-socket.ts';
import { GuardedMessages } from './guarded-messages.ts';

/** How a database is reached. */
export interface DatabaseOptions {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly schema: string | null;
  readonly applicationName: string;
  readonly tls: PortableTls | null;
  /** How long connecting may take, in milliseconds. */
  readonly connectTimeout: number;
  /** How long a statement may take, in milliseconds. */
  readonly timeout: number;
  /** Age at which a connection is replaced, in milliseconds; 0 for never. */
  readonly maxLifetime: number;
}

/** Rows of a statement, each by the names of its columns. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** One connection to PostgreSQL, opened when it is first needed and again when it is gone. */
export class DatabaseConnection {
  private readonly options: DatabaseOptions;
  private readonly mayReach: MayReach;
  private client: pg.Client | null = null;
  private guard: GuardedMessages | null = null;
  private socket: Socket | null = null;
  private openedAt = 0;

  constructor(options: DatabaseOptions, mayReach: MayReach) {
    this.options = options;
    this.mayReach = mayReach;
  }

  /** Runs a statement. Values are never part of its text. */
  async run(text: string, values: readonly unknown[] = []): Promise<Rows> {
    const client = await this.ready();
    this.guard?.begin();
    try {
      const { rows } = await client.query<Record<string, unknown>>({ text, values: [...values] });
      return rows;
    } catch (error) {
      // an error without a state is one of the connection, or a time limit after which nobody knows what it does
      if (!('severity' in (error as object))) this.drop();
      throw error;
    }
  }

  /** Runs statements in a transaction: all of them have effect, or none. */
  async transaction(work: () => Promise<void>): Promise<void> {
    await this.run('BEGIN');
    try {
      await work();
      await this.run('COMMIT');
    } catch (error) {
      if (this.client !== null) await this.run('ROLLBACK').catch(() => this.drop());
      throw error;
    }
  }

  /** Opens the connection if there is none; one that is too old is replaced. */
  async open(): Promise<void> {
    const { maxLifetime } = this.options;
    if (maxLifetime > 0 && performance.now() - this.openedAt > maxLifetime) this.drop();
    await this.ready();
  }

  close(): void {
    this.drop();
  }

  private async ready(): Promise<pg.Client> {
    if (this.client !== null) return this.client;
    const { host, port, database, user, password, schema, applicationName, connectTimeout, timeout } = this.options;
    const address = isIP(host) === 0 ? await checkedAddress(host, port, this.mayReach) : host;
    if (!this.mayReach(address, port)) throw new Error(`the address of ${host}:${port} is not allowed (egress rule)`);
    const socket = new Socket();
    const client = new pg.Client({
      host: address,
      port,
      database,
      user,
      password: () => password, // a function, so that no environment variable takes its place
      ssl: this.tls(),
      stream: () => socket,
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeout,
      query_timeout: timeout,
      keepAlive: true,
      options: `-c TimeZone=UTC${schema === null ? '' : ` -c search_path=${schema.replace(/[\\ ]/g, String.raw`\$&`)}`}`,
    });
    const guard = new GuardedMessages(client);
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    this.socket = socket;
    try {
      await client.connect();
    } catch (error) {
      socket.destroy();
      throw error;
    }
    this.client = client;
    this.guard = guard;
    this.openedAt = performance.now();
    return client;
  }

  private tls(): ConnectionOptions | false {
    const { tls, host } = this.options;
    if (tls === null) return false;
    return {
      secureContext: portableContext(tls),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: !tls.trustsAll,
      checkServerIdentity(_, { raw }) {
        if (!tls.checksNames) return undefined;
        const names = certifiedNames(new X509Certificate(raw));
        return isFor(names, host) ? undefined : new Error(nameFault(host, names));
      },
    };
  }

  private drop(client = this.client): void {
    if (client !== this.client) return;
    this.client = null;
    this.socket?.destroy();
    this.socket = null;
  }
}
