import type { ClassSpec } from '../values/java-class.ts';
import { absentClasses } from './absent-classes.ts';
import { arrayClasses } from './collections/array-classes.ts';
import { collectionClasses } from './collections/collection-classes.ts';
import { dequeClasses } from './collections/deque-classes.ts';
import { fixedListClasses } from './collections/fixed-lists.ts';
import { listClasses } from './collections/list-classes.ts';
import { mapClasses } from './collections/map-classes.ts';
import { rangeClasses } from './collections/range-classes.ts';
import { staticsClasses } from './collections/statics-classes.ts';
import { tupleClasses } from './collections/tuple-classes.ts';
import { walkingClasses } from './collections/walking-methods.ts';
import { charsetClasses } from './encoding/charsets.ts';
import { encodingClasses } from './encoding/encoding-classes.ts';
import { uriClasses } from './encoding/uri-classes.ts';
import { comparatorClasses } from './functional/comparators.ts';
import { functionalClasses } from './functional/functional-classes.ts';
import { optionalClasses } from './functional/optional-classes.ts';
import { streamClasses } from './functional/stream-classes.ts';
import { gatewayTables } from './gateway/gateway-tables.ts';
import { jsonBuilderClasses } from './json/json-builders.ts';
import { jsonClasses } from './json/json-classes.ts';
import { bigClasses } from './numbers/big-classes.ts';
import { bigExtraClasses } from './numbers/big-extras.ts';
import { mathClasses } from './numbers/math-classes.ts';
import { numberClasses } from './numbers/number-classes.ts';
import { numberFormatClasses } from './numbers/number-format-classes.ts';
import { numberStaticClasses } from './numbers/number-statics.ts';
import { builderClasses } from './strings/builder-classes.ts';
import { patternClasses } from './strings/pattern-classes.ts';
import { stringClasses } from './strings/string-classes.ts';
import { textExtraClasses } from './strings/text-extras.ts';
import { localeClasses } from './system/locale.ts';
import { randomClasses } from './system/random-classes.ts';
import { streamValueClasses } from './system/stream-values.ts';
import { systemClasses } from './system/system-classes.ts';
import { amountExtraClasses } from './time/amount-extras.ts';
import { calendarClasses } from './time/calendar-classes.ts';
import { dateClasses } from './time/date-classes.ts';
import { durationClasses } from './time/duration-classes.ts';
import { periodClasses } from './time/period-classes.ts';
import { timeClasses } from './time/time-classes.ts';
import { timeExtraClasses } from './time/time-extras.ts';
import { yearClasses } from './time/year-classes.ts';

const tables: readonly ClassSpec[] = [
  ...walkingClasses,
  ...collectionClasses,
  ...listClasses,
  ...tupleClasses,
  ...dequeClasses,
  ...fixedListClasses,
  ...mapClasses,
  ...rangeClasses,
  ...arrayClasses,
  ...staticsClasses,
  ...functionalClasses,
  ...comparatorClasses,
  ...optionalClasses,
  ...streamClasses,
  ...stringClasses,
  ...textExtraClasses,
  ...builderClasses,
  ...patternClasses,
  ...numberClasses,
  ...numberStaticClasses,
  ...bigClasses,
  ...bigExtraClasses,
  ...mathClasses,
  ...charsetClasses,
  ...encodingClasses,
  ...uriClasses,
  ...jsonClasses,
  ...jsonBuilderClasses,
  ...dateClasses,
  ...timeClasses,
  ...timeExtraClasses,
  ...amountExtraClasses,
  ...yearClasses,
  ...durationClasses,
  ...periodClasses,
  ...calendarClasses,
  ...systemClasses,
  ...randomClasses,
  ...numberFormatClasses,
  ...localeClasses,
  ...streamValueClasses,
  ...gatewayTables,
];

/** All classes that scripts can name, apart from those of the language itself. */
export const CLASS_TABLES: readonly ClassSpec[] = [...tables, ...absentClasses(tables)];
