import { expect, onTestFailed, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { jmsConfigFor } from '../brokers/jms-config.ts';
import { GatewayProcess } from '../gateways/gateway-process.ts';
import { InstanceFolder } from '../gateways/instance-folder.ts';
import { type Accounts, accountsOf } from './accounts.ts';

export interface AuditedWish {
  readonly url: string;
  readonly topic: string;
  readonly user?: string;
  readonly password?: string;
  /** More fields of the handler. */
  readonly handler?: JsonObject;
}

/** How many requests are under way at a time. */
const CLIENTS = 8;

/** A gateway for the rest of the test that sends its access events to a broker. */
export class AuditedGateway {
  readonly process: GatewayProcess;
  private requests = 0;

  private constructor(process: GatewayProcess) {
    this.process = process;
  }

  static async start({
    url,
    topic,
    user = 'gateway',
    password = 'sends',
    handler = {},
  }: AuditedWish): Promise<AuditedGateway> {
    const properties = { userName: user, password, 'topic.audit': topic };
    const config = { name: 'jms', topics: ['access'], ...jmsConfigFor(url, handler, { properties }) };
    const folder = new InstanceFolder({
      'config/config.json': {
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'served' } },
        auditService: {
          type: 'AuditService',
          config: { eventHandlers: [{ class: 'JmsAuditEventHandler', config }] },
        },
      },
    });
    const gateway = await GatewayProcess.run(folder.path, ['--drain-timeout', '1s']);
    onTestFinished(async () => {
      await gateway.stop();
      folder[Symbol.dispose]();
    });
    onTestFailed(() => {
      process.stderr.write(`${gateway.said.map((line) => JSON.stringify(line)).join('\n')}\n`);
    });
    return new AuditedGateway(gateway);
  }

  /** Sends so many requests, each with a path of its own. Resolves when all are answered; each has to be, with 200. */
  async ask(count: number): Promise<void> {
    const last = this.requests + count;
    const client = async (): Promise<void> => {
      while (this.requests < last) {
        const url = `http://127.0.0.1:${this.process.port}/${++this.requests}`;
        const answer = await fetch(url, { headers: { Connection: 'close' } });
        expect([answer.status, await answer.text()]).toEqual([200, 'served']);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  accounts(): Promise<Accounts> {
    return accountsOf(this.process);
  }

  /** Resolves when the accounts are these. */
  async accountsAre(expected: Accounts): Promise<void> {
    await expect.poll(() => this.accounts(), { interval: 50 }).toEqual(expected);
  }

  /** Resolves when a line of the log has this text. */
  async logs(text: RegExp): Promise<void> {
    await expect.poll(() => JSON.stringify(this.process.said)).toMatch(text);
  }
}

/** Paths of the requests whose events a consumer has, sorted as numbers, without repetition. */
export function pathsIn({ messages }: { readonly messages: readonly { readonly text: string }[] }): number[] {
  const paths = messages.map(({ text }) => {
    const { http } = JSON.parse(text) as { readonly http: { readonly request: { readonly path: string } } };
    return Number(http.request.path.replace(/^.*\//, ''));
  });
  return [...new Set(paths)].sort((one, other) => one - other);
}

/** The numbers from one to another. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
