import { readAdminUrl } from '../actions/admin-client.ts';
import { API_OPERATIONS } from '../actions/call-api.ts';
import { TOKEN_VARIABLE } from '../options/api-token.ts';
import { defineCommand, type Reading } from './command.ts';

const anyText = (text: string): Reading<string> => ({ value: text });

/** Command that calls the Common REST API of a gateway or a controller. */
export const apiCommand = defineCommand({
  name: 'api',
  summary: 'read and change routes and other resources of a running gateway over HTTP',
  description:
    'Calls the Common REST API on the admin address of a gateway or a controller, and prints the answer as JSON. ' +
    'OPERATION is get, query, create, put, patch, delete or action. PATH is below /api, such as routes/shop, or begins ' +
    'with a slash. The exit code is 1 if the server refuses the call; standard error then says why.',
  arguments: [
    { name: 'OPERATION', description: `One of ${API_OPERATIONS.join(', ')}.` },
    { name: 'PATH', description: 'Resource or collection, such as routes/shop, routes or planes.' },
    { name: 'ACTION', description: 'Name of the action, such as validate or explain.', optional: true },
  ],
  options: {
    server: {
      valueName: 'URL',
      description: 'Admin address, such as https://gatewarden-controller.gatewarden:9091 or unix:/tmp/admin.sock.',
      default: 'http://127.0.0.1:9090',
      read: readAdminUrl,
    },
    'token-file': {
      valueName: 'FILE',
      description: `File with the token of the caller; by default the variable ${TOKEN_VARIABLE}. Sent over https only.`,
      optional: true,
      read: anyText,
    },
    'ca-file': {
      valueName: 'FILE',
      description: "File with the CA certificate that signed the server's certificate, in PEM.",
      optional: true,
      read: anyText,
    },
    data: {
      valueName: 'FILE',
      description: "File with the JSON body of create, put, patch and actions; '-' reads standard input.",
      optional: true,
      read: anyText,
    },
    'if-match': {
      valueName: 'REV',
      description: 'Revision (_rev) that the resource must still have.',
      optional: true,
      read: anyText,
    },
    'create-only': { flag: true, description: 'Let put fail if the resource exists.' },
    filter: {
      valueName: 'FILTER',
      description: 'Filter of a query, such as \'name sw "shop"\'.',
      default: 'true',
      read: anyText,
    },
    sort: {
      valueName: 'KEYS',
      description: "Fields to sort a query by, such as '-name,_id'.",
      optional: true,
      read: anyText,
    },
    'page-size': {
      valueName: 'NUMBER',
      description: 'Number of resources per request; the command requests all pages.',
      optional: true,
      read: readSize,
    },
    fields: {
      valueName: 'FIELDS',
      description: "Fields to return, such as 'name,condition'.",
      optional: true,
      read: anyText,
    },
    parameter: {
      repeated: '--parameter',
      valueName: 'NAME=VALUE',
      description: 'Further parameter of the request.',
      read: readParameter,
    },
  },
  examples: [
    {
      command: 'gatewarden api query routes --sort name --fields name,condition',
      effect: 'List the routes of the gateway on this machine.',
    },
    { command: 'gatewarden api put routes/shop --data shop.json', effect: 'Create or update a route.' },
    {
      command: 'gatewarden api action routes explain --data request.json',
      effect: 'Show which route takes a request, and the result of each condition.',
    },
    {
      command: 'gatewarden api get routes/shop --server https://gw.test:9091 --token-file t --ca-file ca.pem',
      effect: 'Read a route from a controller.',
    },
  ],
  async run(options, { OPERATION: word, PATH: path, ACTION: action }) {
    const { apiRequest, failureLines, jsonIn, jsonText, nextCookie } = await import('../actions/call-api.ts');
    const { callAdmin } = await import('../actions/admin-client.ts');
    const { callersToken } = await import('../options/api-token.ts');
    const operation = API_OPERATIONS.find((one) => one === word);
    if (operation === undefined) {
      process.stderr.write(`gatewarden api: OPERATION must be ${API_OPERATIONS.join(', ')}, not '${word}'\n`);
      return 2;
    }
    const { server, filter, sort, fields, data, parameter: parameters } = options;
    const [pageSize, ifMatch, createOnly] = [options['page-size'], options['if-match'], options['create-only']];
    const call = { operation, path, action, data, ifMatch, createOnly, fields, filter, sort, pageSize, parameters };
    const token = callersToken(options['token-file']);
    const access = { admin: server, tokenFile: undefined, caFile: options['ca-file'], token };
    const seen = new Set<string>();
    for (let cookie: string | null = null; ; ) {
      const { status, text } = await callAdmin(access, apiRequest(call, cookie));
      if (status >= 300 && status !== 304) {
        process.stderr.write(`gatewarden api: ${failureLines(status, text).join('\n')}\n`);
        return 1;
      }
      const answer = jsonIn(text);
      if (text !== '') process.stdout.write(`${jsonText(answer)}\n`);
      cookie = operation === 'query' && pageSize !== undefined ? nextCookie(answer) : null;
      if (cookie === null) return 0;
      if (seen.has(cookie)) {
        process.stderr.write('gatewarden api: the server repeats its pages: it returned the same page cookie twice\n');
        return 1;
      }
      seen.add(cookie);
    }
  },
});

function readSize(text: string): Reading<number> {
  return /^[1-9]\d{0,6}$/.test(text)
    ? { value: Number(text) }
    : { problem: `must be a number of resources, not '${text}'` };
}

function readParameter(text: string): Reading<readonly [string, string]> {
  const equals = text.indexOf('=');
  return equals < 1
    ? { problem: `must be NAME=VALUE, not '${text}'` }
    : { value: [text.slice(0, equals), text.slice(equals + 1)] };
}
