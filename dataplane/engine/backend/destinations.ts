import { clock } from '../wire/clock.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import { Backend } from './backend.ts';
import type { BackendOptions } from './backend-options.ts';
import type { CallWatch } from './call.ts';

/** How often backends that nobody asked for are looked for, in milliseconds. */
const INTERVAL = 30_000;
/** Hosts can be named by clients: what they name must not fill the memory. */
const MOST_BACKENDS = 4096;

/** A backend, and whether somebody asked for it since the last look. */
interface Entry {
  readonly host: string;
  readonly port: number;
  readonly backend: Backend;
  wanted: boolean;
}

/** How requests get to all backends of one handler. */
export type DestinationsOptions = Partial<Omit<BackendOptions, 'destination' | 'mayReach'>> & {
  /** Judges each resolved address of a host before it is connected to. */
  mayReach?(address: string, port: number, host: string): boolean;
  /** What is particular to one backend; asked when it is made. TLS verifies `serverName`, by default the host. */
  each?(host: string, port: number, serverName?: string): Partial<BackendOptions>;
};

/** The backends of one handler, by host and port: made when they are asked for, gone when nobody uses them any more. */
export class Destinations implements Swept {
  deadline = NEVER;
  slot = -1;
  private readonly options: DestinationsOptions;
  private readonly byPort = new Map<number, Map<string, Entry>>();
  private count = 0;
  private closed = false;
  /** What was asked for last is nearly always asked for next. */
  private last: Entry | null = null;

  constructor(options: DestinationsOptions) {
    this.options = options;
  }

  /** The backend at this place; null when there are too many already. */
  find(host: string, port: number): Backend | null {
    const { last } = this;
    const entry =
      last !== null && last.port === port && last.host === host
        ? last
        : (this.known(host, port) ?? this.make(host, port));
    if (entry === null) return null;
    this.last = entry;
    entry.wanted = true;
    return entry.backend;
  }

  /** A backend that the caller closes. `host` is in lower case. */
  create(host: string, port: number, serverName: string = host, calls: CallWatch | null = null): Backend {
    const { mayReach, each, ...options } = this.options;
    const judge = mayReach === undefined ? null : (address: string, at: number) => mayReach(address, at, host);
    const all = { ...options, mayReach: judge, destination: { host, port }, ...each?.(host, port, serverName) };
    return new Backend(all, calls);
  }

  /** How many backends there are. */
  get size(): number {
    return this.count;
  }

  /** Closes what is idle and, after its answer, what is not. */
  close(): void {
    this.closed = true;
    for (const entries of this.byPort.values()) for (const { backend } of entries.values()) backend.close();
    unwatch(this);
  }

  overdue(now: number): void {
    this.removeVacant(true);
    if (this.count === 0) unwatch(this);
    else this.deadline = now + INTERVAL;
  }

  private known(host: string, port: number): Entry | undefined {
    const entries = this.byPort.get(port);
    return entries?.get(host) ?? entries?.get(host.toLowerCase());
  }

  private make(host: string, port: number): Entry | null {
    if (this.count >= MOST_BACKENDS) this.removeVacant(false);
    if (this.count >= MOST_BACKENDS) return null;
    const name = host.toLowerCase();
    const backend = this.create(name, port);
    if (this.closed) backend.close();
    const entry = { host: name, port, backend, wanted: true };
    const entries = this.byPort.get(port) ?? new Map<string, Entry>();
    entries.set(name, entry);
    this.byPort.set(port, entries);
    this.count++;
    if (this.slot < 0 && !this.closed) {
      this.deadline = clock.now + INTERVAL;
      watch(this);
    }
    return entry;
  }

  /** Removes backends without connections, of those that were asked for lately only if `patient` is false. */
  private removeVacant(patient: boolean): void {
    for (const [port, entries] of this.byPort) {
      for (const [name, entry] of entries) {
        const keep = !entry.backend.vacant || (patient && entry.wanted);
        entry.wanted = false;
        if (keep) continue;
        entry.backend.close();
        entries.delete(name);
        this.count--;
        if (this.last === entry) this.last = null;
      }
      if (entries.size === 0) this.byPort.delete(port);
    }
  }
}
