import { z } from 'zod';
import { oneOf, ruled, textOfForm } from './resource-rule.ts';

const LABEL_KEY = '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
const LABEL_VALUE = '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$';

const labelKey = (): z.ZodString => textOfForm(LABEL_KEY, 'must be the key of a label', 317);
const labelValue = (): z.ZodString =>
  z
    .string()
    .max(63)
    .check(
      ruled<string>(
        { rule: `self.matches(${JSON.stringify(LABEL_VALUE)})`, message: 'must be the value of a label' },
        (text) => new RegExp(LABEL_VALUE, 'u').test(text),
      ),
    );

interface Requirement {
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

const requirement = z
  .strictObject({
    key: labelKey().describe('Key of the label.'),
    operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe(
      'Comparison: the value of the label is in `values`, is not in `values`, the label exists, or it does not ' +
        'exist.',
    ),
    values: z
      .array(labelValue())
      .max(64)
      .optional()
      .meta({ listType: 'atomic' })
      .describe('Values for In and NotIn, at least one; Exists and DoesNotExist take none.'),
  })
  .check(
    ruled<Requirement>(
      {
        rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
        message: 'In and NotIn need values, Exists and DoesNotExist take none',
      },
      ({ operator, values = [] }) => (operator === 'In' || operator === 'NotIn') === values.length > 0,
    ),
  );

/** A label selector as Kubernetes has them: everything that it says must hold. */
export const planeSelector = z.strictObject({
  matchLabels: z
    .record(z.string(), labelValue())
    .optional()
    .describe('Labels, with their values, that a data plane must have.'),
  matchExpressions: z
    .array(requirement)
    .max(64)
    .optional()
    .meta({ listType: 'atomic' })
    .describe('Further conditions on the labels of a data plane.'),
});
