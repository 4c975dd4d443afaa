import type { JSX } from 'preact';
import { ChoiceControl, WordsControl } from './choice-controls.tsx';
import { ListControl, MapControl, ObjectControl } from './container-controls.tsx';
import type { ControlProps } from './control-props.ts';
import { JsonControl } from './json-control.tsx';
import { ReferenceControl } from './reference-control.tsx';
import { TextControl } from './text-control.tsx';

/** The control for values of a form. */
export function Control(props: ControlProps): JSX.Element {
  const { form } = props;
  switch (form.kind) {
    case 'text':
    case 'number':
      return <TextControl {...props} form={form} />;
    case 'flag':
    case 'words':
      return <WordsControl {...props} form={form} />;
    case 'list':
      return <ListControl {...props} form={form} />;
    case 'map':
      return <MapControl {...props} form={form} />;
    case 'object':
      return <ObjectControl {...props} form={form} />;
    case 'choice':
      return <ChoiceControl {...props} form={form} />;
    case 'reference':
      return <ReferenceControl {...props} form={form} />;
    case 'any':
      return <JsonControl {...props} form={form} />;
    case 'refused':
      return <JsonControl {...props} form={{ kind: 'any' }} />;
  }
}
