import { ConsoleFiles } from '../../platform/admin/console-files.ts';

/** Returns the files of the console: `npm run console` builds them in a checkout, and the image has them. */
export function consoleFiles(): ConsoleFiles {
  return new ConsoleFiles(new URL('../../out/console.json', import.meta.url));
}
