import type { Answer, Next } from '../message/exchange.ts';
import { refusalResponse } from '../message/response.ts';
import { type BackendOptions, DEFAULT_BACKEND } from './backend-options.ts';
import { BackendPool } from './backend-pool.ts';
import { Call, type CallWatch } from './call.ts';

/** The end of a chain: sends requests to one destination over a pool of its own. */
export class Backend {
  readonly options: BackendOptions;
  /** Name in logs: host and port. */
  readonly name: string;
  private readonly pool: BackendPool;
  private readonly watch: CallWatch | null;

  /** `watch` hears of its calls. */
  constructor(options: Partial<BackendOptions> & Pick<BackendOptions, 'destination'>, watch: CallWatch | null = null) {
    this.watch = watch;
    this.options = { ...DEFAULT_BACKEND, ...options };
    this.pool = new BackendPool(this.options);
    this.name = nameOf(this.options);
  }

  /** Sends the request on, edits applied. The answer is not there yet; failures are answers too. */
  readonly handle: Next = (exchange): Answer => {
    if (exchange.over) return refusalResponse('incomplete'); // the client left while a filter waited; nobody hears it
    if (exchange.request.touchedEntity?.incoming?.claimed === true) {
      throw new Error('the body has been read as a stream and not replaced: there is nothing left to send');
    }
    if (exchange.request.headers.imitated) return refusalResponse('header-look-alike');
    const call = new Call(exchange, this.options, this.watch);
    exchange.call?.cancel();
    exchange.call = call;
    exchange.backend = this.name;
    this.pool.take(call);
    return call.reply;
  };

  /** Takes a call over that got no connection to another backend. */
  adopt(call: Call): void {
    call.moveTo(this.options, this.watch);
    call.exchange.backend = this.name;
    this.pool.take(call);
  }

  /** Requests that wait for a connection or for the end of their answer. */
  get load(): number {
    return this.pool.load;
  }

  /** Whether no connection is open or wanted. */
  get vacant(): boolean {
    return this.pool.vacant;
  }

  /** Closes what is idle and, after its answer, what is not. */
  close(): void {
    this.pool.close();
  }
}

/** What a backend is called in logs: the place that requests are for, also behind a proxy. */
function nameOf({ destination, via }: BackendOptions): string {
  if (via !== null) return via.authority;
  if ('path' in destination) return `unix:${destination.path}`;
  const { host, port } = destination;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
