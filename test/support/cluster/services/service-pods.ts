import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { ownAddress, sliceAt } from './service-objects.ts';

/** An application that a Service has as an endpoint. */
export class ServicePod {
  readonly port: number;
  /** Requests that it answered. */
  answered = 0;
  private readonly server: Server;
  private readonly sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.server = server;
    this.sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Runs until it is stopped, or for the rest of the test. It answers every request with its text. */
  static async start(text: string): Promise<ServicePod> {
    const sockets = new Set<Socket>();
    let pod: ServicePod | null = null;
    const server = createServer((_, answer) => {
      if (pod !== null) pod.answered++;
      answer.end(text);
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, ownAddress(), resolve));
    const made = new ServicePod(server, sockets);
    pod = made;
    onTestFinished(() => made.stop());
    return made;
  }

  /** Connections that data planes hold to it. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Its EndpointSlice. */
  slice(namespace: string, service: string, conditions: JsonObject = { ready: true }): object {
    return sliceAt(namespace, service, this.port, conditions);
  }

  /** Ends at once, whatever it does. */
  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Conditions of an endpoint that terminates and still answers. */
export const DRAINING = { ready: false, serving: true, terminating: true };
