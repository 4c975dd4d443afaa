import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Path, Problem } from '../../../../contract/problem.ts';
import type { Catalogue } from '../../../catalogue/catalogue.ts';
import type { EditedDraft } from '../canvas/edited-draft.ts';
import type { ControlProps } from './control-props.ts';

/** A problem that the gateway found. */
export type ShownProblem = Pick<Problem, 'path' | 'severity' | 'message' | 'hint'>;

/** Surroundings of the forms of a document. */
export interface FormSetting {
  readonly draft: EditedDraft;
  /** Shows values of any form. Controls of lists and objects use it for their parts. */
  readonly Control: ComponentType<ControlProps>;
  readonly catalogue: Catalogue;
  readonly problems: readonly ShownProblem[];
  /** Names and types of the objects in the heap of the document. */
  readonly heap: ReadonlyMap<string, string>;
  /** Selects another object of the document. */
  select(path: Path): void;
}

export const FormContext = createContext<FormSetting | null>(null);

/** Returns the surroundings of a form. */
export function useFormSetting(): FormSetting {
  const setting = useContext(FormContext);
  if (setting === null) throw new Error('a form is shown outside of a document');
  return setting;
}
