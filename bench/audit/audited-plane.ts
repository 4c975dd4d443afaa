import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { type Accounts, accountsOf } from '../../test/support/audit/accounts.ts';
import { jmsConfigFor } from '../../test/support/brokers/jms-config.ts';
import { GatewayProcess } from '../../test/support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../test/support/gateways/instance-folder.ts';
import { residentMemory } from '../measure/measure-memory.ts';

/** Destination of events. */
export interface Destination {
  readonly url: string;
  readonly topic: string;
  readonly user: string;
  readonly password: string;
  /** More fields of the handler. */
  readonly handler: JsonObject;
}

/** A gateway with one unit in front of a backend, with access events to a broker or without. */
export class AuditedPlane {
  readonly gateway: GatewayProcess;
  private readonly folder: InstanceFolder;

  private constructor(gateway: GatewayProcess, folder: InstanceFolder) {
    this.gateway = gateway;
    this.folder = folder;
  }

  /** @param backend its port */
  static async start(backend: number, to: Destination | null): Promise<AuditedPlane> {
    const folder = new InstanceFolder({
      'config/routes/all.json': {
        handler: {
          type: 'ReverseProxyHandler',
          config: { connections: 1024 },
          baseURI: `http://127.0.0.1:${backend}`,
        },
        ...(to === null ? {} : { auditService: serviceFor(to) }),
      },
    });
    return new AuditedPlane(await GatewayProcess.run(folder.path), folder);
  }

  accounts(): Promise<Accounts> {
    return accountsOf(this.gateway);
  }

  /** Resolves when so many events were emitted and none waits. */
  async settled(emitted: number): Promise<Accounts> {
    for (;;) {
      const accounts = await this.accounts();
      if (accounts.emitted >= emitted && accounts.waiting === 0) return accounts;
      await pause(50);
    }
  }

  /** Resident memory in mebibytes. */
  get resident(): number {
    return residentMemory(this.gateway.pid) / 2 ** 20;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    this.folder[Symbol.dispose]();
  }
}

function serviceFor({ url, topic, user, password, handler }: Destination): JsonObject {
  const properties = { userName: user, password, 'topic.audit': topic };
  const config = { name: 'jms', topics: ['access'], ...jmsConfigFor(url, handler, { properties }) };
  return { type: 'AuditService', config: { eventHandlers: [{ class: 'JmsAuditEventHandler', config }] } };
}
