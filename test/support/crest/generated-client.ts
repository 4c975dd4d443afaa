import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';

/** Arguments of an operation of a generated client. */
export interface OperationInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

/** Operations of a generated client by their ids. */
export type GeneratedClient = Readonly<
  Record<string, (input?: OperationInput) => Promise<{ readonly status: number; readonly body: JsonObject }>>
>;

/** Generates the source of a client from a document of OpenAPI, one function for each operation, and loads it. */
export async function generateClient(api: JsonObject): Promise<GeneratedClient> {
  const [{ url }] = api['servers'] as unknown as [{ readonly url: string }];
  const functions: string[] = [];
  for (const [path, item] of Object.entries(api['paths'] as Readonly<Record<string, JsonObject>>)) {
    for (const [method, operation] of Object.entries(item)) {
      if (method === 'parameters') continue;
      const own = [item['parameters'] ?? [], (operation as JsonObject)['parameters'] ?? []].flat() as JsonObject[];
      const parameters = own.map((one) => resolved(api, one));
      functions.push(functionText(url, path, method, operation as JsonObject, parameters));
    }
  }
  const source = Buffer.from(functions.join('\n')).toString('base64');
  return (await import(`data:text/javascript;base64,${source}`)) as GeneratedClient;
}

function functionText(
  url: string,
  path: string,
  method: string,
  operation: JsonObject,
  parameters: readonly JsonObject[],
): string {
  const namesIn = (place: string): string[] =>
    parameters.filter((one) => one['in'] === place).map((one) => String(one['name']));
  const required = parameters.filter((one) => one['required'] === true).map((one) => [one['in'], one['name']]);
  const hasBody = operation['requestBody'] !== undefined;
  return `export async function ${String(operation['operationId'])}(input = {}) {
  const { path = {}, query = {}, headers = {}, body } = input;
  const given = { path, query, header: headers };
  for (const [place, name] of ${JSON.stringify(required)}) {
    if (!(name in given[place])) throw new TypeError(name + ' is required');
  }
  const refuse = (values, names) => {
    for (const name of Object.keys(values)) if (!names.includes(name)) throw new TypeError(name + ' is unknown');
  };
  refuse(path, ${JSON.stringify(namesIn('path'))});
  refuse(query, ${JSON.stringify(namesIn('query'))});
  refuse(headers, ${JSON.stringify(namesIn('header'))});
  const target = ${JSON.stringify(path)}.replace(/\\{(\\w+)\\}/g, (_, name) => encodeURIComponent(path[name]));
  const search = new URLSearchParams(query).toString();
  const response = await fetch(${JSON.stringify(url)} + target + (search === '' ? '' : '?' + search), {
    method: ${JSON.stringify(method.toUpperCase())},
    headers: ${hasBody ? "{ ...headers, 'content-type': 'application/json' }" : 'headers'},
    ${hasBody ? 'body: JSON.stringify(body),' : ''}
  });
  if (!(response.status in ${JSON.stringify(operation['responses'])}) && response.ok) {
    throw new TypeError('the status ' + response.status + ' is not described');
  }
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}`;
}

function resolved(api: JsonObject, one: JsonObject): JsonObject {
  const reference = one['$ref'];
  if (typeof reference !== 'string') return one;
  return reference
    .slice(2)
    .split('/')
    .reduce((value: JsonObject, step) => value[step] as JsonObject, api);
}
