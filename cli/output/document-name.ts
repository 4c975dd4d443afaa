/** The documents that have a JSON Schema, as `types --schema` takes them. */
export const documentNames = ['route', 'config', 'admin'] as const;

export type DocumentName = (typeof documentNames)[number];
