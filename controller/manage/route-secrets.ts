import { createHmac, hash, randomBytes } from 'node:crypto';
import { badRequest } from '../../contract/crest/crest-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { type FieldPath, replaceSecrets } from '../../contract/hiding/secret-fields.ts';
import { pathText } from '../../contract/problem.ts';

/** A document as clients see it. */
export interface ShownDocument {
  readonly content: JsonObject;
  readonly hasSecrets: boolean;
}

const PLACEHOLDER = /^\[hidden:[\w-]{22}\]$/;
const ANYWHERE = /\[hidden:[\w-]{22}\]/;

/**
 * Hides the secrets of documents from readers. A placeholder stands for each of them. A client that sends a placeholder
 * back keeps the secret, also at another place of the same document, if the place holds secrets, too.
 */
export class RouteSecrets {
  /** Another key in each process, because a plain hash of a short password can be guessed. */
  private readonly key = randomBytes(32);
  private readonly shownOnes = new WeakMap<JsonObject, ShownDocument>();

  /** @param id tells the secrets of routes apart */
  shown(id: string, document: JsonObject): ShownDocument {
    const known = this.shownOnes.get(document);
    if (known !== undefined) return known;
    let hasSecrets = false;
    const content = replaceSecrets(document, (value, path) => {
      hasSecrets = true;
      return this.placeholder(id, value, path);
    });
    const shown = { content, hasSecrets };
    this.shownOnes.set(document, shown);
    return shown;
  }

  /**
   * Returns an earlier version as clients see it. A secret that the document does not have any more gets a placeholder of
   * its own: a client that sends an old document back by mistake must not bring back a password that was replaced.
   *
   * @param now the document; null if there is none
   */
  shownVersion(id: string, version: JsonObject, now: JsonObject | null): JsonObject {
    const known = this.secretsOf(id, now === null ? [] : [now], 'secret');
    return replaceSecrets(version, (value, path) => {
      const placeholder = this.placeholder(id, value, path);
      return known.has(placeholder) ? placeholder : this.placeholder(id, value, path, 'version');
    });
  }

  /**
   * Returns a document with the secrets of the one before in the places of their placeholders.
   *
   * @param before null for a new document
   * @param versions returns earlier versions, whose secrets clients may restore
   * @throws CrestError for a placeholder of another document, and for one at a place that would be shown
   */
  restored(
    id: string,
    given: JsonObject,
    before: JsonObject | null,
    versions: () => readonly JsonObject[] = () => [],
  ): JsonObject {
    const hasPlaceholders = ANYWHERE.test(JSON.stringify(given));
    const secrets = new Map([
      ...this.secretsOf(id, hasPlaceholders ? versions() : [], 'version'),
      ...this.secretsOf(id, before === null ? [] : [before], 'secret'),
    ]);
    const wanted = new Map<string, FieldPath>();
    const restored = replaced(given, [], (text, path) => {
      if (!ANYWHERE.test(text)) return text;
      const secret = PLACEHOLDER.test(text) ? secrets.get(text) : undefined;
      if (secret === undefined) {
        throw badRequest(
          `${pathText(path)}: the placeholder stands for no secret of the route '${id}': it belongs to another route, or ` +
            'was read before the secret changed or the gateway started; read the route again, or send the secret',
        );
      }
      wanted.set(JSON.stringify(path), path);
      return secret;
    }) as JsonObject;
    replaceSecrets(restored, (_, path) => {
      wanted.delete(JSON.stringify(path));
      return null;
    });
    for (const path of wanted.values()) {
      throw badRequest(`${pathText(path)}: a hidden secret cannot be moved to a field that is shown`);
    }
    return restored;
  }

  /** Revision of a document: a change by an editor is a new one too. It must not help to guess secrets. */
  revision(content: Uint8Array, hasSecrets: boolean): string {
    const text = hasSecrets
      ? createHmac('sha256', this.key).update('revision').update(content).digest('base64url')
      : hash('sha256', content, 'base64url');
    return text.slice(0, 22);
  }

  /** Returns the secrets of documents by their placeholders. */
  private secretsOf(id: string, documents: readonly JsonObject[], kind: 'secret' | 'version'): Map<string, JsonValue> {
    const secrets = new Map<string, JsonValue>();
    for (const document of documents) {
      replaceSecrets(document, (value, path) => {
        secrets.set(this.placeholder(id, value, path, kind), value);
        return null;
      });
    }
    return secrets;
  }

  private placeholder(
    id: string,
    value: string | number,
    path: FieldPath,
    kind: 'secret' | 'version' = 'secret',
  ): string {
    const tag = createHmac('sha256', this.key).update(JSON.stringify([kind, id, path, value]));
    return `[hidden:${tag.digest('base64url').slice(0, 22)}]`;
  }
}

function replaced(value: JsonValue, path: FieldPath, replace: (text: string, path: FieldPath) => JsonValue): JsonValue {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, at) => replaced(item, [...path, at], replace));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaced(member, [...path, name], replace)]),
  );
}
