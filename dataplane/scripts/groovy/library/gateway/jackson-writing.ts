import { ByteArray, GMap, List } from '../../values/collections.ts';
import { GString } from '../../values/g-string.ts';
import { encodeText } from '../encoding/charsets.ts';
import { Uuid } from '../encoding/encoding-classes.ts';
import { UriValue } from '../encoding/uri-classes.ts';
import { type JsonWriting, jsonString, writeJson } from '../json/json-writer.ts';
import { TextBuilder } from '../strings/builder-classes.ts';
import { DateValue } from '../time/date-value.ts';
import { JsonNode } from './json-node.ts';

/** A GString is no text for Jackson: its getters are members. */
function beanOf(value: GString): GMap {
  const bean = new GMap();
  bean.put('values', new List([...value.values]));
  bean.put('strings', new List([...value.strings]));
  bean.put('empty', value.text() === '');
  bean.put('valueCount', value.values.length);
  bean.put('bytes', new ByteArray(encodeText('UTF-8', value.text())));
  return bean;
}

/** JSON as Jackson writes it. */
export const jackson: JsonWriting = {
  escapesUnicode: false,
  takesGStrings: false,
  unwrap: (value) => (value instanceof JsonNode ? value.object : value),
  other: (rt, value) => {
    if (value instanceof ByteArray) return `"${Buffer.from(value.bytes).toString('base64')}"`;
    if (value instanceof GString) return writeJson(rt, beanOf(value), jackson);
    if (value instanceof DateValue) return String(value.time);
    if (value instanceof UriValue || value instanceof Uuid || value instanceof TextBuilder)
      return jsonString(value.text(), false, true);
    return rt.fail(
      'java.lang.UnsupportedOperationException',
      `writing ${rt.classOf(value).name} as JSON is not available; convert it to a String first`,
    );
  },
};
