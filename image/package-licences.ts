import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageEntry, textFile } from './image-entry.ts';
import { lockedPackage } from './locked-packages.ts';

const FOLDER = 'usr/share/licenses/gatewarden';
const NAMES = /^(?:licen[cs]e|copying|notice|authors)(?:[.-].*)?$/i;

/** The licence texts of the program and of the packages whose code is in it. */
export function packageLicences(repository: string, places: readonly string[]): readonly ImageEntry[] {
  return [
    textFile(`${FOLDER}/LICENSE`, readFileSync(join(repository, 'LICENSE'), 'utf8')),
    ...places.flatMap((place) => licencesOf(repository, place)),
  ];
}

function licencesOf(repository: string, place: string): readonly ImageEntry[] {
  const folder = join(repository, place);
  if (!existsSync(folder)) throw new Error(`${place} is not installed`);
  const to = `${FOLDER}/npm/${place.replaceAll('node_modules/', '')}`;
  const found = readdirSync(folder)
    .filter((name) => NAMES.test(name))
    .sort()
    .map((name) => textFile(`${to}/${name}`, readFileSync(join(folder, name), 'utf8')));
  if (found.length > 0) return found;
  const { license } = lockedPackage(repository, place);
  if (license === undefined) throw new Error(`${place} does not say under which licence it is`);
  return [textFile(`${to}/LICENSE`, `${license}, as its package.json says; it comes without the text.\n`)];
}
