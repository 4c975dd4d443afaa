/**
 * A page that is followed line by line: its blocks of ```console in order. A word behind `console` names the terminal a
 * block is about; in those that have none every command ends by itself.
 */
export type Walkthrough = readonly Step[];

export type Step =
  | { readonly does: 'run'; readonly terminal: string; readonly command: string; readonly shown: readonly string[] }
  | { readonly does: 'interrupt'; readonly terminal: string; readonly shown: readonly string[] }
  | { readonly does: 'watch'; readonly terminal: string; readonly shown: readonly string[] };

/** The terminal of blocks that name none. */
export const OWN_TERMINAL = '';

/** Reads the steps of a page: `$ ` begins a command, `> ` continues it, `^C` interrupts, all else is what is shown. */
export function readWalkthrough(page: string): Walkthrough {
  const blocks = [...page.matchAll(/^```console(?:[ \t]+(\S+))?[ \t]*\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, terminal = OWN_TERMINAL, text]) => readBlock(terminal, text!.split('\n').slice(0, -1)));
}

function readBlock(terminal: string, lines: readonly string[]): Step[] {
  const steps: (Step & { shown: string[] })[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ does: 'run', terminal, command: line.slice(2), shown: [] });
    else if (line === '^C') steps.push({ does: 'interrupt', terminal, shown: [] });
    else if (line.startsWith('> ') && last?.does === 'run' && last.shown.length === 0) {
      steps[steps.length - 1] = { ...last, command: `${last.command}\n${line.slice(2)}` };
    } else if (last === undefined) steps.push({ does: 'watch', terminal, shown: [line] });
    else last.shown.push(line);
  }
  return steps;
}

/** One line as the page shows it: `…` stands for any part of a line. */
export function shownLine(line: string): RegExp {
  return new RegExp(`^${line.split('…').map(RegExp.escape).join('.*')}$`);
}

/** All that a command prints as the page shows it: a line that is `…` stands for any number of lines. */
export function shownOutput(lines: readonly string[]): RegExp {
  const patterns = lines.map((line) => (line === '…' ? '(?:.*\\n)*' : `${shownLine(line).source.slice(1, -1)}\\n`));
  return new RegExp(`^${patterns.join('')}$`);
}
