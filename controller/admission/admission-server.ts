import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ResourceKind } from '../../contract/resources/resource.ts';
import type { CertifiedKey } from '../certificates/issue-certificate.ts';
import { type Addition, jsonPatch } from '../injection/pod-patch.ts';
import type { AdmissionJudge } from './admission-judge.ts';
import { readReview } from './admission-request.ts';
import { type AdmissionVerdict, admissionVerdict } from './admission-verdict.ts';
import { type BaseJudge, baseVerdict, readBaseReview } from './base-review.ts';
import { readInjectionReview } from './injection-request.ts';
import { injectionVerdict, type PodInjector } from './injection-verdict.ts';
import { LONGEST_REVIEW, ReviewBodies } from './review-bodies.ts';
import { REVIEW_VERSION, ReviewFault } from './review-envelope.ts';

/** Outcome of a review: `injected` is allowed with a change, `failed` leaves the decision to the `failurePolicy`. */
export type AdmissionOutcome = 'allowed' | 'injected' | 'denied' | 'malformed' | 'failed';

/** Kinds of reviewed objects. */
export type ReviewedKind = ResourceKind | 'ConfigMap' | 'Pod';

export interface AdmissionObserver {
  /** @param kind null for a review that could not be read */
  reviewed(kind: ReviewedKind | null, outcome: AdmissionOutcome, milliseconds: number): void;
  /** What judges or injects threw: there is a defect, or something is not there yet. */
  failed(error: unknown): void;
}

export interface AdmissionServerOptions {
  readonly judge: AdmissionJudge;
  /** Judges the base configuration; without it nobody does. */
  readonly baseJudge?: BaseJudge | null;
  /** Gives Pods their sidecars; without it nobody does. */
  readonly injector?: PodInjector | null;
  readonly certificate: CertifiedKey;
  readonly observer: AdmissionObserver;
  /** The authorities, in PEM, that callers must have a certificate of; without it anybody who gets here may ask. */
  readonly clientAuthorities?: string;
}

/** Where reviews of resources are posted to. */
export const ADMISSION_PATH = '/validate';
/** Where reviews of the base configuration are posted to. */
export const BASE_ADMISSION_PATH = '/validate-base';
/** Where reviews of Pods that are to get a sidecar are posted to. */
const INJECTION_PATH = '/inject';

/** As many as may be read at a time; the API server has the `failurePolicy` for those beyond. */
const MOST_AT_A_TIME = 64;
const MOST_CONNECTIONS = 256;
/** Longer than the API server keeps idle connections (90 s), so that it never writes to one that is being closed. */
const IDLE_TIMEOUT = 120_000;

/** A review that was read, and what it takes to answer it. */
interface ReadReview {
  readonly uid: string;
  readonly kind: ReviewedKind;
  verdict(): AdmissionVerdict;
}

/** The admission webhooks: they answer what the API server asks about, and do nothing else. */
export class AdmissionServer {
  private readonly server: Server;
  private readonly options: AdmissionServerOptions;
  private readonly bodies = new ReviewBodies();
  private open = 0;

  constructor(options: AdmissionServerOptions) {
    this.options = options;
    const { clientAuthorities, certificate } = options;
    this.server = createServer(
      {
        ...secureOptions(certificate, clientAuthorities),
        requestCert: clientAuthorities !== undefined,
        // who says nothing does not keep a place: the port is open to whom no NetworkPolicy keeps out
        handshakeTimeout: 5000,
        headersTimeout: 5000,
        requestTimeout: 10_000,
        connectionsCheckingInterval: 1000,
        keepAliveTimeout: IDLE_TIMEOUT,
        maxHeaderSize: 16_384,
      },
      (request, response) => {
        this.answer(request, response).catch(() => response.destroy());
      },
    );
    this.server.maxConnections = MOST_CONNECTIONS;
  }

