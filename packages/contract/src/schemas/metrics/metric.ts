import { Type, type Static } from 'typebox'
import { METRIC_NAME_LENGTH, METRIC_OPTIONS_MAX, METRIC_UNIT_LENGTH, NAME_LENGTH } from '../../limits.ts'
import { changeOf, closed, idString, nullableEnum, nullableText, pageOf, printedTime, textOf } from '../primitives.ts'

export const METRIC_KINDS = ['boolean', 'numeric', 'enum'] as const
export const METRIC_DIRECTIONS = ['higher', 'lower'] as const

const direction = 'Which way is better: `higher` or `lower`.'
const min = 'For a numeric metric: the minimum value of an event.'
const max = 'For a numeric metric: the maximum value of an event.'

const nullableNumber = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description })
const nullableDirection = (description: string) => nullableEnum(METRIC_DIRECTIONS, description)

export type MetricKind = (typeof METRIC_KINDS)[number]
export type MetricDirection = (typeof METRIC_DIRECTIONS)[number]

export const MetricOption = closed('One option of an enum metric.', {
  value: textOf('The value in events.'),
  label: nullableText('The label shown to people; null if there is none.'),
})

/** Names are in the order of the wire. */
const MEANING = {
  kind: Type.Enum(METRIC_KINDS, { description: 'The kind of value.' }),
  description: nullableText('What the metric means, in words.'),
  min: nullableNumber(`${min} Null: none.`),
  max: nullableNumber(`${max} Null: none.`),
  unit: nullableText('For a numeric metric: the unit of its values.'),
  options: Type.Unsafe<readonly Static<typeof MetricOption>[] | null>({
    type: ['array', 'null'],
    items: MetricOption,
    description: 'For an enum metric: its options, in order; otherwise null.',
  }),
  direction: nullableDirection(`${direction} Null if not set.`),
}

export const Metric = closed('The definition of a metric.', {
  id: idString('met', 'The metric.'),
  name: textOf('The name that events use, unique in the project.'),
  ...MEANING,
  created_at: printedTime('When it was defined.'),
  updated_at: printedTime('When it was last changed.'),
})
export type Metric = Static<typeof Metric>

/** The definition without its name. A field that is not set, or does not belong to the kind, is null. */
export type MetricMeaning = Readonly<Pick<Metric, keyof typeof MEANING>>

export function meaningOf(metric: MetricMeaning): MetricMeaning {
  const names = Object.keys(MEANING) as (keyof MetricMeaning)[]
  return Object.fromEntries(names.map((name) => [name, metric[name]])) as MetricMeaning
}

export const MetricList = pageOf('metrics', Metric, 'oldest first')
export type MetricList = Static<typeof MetricList>

export const MetricOptionBody = closed('One option of an enum metric.', {
  value: Type.String({ minLength: 1, maxLength: METRIC_NAME_LENGTH, description: 'The value in events.' }),
  label: Type.Optional(
    Type.String({ minLength: 1, maxLength: METRIC_NAME_LENGTH, description: 'The label shown to people.' }),
  ),
})

const description = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH,
  description: 'What the metric means, in words.',
})
const unit = Type.String({
  minLength: 1,
  maxLength: METRIC_UNIT_LENGTH,
  description: 'Only for a numeric metric: the unit of its values, for example `ms`.',
})
const options = Type.Array(MetricOptionBody, {
  minItems: 1,
  maxItems: METRIC_OPTIONS_MAX,
  description: 'Required for an enum metric, not allowed for others: its options, each value once.',
})

export const MetricCreate = closed('A metric to define.', {
  name: Type.String({
    minLength: 1,
    maxLength: METRIC_NAME_LENGTH,
    description:
      'The name that events use, unique in the project. At least one visible character, no control characters; not `events`, `.` or `..`.',
  }),
  kind: Type.Enum(METRIC_KINDS, {
    description: '`boolean`: passed or not. `numeric`: a number. `enum`: one of its options.',
  }),
  description: Type.Optional(description),
  min: Type.Optional(Type.Number({ description: min })),
  max: Type.Optional(Type.Number({ description: `${max} Not below \`min\`.` })),
  unit: Type.Optional(unit),
  options: Type.Optional(options),
  direction: Type.Optional(Type.Enum(METRIC_DIRECTIONS, { description: direction })),
})
export type MetricCreate = Static<typeof MetricCreate>

/** Recorded events stay valid: ranges only grow and options are only added. */
export const MetricPatch = changeOf('A change of a metric; omitted fields stay unchanged.', {
  description: Type.Unsafe<string | null>({
    ...description,
    type: ['string', 'null'],
    description: 'What the metric means; null: none.',
  }),
  unit: Type.Unsafe<string | null>({
    ...unit,
    type: ['string', 'null'],
    description: 'Only for a numeric metric: the unit of its values; null: none.',
  }),
  direction: nullableDirection(`${direction} Null: neither.`),
  min: nullableNumber('Only for a numeric metric: the new minimum, not above the current one; null: none.'),
  max: nullableNumber('Only for a numeric metric: the new maximum, not below the current one; null: none.'),
  options: Type.Array(MetricOptionBody, {
    minItems: 1,
    maxItems: METRIC_OPTIONS_MAX,
    description:
      'Only for an enum metric: all its options from now on. They must include every current value; labels and order may change.',
  }),
})
export type MetricPatch = Static<typeof MetricPatch>
