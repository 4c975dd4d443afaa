import { parentPort, workerData } from 'node:worker_threads';
import { HealthTable } from '../../../dataplane/backends/endpoints/health-table.ts';

interface Order {
  readonly memory: SharedArrayBuffer;
  readonly unit: number;
  readonly times: number;
}

/** Takes and releases records of endpoints that no other unit has. @returns what was wrong with one of them, or null */
function takeRecords({ memory, unit, times }: Order): string | null {
  const table = new HealthTable(memory, unit);
  for (let i = 0; i < times; i++) {
    const record = table.take(`unit-${unit}-endpoint-${i}`);
    const counts = [record.failed(), record.failed(), record.failed()];
    record.release();
    if (counts.join() !== '1,2,3') return `endpoint ${i} of unit ${unit} counted ${counts}`;
  }
  return null;
}

if (parentPort !== null) parentPort.postMessage(takeRecords(workerData as Order));
