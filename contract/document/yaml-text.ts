import { type Document, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import type { Path, Place } from '../problem.ts';
import { type DocumentText, MOST_NESTING, MOST_PROBLEMS, type Part, type PlacedProblem } from './document-text.ts';
import { TextLines } from './text-lines.ts';
import { decodeText } from './utf8-text.ts';
import { readYamlNodes } from './yaml-nodes.ts';
import { parseYaml } from './yaml-parse.ts';

type YamlDocument = Document.Parsed;

/** Reads a text with one YAML document (1.2, core schema) as JSON: its keys are texts, its dates too, and it has no tags. */
export function readYamlText(given: string | Uint8Array): DocumentText {
  const [first, second] = readYamlTexts(given);
  if (first === undefined) return unreadable('holds no document', { line: 1, column: 1 });
  if (second === undefined) return first;
  return unreadable("holds more than one document, and only one is expected here: see '---'", second.placeOf([]));
}

/** Reads every document of a YAML text, as `---` separates them; empty ones are left out. */
export function readYamlTexts(given: string | Uint8Array): DocumentText[] {
  const decoded = decodeText(given);
  if ('problem' in decoded) {
    const { problem } = decoded;
    return [{ value: null, problems: [problem], placeOf: () => problem.place }];
  }
  const { text } = decoded;
  const parsed = parseYaml(text);
  if (parsed === undefined)
    return [unreadable(`is nested more than ${MOST_NESTING} levels deep`, { line: 1, column: 1 })];
  const lines = new TextLines(text);
  return parsed.flatMap((document, index) => {
    const faults = faultsOf(document, lines);
    if (faults.length === 0 && isEmpty(document)) return [];
    return [{ ...readOne(document, faults, lines), placeOf: placesOf(lines, index) }];
  });
}

function readOne(document: YamlDocument, faults: PlacedProblem[], lines: TextLines): Omit<DocumentText, 'placeOf'> {
  if (faults.length > 0) return { value: null, problems: faults };
  const problems: PlacedProblem[] = [];
  const value = readYamlNodes(document.contents, ({ offset, otherOffset, ...problem }) => {
    if (problems.length >= MOST_PROBLEMS) return;
    const other = otherOffset === undefined ? {} : { otherPlaces: [lines.placeAt(otherOffset)] };
    problems.push({ ...problem, place: lines.placeAt(offset), ...other });
  });
  return { value, problems };
}

/** What to do about the slips that people make most. */
const HINTS: Readonly<Record<string, string | undefined>> = {
  BAD_INDENT: 'the keys of one object begin in the same column',
  BLOCK_AS_IMPLICIT_KEY: "the keys of one object begin in the same column, and a text with ': ' in it needs quotes",
  MULTILINE_IMPLICIT_KEY: "a key ends with ':' on its own line",
  TAB_AS_INDENT: 'indent with spaces',
  BAD_SCALAR_START: 'put the text in quotes',
};

/** What the parser warns about is a tag that it does not know, and so a value that it would guess. */
function faultsOf(document: YamlDocument, lines: TextLines): PlacedProblem[] {
  const { text } = lines;
  // One slip makes the parser stumble more than once in the same line.
  const byLine = new Map<number, PlacedProblem>();
  for (const { code, message, pos } of [...document.errors, ...document.warnings].slice(0, MOST_PROBLEMS)) {
    const unclosed = code === 'BAD_INDENT' ? unclosedBracket(message, text[pos[0]]) : null;
    const place = lines.placeAt(unclosed === null ? pos[0] : lastCharacter(text, pos[0]));
    const hint = unclosed === null ? HINTS[code] : `a bracket is not closed: '${unclosed}' is missing`;
    const fault = problem(`is not YAML that can be read: ${message}`, place);
    if (!byLine.has(place.line)) byLine.set(place.line, hint === undefined ? fault : { ...fault, hint });
  }
  const faults = [...byLine.values()];
  const { version, explicit } = document.directives.yaml;
  if (explicit === true && version !== '1.2') {
    const start = lines.placeAt(Math.max(0, text.indexOf('%YAML')));
    faults.push(problem(`is YAML ${version}, and only YAML 1.2 is read`, start));
  }
  return faults;
}

/** The bracket that is missing where the parser says that a list or an object in brackets goes on too far left. */
function unclosedBracket(message: string, found: string | undefined): string | null {
  const wanted = /^Flow .* end with a ([\]}])$/.exec(message)?.[1];
  return wanted === undefined || wanted === found ? null : wanted;
}

/** The offset of the last character before another one that is no space. */
function lastCharacter(text: string, before: number): number {
  return Math.max(0, text.slice(0, before).trimEnd().length - 1);
}

function isEmpty({ contents }: YamlDocument): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

/** Places are found by parsing again when somebody asks, because most texts are never asked about. */
function placesOf(lines: TextLines, index: number): DocumentText['placeOf'] {
  let document: YamlDocument | undefined;
  const members = new YamlMembers();
  return (path, part = 'value') => {
    document ??= parseYaml(lines.text)?.[index];
    return document?.contents === undefined || document.contents === null
      ? undefined
      : lines.placeAt(nodeOffset(document.contents, path, part, members));
  };
}

function nodeOffset(node: ParsedNode, path: Path, part: Part, members: YamlMembers): number {
  let at: ParsedNode = node;
  let offset = node.range[0];
  for (const step of path) {
    const member = members.find(at, step);
    if (member === undefined) return at.range[0];
    at = member.value ?? member.key;
    offset = part === 'key' ? member.key.range[0] : at.range[0];
  }
  return offset;
}

interface YamlMember {
  readonly key: ParsedNode;
  readonly value: ParsedNode | null;
}

/** Finds members by their keys; an object that is asked about often is looked through once. */
class YamlMembers {
  readonly #known = new Map<ParsedNode, ReadonlyMap<unknown, YamlMember>>();

  find(node: ParsedNode, step: string | number): YamlMember | undefined {
    if (isSeq<ParsedNode>(node) && typeof step === 'number') {
      const item = node.items[step];
      return item === undefined ? undefined : { key: item, value: item };
    }
    if (!isMap<ParsedNode, ParsedNode | null>(node)) return undefined;
    let members = this.#known.get(node);
    if (members === undefined) {
      // of equal keys the last one stays, whose value counts
      members = new Map(node.items.flatMap((item) => (isScalar(item.key) ? [[item.key.value, item]] : [])));
      this.#known.set(node, members);
    }
    return members.get(step);
  }
}

function unreadable(message: string, place: Place | undefined): DocumentText {
  return { value: null, problems: [problem(message, place)], placeOf: () => place };
}

function problem(message: string, place: Place | undefined): PlacedProblem {
  return { code: 'text', severity: 'error', path: [], message, ...(place === undefined ? {} : { place }) };
}
