import { integerOf } from '../../contract/expression/coercion.ts';
import type { Property, Shape } from '../../contract/expression/language.ts';
import { textOf } from '../../contract/expression/text.ts';
import type { Value } from '../../contract/expression/value.ts';
import type { Uri } from '../engine/message/uri.ts';

/** The engine refuses user information and drops fragments, so that no URI has them. */
const absent: Property<Uri> = { get: () => null };

/** The URI of a request. As a value it is its text. */
export const uriShape: Shape<Uri> = {
  name: 'uri',
  properties: {
    scheme: { get: (uri) => uri.scheme, set: (uri, value) => void (uri.scheme = textOf(value)), kind: 'text' },
    authority: { get: (uri) => uri.authority, kind: 'text' },
    rawAuthority: { get: (uri) => uri.authority, kind: 'text' },
    userInfo: absent,
    rawUserInfo: absent,
    host: { get: (uri) => uri.host, set: (uri, value) => void (uri.host = textOf(value)), kind: 'text' },
    port: { get: (uri) => uri.port, set: (uri, value) => void (uri.port = integerOf(value)), kind: 'number' },
    path: { get: (uri) => uri.path, set: (uri, value) => void (uri.path = textOf(value)), kind: 'text' },
    rawPath: { get: (uri) => uri.rawPath, set: (uri, value) => void (uri.rawPath = textOf(value)), kind: 'text' },
    pathElements: { get: (uri) => uri.path.split('/').filter((element) => element !== ''), kind: 'list' },
    query: { get: (uri) => uri.query, set: (uri, value) => void (uri.query = textOrNull(value)), kind: 'text' },
    rawQuery: {
      get: (uri) => uri.rawQuery,
      set: (uri, value) => void (uri.rawQuery = textOrNull(value)),
      kind: 'text',
    },
    fragment: absent,
    rawFragment: absent,
  },
  methods: { toASCIIString: (uri) => uri.toString() },
  text: (uri) => uri.toString(),
};

function textOrNull(value: Value): string | null {
  return value === null ? null : textOf(value);
}
