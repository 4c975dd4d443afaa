import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Listens, says where, and then never accepts, because its thread waits. */
const DEAF = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address());
    Atomics.wait(new Int32Array(workerData), 0, 0);
    server.close();
  });
`;
/** What the kernel accepts on its own for a backlog of one. */
const ACCEPTED_BY_KERNEL = 2;

/** A port whose connection attempts are neither accepted nor refused. */
export interface FullListener {
  readonly port: number;
  close(): Promise<void>;
}

export async function startFullListener(): Promise<FullListener> {
  const awake = new SharedArrayBuffer(4);
  const worker = new Worker(DEAF, { eval: true, workerData: awake });
  const [{ port }] = (await once(worker, 'message')) as [AddressInfo];
  const fillers: Socket[] = [];
  for (let i = 0; i < ACCEPTED_BY_KERNEL; i++) {
    const filler = connect({ port, host: '127.0.0.1' });
    fillers.push(filler);
    filler.on('error', () => {});
    await once(filler, 'connect');
  }
  return {
    port,
    async close() {
      for (const filler of fillers) filler.destroy();
      Atomics.store(new Int32Array(awake), 0, 1);
      Atomics.notify(new Int32Array(awake), 0);
      await worker.terminate();
    },
  };
}