  async listen(address: { readonly host?: string; readonly port: number }): Promise<{ host: string; port: number }> {
    const bound = await new Promise<AddressInfo>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(address, () => {
        this.server.off('error', reject);
        resolve(this.server.address() as AddressInfo);
      });
    });
    return { host: bound.address, port: bound.port };
  }

  /** Takes another certificate for connections from now on; those that are there stay. */
  renew(certificate: CertifiedKey): void {
    this.server.setSecureContext(secureOptions(certificate, this.options.clientAuthorities));
  }

  /** Takes no more connections, and resolves when what was asked is answered. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeIdleConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?', 1);
    const read = this.readerOf(path);
    if (read === null) return say(response, 404, `reviews go to ${ADMISSION_PATH}`);
    if (request.method !== 'POST') return say(response, 405, 'use POST');
    if (this.open >= MOST_AT_A_TIME) return say(response, 503, 'too many reviews at a time');
    this.open++;
    try {
      const body = await this.bodies.read(request);
      if ('refusal' in body) return refuseBody(response, body.refusal);
      // who does not wait for the answer any more needs none
      if (!request.socket.destroyed) this.review(() => read(body.text), response);
    } finally {
      this.open--;
    }
  }

  /** What reads the reviews of a path; null when none are taken there. */
  private readerOf(path: string | undefined): ((text: string) => ReadReview) | null {
    const { judge, injector = null, baseJudge = null } = this.options;
    if (path === ADMISSION_PATH) return (text) => judgedReview(text, judge);
    if (path === BASE_ADMISSION_PATH && baseJudge !== null) return (text) => judgedBase(text, baseJudge);
    return path === INJECTION_PATH && injector !== null ? (text) => injectedReview(text, injector) : null;
  }

  private review(read: () => ReadReview, response: ServerResponse): void {
    const { observer } = this.options;
    const began = performance.now();
    let review: ReadReview | null = null;
    let outcome: AdmissionOutcome = 'failed';
    try {
      review = read();
      const verdict = review.verdict();
      outcome = outcomeOf(verdict);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(reviewAnswer(review.uid, verdict)));
    } catch (error) {
      const isMalformed = error instanceof ReviewFault;
      if (isMalformed) outcome = 'malformed';
      else observer.failed(error);
      say(response, isMalformed ? 400 : 500, isMalformed ? error.message : 'the review failed');
    } finally {
      observer.reviewed(review?.kind ?? null, outcome, performance.now() - began);
    }
  }
}

function judgedReview(text: string, judge: AdmissionJudge): ReadReview {
  const request = readReview(text);
  return { uid: request.uid, kind: request.kind, verdict: () => admissionVerdict(request, judge) };
}

function judgedBase(text: string, judge: BaseJudge): ReadReview {
  const review = readBaseReview(text);
  return { uid: review.uid, kind: 'ConfigMap', verdict: () => baseVerdict(review, judge) };
}

function injectedReview(text: string, injector: PodInjector): ReadReview {
  const request = readInjectionReview(text);
  return { uid: request.uid, kind: 'Pod', verdict: () => injectionVerdict(request, injector) };
}

function outcomeOf({ denial, additions }: AdmissionVerdict): AdmissionOutcome {
  if (denial !== null) return 'denied';
  return additions === undefined ? 'allowed' : 'injected';
}

function secureOptions({ certificate, key }: CertifiedKey, clientAuthorities: string | undefined): object {
  return {
    cert: certificate,
    key,
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
  };
}

function reviewAnswer(uid: string, { denial, warnings, additions }: AdmissionVerdict): object {
  return {
    apiVersion: REVIEW_VERSION,
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: denial === null,
      ...(denial === null ? {} : { status: { status: 'Failure', ...denial } }),
      ...(additions === undefined ? {} : { patchType: 'JSONPatch', patch: patchOf(additions) }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

function patchOf(additions: readonly Addition[]): string {
  return Buffer.from(JSON.stringify(jsonPatch(additions))).toString('base64');
}

function refuseBody(response: ServerResponse, refusal: 'too-long' | 'too-many'): void {
  if (refusal === 'too-long') say(response, 413, `a review must not be longer than ${LONGEST_REVIEW} bytes`, true);
  else say(response, 503, 'too many long reviews at a time', true);
}

/** @param isUnread whether the body was not read to its end, so that nothing can follow it */
function say(response: ServerResponse, status: number, text: string, isUnread = false): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      ...(isUnread ? { connection: 'close' } : {}),
    })
    .end(`${text}\n`);
}
