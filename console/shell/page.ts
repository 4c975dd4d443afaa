import type { ComponentType } from 'preact';
import type { Place } from './place.ts';

/** A page of the console. */
export interface Page {
  /** First step of its address. */
  readonly step: string;
  /** Name in the navigation. */
  readonly title: string;
  /** Shows the page, or the part of it that the place names. */
  readonly View: ComponentType<{ readonly place: Place }>;
}
