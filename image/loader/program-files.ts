import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Script } from 'node:vm';

/** What the script of a file evaluates to; `program-scripts.ts` writes them. */
type Body = (exported: (names: object) => void, load: Load, loadLater: LoadLater, url: string) => void;
type Load = (name: string) => object;
type LoadLater = (name: string) => Promise<object>;
/** Compiles a file. @param url the name of the file in traces */
export type Compile = (path: string, text: string, url: string) => Script;

/** Returns a function that runs files of a folder by names such as `./unit-program.js`, each once. */
export function programFiles(folder: string, compile: Compile): Load {
  const loaded = new Map<string, object>();
  return load;

  function load(name: string): object {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const path = folder + name.slice(1);
    const url = pathToFileURL(path).href;
    // The build writes ASCII only, and Latin-1 is read without looking for other characters.
    const body = compile(path, readFileSync(path, 'latin1'), url).runInThisContext() as Body;
    loaded.set(name, {});
    try {
      body((names) => void loaded.set(name, names), load, loadLater, url);
    } catch (error) {
      loaded.delete(name);
      throw error;
    }
    return loaded.get(name)!;
  }

  async function loadLater(name: string): Promise<object> {
    return name.startsWith('./') ? load(name) : import(name);
  }
}
