/** A controller among several. */
export interface ControllerIdentity {
  /** Unique: the name of its Pod, usually. */
  readonly name: string;
  /** `host:port` where other controllers reach it. */
  readonly address: string;
}

/** As the holder of a Lease is written, so that followers find the leader there. */
export function identityText({ name, address }: ControllerIdentity): string {
  return `${name}@${address}`;
}

/** Reads the holder of a Lease; null when nobody holds it or somebody else wrote it. */
export function readIdentity(text: string): ControllerIdentity | null {
  const at = text.indexOf('@');
  if (at <= 0 || at === text.length - 1) return null;
  return { name: text.slice(0, at), address: text.slice(at + 1) };
}
