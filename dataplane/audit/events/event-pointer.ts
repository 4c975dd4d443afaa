/** A place in the events of a topic. */
export interface EventPointer {
  readonly topic: string;
  /** Names of members and places in lists, from the event on. */
  readonly steps: readonly string[];
}

/**
 * Reads a pointer such as `/access/http/request/headers/host`: the topic, then the way into the event. The slash at the
 * beginning may be left out, and `%2F` stands for a slash in a name.
 *
 * @returns the pointer, or a text that says what is wrong with it
 */
export function eventPointer(text: string): EventPointer | string {
  const parts = (text.startsWith('/') ? text.slice(1) : text).split('/');
  const steps: string[] = [];
  for (const part of parts) {
    if (part === '') return "must be a pointer such as '/access/userId': a topic, then names of fields";
    if (part === '*') return 'must not contain a wildcard: name the field around it instead';
    try {
      steps.push(decodeURIComponent(part));
    } catch {
      return `contains '${part}', which is not percent-encoded correctly`;
    }
  }
  const [topic = '', ...rest] = steps;
  if (rest.length === 0) return `must name a field of the topic, such as '/${topic}/userId'`;
  return { topic, steps: rest };
}
