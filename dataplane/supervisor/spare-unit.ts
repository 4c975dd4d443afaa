import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { WorkerUnitOptions } from '../unit/unit-messages.ts';
import { unitWorker } from '../unit/unit-worker.ts';

/** A unit that loads while nobody knows what it will serve, so that it serves sooner when somebody does. */
export class SpareUnit {
  private waiting: { readonly worker: Worker; readonly options: MessagePort } | null = null;

  get isWaiting(): boolean {
    return this.waiting !== null;
  }

  /** Starts it. It keeps no process alive. */
  prepare(): void {
    if (this.waiting !== null) return;
    const { port1: options, port2: told } = new MessageChannel();
    const worker = unitWorker({ role: 'gatewarden-spare-unit', options: told }, told);
    worker.unref();
    options.unref();
    this.waiting = { worker, options };
    worker.once('error', this.forget).once('exit', this.forget);
  }

  /** Makes it a unit that serves. @param port what goes over with the options @returns null when there is none */
  take(options: WorkerUnitOptions, port: MessagePort): Worker | null {
    const { waiting } = this;
    if (waiting === null) return null;
    this.waiting = null;
    waiting.worker.off('error', this.forget).off('exit', this.forget);
    waiting.worker.ref();
    waiting.options.postMessage(options, [port]);
    return waiting.worker;
  }

  /** It ended before it was needed. Whoever needs a unit starts one, and hears what is wrong. */
  private readonly forget = (): void => {
    this.waiting = null;
  };
}
