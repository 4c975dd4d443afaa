import type { Reading } from './command.ts';

/** How what happens while an instance runs is told; `auto` is text on a terminal and JSON elsewhere. */
export type ReportFormat = 'text' | 'json' | 'auto';

export function readReportFormat(text: string): Reading<ReportFormat> {
  if (text === 'text' || text === 'json' || text === 'auto') return { value: text };
  return { problem: `must be "text", "json" or "auto", not '${text}'` };
}
