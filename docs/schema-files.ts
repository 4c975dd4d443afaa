import { documentNames } from '../cli/output/document-name.ts';
import { documentSchema } from '../cli/output/document-schema.ts';
import { prettyJson } from '../cli/output/pretty-json.ts';

/** The file whose definitions the others use, because all documents declare the same objects. */
const SHARED = 'route.schema.json';

/** The files of docs/schemas/ by name: the JSON Schema of each document of an instance. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    documentNames.map((name) => {
      const file = `${name}.schema.json`;
      const { $defs, ...schema } = documentSchema(name);
      const text = JSON.stringify(file === SHARED ? { ...schema, $defs } : schema);
      const linked = file === SHARED ? text : text.replaceAll('"$ref":"#/$defs/', `"$ref":"${SHARED}#/$defs/`);
      return [file, `${prettyJson(JSON.parse(linked), 120).join('\n')}\n`];
    }),
  );
}
