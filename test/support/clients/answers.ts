import { parseAnswers, type RawAnswer, RawClient } from './raw-client.ts';

/** Waits until `count` whole final answers have come, or the connection is over. @throws when they are not all there. */
export async function untilAnswers(
  client: RawClient,
  count: number,
  heads: readonly boolean[] = [],
): Promise<RawAnswer[]> {
  await client.until((text) => wholeAnswers(text, heads) >= count);
  return parseAnswers(client.text, heads);
}

function wholeAnswers(text: string, heads: readonly boolean[]): number {
  try {
    return parseAnswers(text, heads).filter((answer) => answer.status >= 200).length;
  } catch {
    return 0; // the last one is not all there
  }
}

/** Sends bytes on a connection of their own and reads until the server ends it. */
export async function exchangeBytes(port: number, bytes: string | Buffer): Promise<RawAnswer[]> {
  const client = await RawClient.connect(port);
  client.send(bytes);
  const text = await client.untilClosed();
  client.destroy();
  return parseAnswers(text, [bytes.toString().startsWith('HEAD ')]);
}

/** Sends one request that asks for the connection to be closed. @returns its one answer. */
export async function ask(port: number, head: string, body = ''): Promise<RawAnswer> {
  const answers = await exchangeBytes(port, `${head}Connection: close\r\n\r\n${body}`);
  if (answers.length !== 1) throw new Error(`${answers.length} answers to one request`);
  return answers[0]!;
}

/** The code of a refusal, as its answer carries it. */
export function refusalOf(answer: RawAnswer): string {
  return (JSON.parse(answer.body) as { refusal: string }).refusal;
}
