import type { AskedRequest } from '../../controller/manage/explained-request.ts';
import { systemOption } from '../options/system-property.ts';
import { defineCommand, type Reading } from './command.ts';

/** Command that shows which route takes a request, and why no earlier one does. */
export const routesCommand = defineCommand({
  name: 'routes',
  summary: 'list the routes in order, or show which one takes a request and why',
  description:
    'Lists the routes of every router of an instance directory in the order in which they are tried. With --match, ' +
    'evaluates their conditions for a request and prints each result: true, false, or no value, which counts as ' +
    'false. Filters in front of a router, which may change a request, are not run.',
  arguments: [{ name: 'DIR', description: 'Instance directory, or its configuration directory.', optional: true }],
  options: {
    match: {
      valueName: 'REQUEST',
      description: "Request to match: 'GET https://host/path', or only a URL or a path.",
      optional: true,
      read: readRequest,
    },
    header: {
      repeated: '--header',
      valueName: "'NAME: VALUE'",
      description: 'Header line of the request.',
      read: readHeader,
    },
    system: systemOption,
  },
  examples: [
    { command: 'gatewarden routes .', effect: 'List the routes of the instance in this directory.' },
    {
      command: "gatewarden routes . --match 'POST https://shop.test/orders' --header 'X-Tenant: a'",
      effect: 'Show which route takes this request, and the results of the conditions before it.',
    },
  ],
  async run({ match, header, system }, { DIR: directory }) {
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { compileOnce } = await import('../actions/compile-once.ts');
    const { matchLines } = await import('../actions/match-routes.ts');
    const { routeLines } = await import('../output/route-lines.ts');
    const compiled = await compileOnce(directory, Object.fromEntries(system));
    if (compiled.snapshot === null) return 1;
    const lines =
      match === undefined
        ? routeLines(compiled, false, Number.POSITIVE_INFINITY)
        : await matchLines(compiled.snapshot, compiled.instance, { ...match, headers: header });
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return 0;
  },
});

function readRequest(text: string): Reading<Omit<AskedRequest, 'headers'>> {
  const parts = /^(?:([!#$%&'*+.^_`|~\w-]+) +)?((?:https?:\/\/|\/)\S*)$/.exec(text.trim());
  if (parts === null) return { problem: `must be 'METHOD URL', a URL or a path, not '${text}'` };
  const uri = parts[2]!;
  if (!uri.startsWith('/') && !URL.canParse(uri)) return { problem: `has no URL that can be read: '${uri}'` };
  return { value: { method: parts[1] ?? 'GET', uri } };
}

function readHeader(text: string): Reading<string> {
  return /^[!#$%&'*+.^_`|~\w-]+:/.test(text) ? { value: text } : { problem: `must be 'NAME: VALUE', not '${text}'` };
}
