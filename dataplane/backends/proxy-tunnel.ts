import type { Connect, ConnectResult } from '../engine/wire/connect.ts';
import { putText } from '../engine/wire/turn.ts';
import { REFUSED, type Wire, type WireOwner } from '../engine/wire/wire.ts';
import type { HttpProxy } from '../heap/objects/proxy-options.ts';
import { credentialsReason, proxyFailure, proxyRefusal } from './proxy-failure.ts';

/** Most bytes of a proxy's answer. */
const LONGEST_HEAD = 16_384;

/**
 * Opens a tunnel through a proxy to a backend, which is named with its port, on connections to the proxy that `under`
 * makes. `speaksFirst`: the backend may say something before it is spoken to.
 */
export function connectThrough(proxy: HttpProxy, backend: string, under: Connect, speaksFirst: boolean): Connect {
  return (to, owner, done) => {
    const tunnel = new TunnelRequest(proxy, backend, speaksFirst, owner, done);
    tunnel.wire = under(to, tunnel, (result) => {
      if (typeof result === 'string') void tunnel.ask();
      else tunnel.finish(result);
    });
    return tunnel.wire;
  };
}

/** One connection to a proxy until it leads to the backend. */
class TunnelRequest implements WireOwner {
  wire: Wire | null = null;
  private readonly proxy: HttpProxy;
  private readonly backend: string;
  private readonly speaksFirst: boolean;
  private readonly owner: WireOwner;
  private readonly done: (result: ConnectResult) => void;
  private answer = '';
  private isOver = false;

  constructor(
    proxy: HttpProxy,
    backend: string,
    speaksFirst: boolean,
    owner: WireOwner,
    done: (result: ConnectResult) => void,
  ) {
    this.proxy = proxy;
    this.backend = backend;
    this.speaksFirst = speaksFirst;
    this.owner = owner;
    this.done = done;
  }

  async ask(): Promise<void> {
    const { backend } = this;
    try {
      const authorization = await this.proxy.authorization();
      const proof = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`;
      if (!this.isOver) putText(this.wire!, `CONNECT ${backend} HTTP/1.1\r\nHost: ${backend}\r\n${proof}\r\n`);
    } catch (error) {
      this.fail(credentialsReason(error));
    }
  }

  receive(bytes: Buffer, start: number, end: number): void {
    if (this.isOver) return;
    this.answer += bytes.latin1Slice(start, end);
    const { answer } = this;
    const headEnd = answer.indexOf('\r\n\r\n');
    if (headEnd < 0) {
      if (answer.length > LONGEST_HEAD) this.fail('the head of its response is too long');
      return;
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: [^\r\n]*)?\r\n/.exec(answer)?.[1] ?? 0);
    if (status === 0) this.fail('its response is not HTTP');
    else if (status < 200 || status > 299) this.finish(proxyRefusal(this.proxy, status));
    else {
      const more = answer.length - headEnd - 4;
      if (more > 0 && !this.speaksFirst) this.fail('it sends data after its response');
      else this.finish('http/1.1');
      if (more > 0 && this.speaksFirst) this.wire!.owner.receive(bytes, end - more, end); // whoever has it now
    }
  }

  ended(): void {
    this.fail('it closed the connection');
  }

  failed(): void {
    this.fail('it closed the connection');
  }

  blocked(): void {
    // what is sent is short
  }

  drained(): void {
    // what is sent is short
  }

  passes(): typeof REFUSED {
    return REFUSED;
  }

  private fail(reason: string): void {
    this.finish(proxyFailure(this.proxy, reason));
  }

  finish(result: ConnectResult): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.wire !== null) this.wire.owner = this.owner;
    this.done(result);
  }
}
