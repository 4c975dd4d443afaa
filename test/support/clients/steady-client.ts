import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { onTestFinished } from 'vitest';

/** Milliseconds between an answer and the next request, so that others on the machine have some of it. */
const BREATH = 5;

/** Asks for one path over and over on one connection, for the rest of the test. */
export class SteadyClient {
  answered = 0;
  /** Answers that were not right, and requests that failed; the first of them. */
  readonly wrong: string[] = [];
  private readonly client: Client;
  private readonly running: Promise<void>;
  private isStopped = false;
  private ended: Promise<readonly string[]> | null = null;

  /**
   * @param target a port of this machine, or an origin
   * @param isRight whether a text is a good answer, which has to come with status 200
   */
  constructor(target: number | string, path: string, isRight: (text: string) => boolean) {
    this.client = new Client(typeof target === 'string' ? target : `http://127.0.0.1:${target}`);
    this.running = this.run(path, isRight);
    onTestFinished(async () => void (await this.stop()));
  }

  /** Ends it. @returns what was wrong */
  stop(): Promise<readonly string[]> {
    this.isStopped = true;
    this.ended ??= this.running.then(() => this.client.close()).then(() => this.wrong);
    return this.ended;
  }

  private async run(path: string, isRight: (text: string) => boolean): Promise<void> {
    while (!this.isStopped && this.wrong.length < 10) {
      try {
        const { statusCode, body } = await this.client.request({ method: 'GET', path });
        const text = await body.text();
        if (statusCode !== 200 || !isRight(text)) this.wrong.push(`${statusCode} ${text.slice(0, 200)}`);
      } catch (error) {
        this.wrong.push(String(error));
      }
      this.answered++;
      await pause(BREATH);
    }
  }
}
