import type { Body } from './body.ts';
import { isForwardingHeader } from './forwarding.ts';
import { Headers } from './headers.ts';
import { isWord } from './message-head.ts';
import type { Queries } from './query.ts';
import type { Refusal } from './refusal.ts';
import { Request } from './request.ts';
import { requestHead } from './request-head.ts';
import { isHost, judgeTarget, sameAuthority, target } from './target.ts';

/** Decides what the heads of one client ask for, beyond what the scan says: the same for every version of HTTP. */
export class RequestJudge {
  /** The method of the head that was judged last. */
  method = '';
  /** Why that head was refused. */
  refusal: Refusal = 'target';
  private headers: Headers = NO_HEADERS;
  private host = '';
  private lastHost = '';

  /** Judges the head that was scanned last and ends at `headEnd`. @returns false when it must be refused. */
  judge(bytes: Buffer, headEnd: number, queries: Queries): boolean {
    const { base, methodEnd, targetStart, targetEnd } = requestHead;
    const method = methodName(bytes, base, methodEnd);
    this.method = method;
    if (method === 'CONNECT') return this.refuse('connect');
    if (!judgeTarget(bytes, base + targetStart, base + targetEnd, method === 'OPTIONS', queries)) {
      return this.refuse(target.refusal);
    }
    this.headers = new Headers(bytes, base, headEnd - base - 2, requestHead);
    return this.judgeHost();
  }

  /** The request that was judged last. `trusted`: its client may speak about others. */
  request(bytes: Buffer, scheme: string, version: string, body: Body | null, trusted: boolean): Request {
    const { base, targetStart, targetEnd, minor, forwarded, upgrade, upgradeLine } = requestHead;
    const { headers } = this;
    this.headers = NO_HEADERS;
    if (forwarded && trusted) headers.restore(isForwardingHeader);
    const { rewritten } = target;
    const modern = minor === 1;
    const path = rewritten ?? bytes.latin1Slice(base + targetStart, base + targetEnd);
    const request = new Request(
      this.method,
      path,
      scheme,
      this.host,
      version,
      headers,
      body,
      modern && rewritten === null,
    );
    if (modern && upgrade && upgradeLine >= 0) request.upgrade = headers.valueAt(upgradeLine);
    return request;
  }

  /** Finds the host that is asked for, empty for none. */
  private judgeHost(): boolean {
    const { headers, lastHost } = this;
    const { hostLine } = requestHead;
    const host = hostLine < 0 ? '' : headers.saysAt(hostLine, lastHost) ? lastHost : headers.valueAt(hostLine);
    if (host === '') {
      if (hostLine >= 0) headers.dropLine(hostLine);
    } else if (host === lastHost || isHost(host)) this.lastHost = host;
    else return this.refuse('host');
    const { authority, scheme } = target;
    this.host = authority ?? host;
    if (authority === null) return true;
    if (host === '') headers.set('Host', authority);
    else if (!sameAuthority(host, authority, scheme!)) return this.refuse('target-foreign');
    return true;
  }

  private refuse(refusal: Refusal): false {
    this.refusal = refusal;
    return false;
  }
}

const NO_HEADERS = Headers.empty();

/** The usual methods without making a string. */
function methodName(bytes: Buffer, at: number, length: number): string {
  if (length === 3 && isWord(bytes, at, at + 3, 'get')) return 'GET';
  if (length === 4 && isWord(bytes, at, at + 4, 'post')) return 'POST';
  if (length === 4 && isWord(bytes, at, at + 4, 'head')) return 'HEAD';
  return bytes.latin1Slice(at, at + length);
}
