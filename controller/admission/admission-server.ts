import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ResourceKind } from '../../contract/resources/resource.ts';
import type { CertifiedKey } from '../certificates/issue-certificate.ts';
import type { AdmissionJudge } from './admission-judge.ts';
import { type AdmissionRequest, REVIEW_VERSION, ReviewFault, readReview } from './admission-request.ts';
import { type AdmissionVerdict, admissionVerdict } from './admission-verdict.ts';

/** What became of a review: `failed` leaves the decision to the `failurePolicy`. */
export type AdmissionOutcome = 'allowed' | 'denied' | 'malformed' | 'failed';

export interface AdmissionObserver {
  /** @param kind null for a review that could not be read */
  reviewed(kind: ResourceKind | null, outcome: AdmissionOutcome, milliseconds: number): void;
  /** A defect: the judge threw. */
  failed(error: unknown): void;
}

export interface AdmissionServerOptions {
  readonly judge: AdmissionJudge;
  readonly certificate: CertifiedKey;
  readonly observer: AdmissionObserver;
  /** The authorities, in PEM, that callers must have a certificate of; without it anybody who gets here may ask. */
  readonly clientAuthorities?: string;
}

/** Where reviews are posted to. */
export const ADMISSION_PATH = '/validate';

/** The object as it is and as it is to be, neither longer than the API server takes it (3 MiB), and room to spare. */
const LONGEST_REVIEW = 8 * 1024 * 1024;
/** As many as may be read at a time; the API server has the `failurePolicy` for those beyond. */
const MOST_AT_A_TIME = 64;
const MOST_CONNECTIONS = 256;
/** Longer than the API server keeps idle connections (90 s), so that it never writes to one that is being closed. */
const IDLE_TIMEOUT = 120_000;

/** The validating admission webhook: judges what the API server asks about and does nothing else. */
export class AdmissionServer {
  private readonly server: Server;
  private readonly options: AdmissionServerOptions;
  private open = 0;

  constructor(options: AdmissionServerOptions) {
    this.options = options;
    const { clientAuthorities, certificate } = options;
    this.server = createServer(
      {
        ...secureOptions(certificate, clientAuthorities),
        requestCert: clientAuthorities !== undefined,
        headersTimeout: 5000,
        requestTimeout: 10_000,
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
    if (path !== ADMISSION_PATH) return say(response, 404, `reviews go to ${ADMISSION_PATH}`);
    if (request.method !== 'POST') return say(response, 405, 'use POST');
    if (this.open >= MOST_AT_A_TIME) return say(response, 503, 'too many reviews at a time');
    this.open++;
    try {
      const text = await bodyOf(request);
      if (text === null) return say(response, 413, `a review has at most ${LONGEST_REVIEW} bytes`);
      // who does not wait for the answer any more needs none
      if (!request.socket.destroyed) this.review(text, response);
    } finally {
      this.open--;
    }
  }

  private review(text: string, response: ServerResponse): void {
    const { judge, observer } = this.options;
    const began = performance.now();
    let request: AdmissionRequest | null = null;
    let outcome: AdmissionOutcome = 'failed';
    try {
      request = readReview(text);
      const verdict = admissionVerdict(request, judge);
      outcome = verdict.denial === null ? 'allowed' : 'denied';
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(reviewAnswer(request.uid, verdict)));
    } catch (error) {
      const isMalformed = error instanceof ReviewFault;
      if (isMalformed) outcome = 'malformed';
      else observer.failed(error);
      say(response, isMalformed ? 400 : 500, isMalformed ? error.message : 'the review failed');
    } finally {
      observer.reviewed(request?.kind ?? null, outcome, performance.now() - began);
    }
  }
}

function secureOptions({ certificate, key }: CertifiedKey, clientAuthorities: string | undefined): object {
  return {
    cert: certificate,
    key,
    ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities }),
  };
}

function reviewAnswer(uid: string, { denial, warnings }: AdmissionVerdict): object {
  return {
    apiVersion: REVIEW_VERSION,
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: denial === null,
      ...(denial === null ? {} : { status: { status: 'Failure', ...denial } }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

/** The whole body; null when it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  // what is left of a body that is too long stays unread, so that the answer can still be sent
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > LONGEST_REVIEW) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function say(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      ...(status === 413 ? { connection: 'close' } : {}),
    })
    .end(`${text}\n`);
}
