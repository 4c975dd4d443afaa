import type { PreparedUpdate } from '../../../controller/publish/sessions/plane-view.ts';

/** All parts of an update as one text, without the beginnings that hold the nonce; empty for none. */
export function updateText(update: PreparedUpdate | null): string {
  if (update === null) return '';
  const { parts } = update;
  return Array.from({ length: parts.count }, (_, index) => String(parts.message(index, 1))).join('');
}
