import { isForwardingHeader } from '../backend/forwarding.ts';
import { canonicalForwardedHosts } from '../client/forwarded-hosts.ts';
import { identifying, takeIds } from '../client/request-ids.ts';
import type { Body } from '../message/body.ts';
import type { Refusal } from '../message/refusal.ts';
import { Request } from '../message/request.ts';
import { canonicalAuthority, sameAuthority } from './canonical-host.ts';
import { Headers } from './headers.ts';
import { isWord } from './message-head.ts';
import type { Queries } from './query.ts';
import { requestHead } from './scanned-request.ts';
import { judgeTarget, target } from './target.ts';

/** Rules of a listener for request heads. */
export interface JudgeLimits {
  readonly queries: Queries;
  readonly missingHost: boolean;
}

/** Decides what the heads of one client ask for, beyond what the scan says: the same for every version of HTTP. */
export class RequestJudge {
  /** The method of the head that was judged last. */
  method = '';
  /** Why that head was refused. */
  refusal: Refusal = 'target';
  private headers: Headers = NO_HEADERS;
  private host = '';
  /** The Host line of the request before, as it came, and its one spelling. */
  private lastLine = '';
  private lastHost = '';

  /** Judges the head that was scanned last and ends at `headEnd`. @returns false when it must be refused. */
  judge(bytes: Buffer, headEnd: number, scheme: string, limits: JudgeLimits): boolean {
    const { base, methodEnd, targetStart, targetEnd } = requestHead;
    const method = methodName(bytes, base, methodEnd);
    this.method = method;
    if (method === 'CONNECT') return this.refuse('connect');
    if (method === 'TRACE') return this.refuse('trace');
    if (!judgeTarget(bytes, base + targetStart, base + targetEnd, method === 'OPTIONS', limits.queries)) {
      return this.refuse(target.refusal);
    }
    this.headers = new Headers(bytes, base, headEnd - base - 2, requestHead);
    this.headers.credentials = requestHead.credentials;
    return this.judgeHost(scheme, limits.missingHost);
  }

  /** The request that was judged last. `trusted`: its client may speak about others. */
  request(bytes: Buffer, scheme: string, version: string, body: Body | null, trusted: boolean): Request {
    const { base, targetStart, targetEnd, minor, forwarded, identified, upgrade, upgradeLine } = requestHead;
    const { headers } = this;
    this.headers = NO_HEADERS;
    if (forwarded && trusted) {
      headers.restore(isForwardingHeader);
      canonicalForwardedHosts(headers, scheme);
    }
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
    if (identified && trusted && identifying.requests) request.givenIds = takeIds(headers);
    if (modern && upgrade && upgradeLine >= 0) request.upgrade = headers.valueAt(upgradeLine);
    return request;
  }

  /** Finds the host that is asked for, empty for none. What is matched, logged and sent on is its one spelling. */
  private judgeHost(scheme: string, missing: boolean): boolean {
    const { headers } = this;
    const { hostLine } = requestHead;
    const line =
      hostLine < 0 ? '' : headers.saysAt(hostLine, this.lastLine) ? this.lastLine : headers.valueAt(hostLine);
    if (line !== this.lastLine && line !== '') {
      const host = canonicalAuthority(line, scheme);
      if (host === null) return this.refuse('host');
      this.lastLine = line;
      this.lastHost = host;
    }
    const { authority } = target;
    this.host = line === '' ? '' : this.lastHost;
    if (authority !== null) {
      const named = canonicalAuthority(authority, scheme);
      if (named === null) return this.refuse('target');
      if (line !== '' && !sameAuthority(line, authority, target.scheme!)) return this.refuse('target-foreign');
      this.host = named;
    }
    if (this.host === '' && requestHead.minor === 1 && !missing) return this.refuse('host');
    if (this.host !== line) headers.set('Host', this.host);
    else if (line === '' && hostLine >= 0) headers.dropLine(hostLine);
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
