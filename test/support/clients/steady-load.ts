import { Agent, request } from 'undici';

/** Clients that send one request after the other until they are told to stop. */
export class SteadyLoad {
  /** How often each answer came, as `200` or as the text of an error. */
  readonly answers = new Map<string, number>();
  private readonly agent = new Agent();
  private readonly work: readonly Promise<void>[];
  private ending: Promise<Record<string, number>> | null = null;

  constructor(url: string, clients: number) {
    this.work = Array.from({ length: clients }, () => this.run(url));
  }

  get count(): number {
    return [...this.answers.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Ends when every request was answered. @returns how often each answer came */
  stop(): Promise<Record<string, number>> {
    this.ending ??= this.end();
    return this.ending;
  }

  private async end(): Promise<Record<string, number>> {
    await Promise.resolve(); // clients look whether it is over
    await Promise.all(this.work);
    await this.agent.close();
    return Object.fromEntries(this.answers);
  }

  private async run(url: string): Promise<void> {
    while (this.ending === null) {
      const answer = await this.ask(url).catch((error: unknown) => String(error));
      this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    }
  }

  private async ask(url: string): Promise<string> {
    const { statusCode, body } = await request(url, { dispatcher: this.agent });
    const text = await body.text();
    return statusCode === 200 ? '200' : `${statusCode} ${text}`;
  }
}
