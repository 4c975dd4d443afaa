/** Bytes that passed a tunnel, and how it was closed. */
export interface TunnelTraffic {
  readonly fromClient: number;
  readonly toClient: number;
  /** The code of the first Close frame; null where the protocol has none. */
  readonly closeCode: number | null;
}
