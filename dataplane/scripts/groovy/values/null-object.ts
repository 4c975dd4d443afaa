import { NULL_OBJECT_CLASS } from './core-classes.ts';
import type { Obj } from './java-class.ts';

/** Groovy's object for null, which `null.each { }` returns: false, equal to null, and without elements. */
export const NULL_OBJECT: Obj = Object.freeze({
  javaClass: NULL_OBJECT_CLASS,
  text: () => 'null',
  equals: (other: unknown) => other === null,
  truth: () => false,
  elements: () => [],
});
