/** A thread that sends requests at a steady rate over many connections, and notes what came back and when. */
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface PacedLoad {
  readonly port: number;
  /** The whole request. */
  readonly request: string;
  /** Requests a second. */
  readonly rate: number;
  readonly connections: number;
  /** Sends nothing until the message `begin`; without it, begins when it is connected. */
  readonly waits?: true;
  /** Counts answers: allowed ones, then denied ones. */
  readonly seen: Int32Array<SharedArrayBuffer>;
}

/** Answers in order of arrival, in columns; times are milliseconds since 1970. */
export interface PacedAnswers {
  readonly sent: Float64Array;
  readonly received: Float64Array;
  readonly status: Uint16Array;
  /** Requests that were due when no connection was free. */
  readonly late: number;
  /** Requests that had no answer long after the last one was sent. */
  readonly unanswered: number;
  readonly failures: readonly string[];
}

/** The clock that all threads of a process share. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Milliseconds to wait for the last answers. */
const PATIENCE = 5000;

const HEAD_END = Buffer.from('\r\n\r\n');

class Connection {
  sentAt = 0;
  readonly socket: Socket;
  private waiting: Buffer = Buffer.alloc(0);

  constructor(port: number, done: (connection: Connection, status: number) => void, failed: (reason: string) => void) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('error', (error) => failed(String(error)));
    this.socket.on('close', () => failed('the gateway closed a connection'));
    this.socket.on('data', (bytes: Buffer) => {
      this.waiting = this.waiting.length === 0 ? bytes : Buffer.concat([this.waiting, bytes]);
      const end = this.waiting.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.waiting.latin1Slice(0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (this.waiting.length < end + HEAD_END.length + length) return;
      this.waiting = Buffer.alloc(0);
      done(this, Number(head.slice(9, 12)));
    });
  }
}

function run({ port, request, rate, connections, waits, seen }: PacedLoad): void {
  const sent: number[] = [];
  const received: number[] = [];
  const status: number[] = [];
  const failures: string[] = [];
  const free: Connection[] = [];
  let late = 0;
  const done = (connection: Connection, code: number): void => {
    sent.push(connection.sentAt);
    received.push(wallClock());
    status.push(code);
    Atomics.add(seen, code === 200 ? 0 : 1, 1);
    free.push(connection);
  };
  const all = Array.from({ length: connections }, () => new Connection(port, done, (reason) => failures.push(reason)));
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    const begun = wallClock();
    let due = 0;
    timer = setInterval(() => {
      const now = wallClock();
      const target = ((now - begun) * rate) / 1000;
      while (due < target) {
        due++;
        const connection = free.shift();
        if (connection === undefined) {
          late++;
          continue;
        }
        connection.sentAt = wallClock();
        connection.socket.write(request);
      }
    }, 1);
  };
  for (const connection of all)
    connection.socket.once('connect', () => {
      if (free.push(connection) < all.length) return;
      if (waits) parentPort!.postMessage('connected');
      else begin();
    });
  const end = (): void => {
    for (const { socket } of all) socket.removeAllListeners('close').destroy();
    const answers: PacedAnswers = {
      sent: Float64Array.from(sent),
      received: Float64Array.from(received),
      status: Uint16Array.from(status),
      late,
      unanswered: all.length - free.length,
      failures: failures.slice(0, 5),
    };
    parentPort!.postMessage(answers);
    parentPort!.close();
  };
  parentPort!.on('message', (message: 'begin' | 'stop') => {
    if (message === 'begin') return begin();
    clearInterval(timer);
    const until = wallClock() + PATIENCE;
    const looking = setInterval(() => {
      if (free.length < all.length && wallClock() < until) return;
      clearInterval(looking);
      end();
    }, 5);
  });
}

if (parentPort !== null) run(workerData as PacedLoad);
