import type { ApiAnswer, ApiCaller, ApiRequest, ApiStream } from './api-client.ts';

/** Asks an API server for at most so many things at a time; a stream counts until it has begun. */
export class PacedCaller implements ApiCaller {
  private readonly api: ApiCaller;
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(api: ApiCaller, most: number) {
    this.api = api;
    this.free = most;
  }

  call(request: ApiRequest): Promise<ApiAnswer> {
    return this.inTurn(() => this.api.call(request));
  }

  open(request: ApiRequest): Promise<ApiStream> {
    return this.inTurn(() => this.api.open(request));
  }

  private async inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await ask();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
