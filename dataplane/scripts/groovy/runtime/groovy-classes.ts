import { CLASS_TABLES } from '../library/class-tables.ts';
import { ClassTable } from './class-table.ts';
import { languageClasses } from './tables/language-classes.ts';
import { objectClasses } from './tables/object-classes.ts';
import { shellClasses } from './tables/shell-classes.ts';
import { throwableClasses } from './tables/throwable-classes.ts';

let table: ClassTable | null = null;

/** The classes of all scripts, made when the first script is compiled. */
export function groovyClasses(): ClassTable {
  table ??= new ClassTable([
    ...objectClasses,
    ...languageClasses,
    ...shellClasses,
    ...throwableClasses,
    ...CLASS_TABLES,
  ]);
  return table;
}
