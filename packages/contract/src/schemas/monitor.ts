import { Type, type Static } from 'typebox'
import { AGGREGATION_NAMES, MONITOR_MEASURES } from '../aggregations.ts'
import {
  METRIC_NAME_LENGTH,
  MONITOR_CONSECUTIVE_MAX,
  MONITOR_GROUPS_MAX,
  MONITOR_PREVIEW_GROUPS_MAX,
  MONITOR_SAMPLES_MAX,
  MONITOR_WINDOW_SECONDS,
  NAME_LENGTH,
} from '../limits.ts'
import { METRIC_SOURCES } from './metrics/metric-event.ts'
import { FeedQuery, METADATA_FILTERS_MAX } from './traces/feed-query.ts'
import * as schema from './primitives.ts'
import { filterSchemas } from './traces/filter-schemas.ts'
import { filtersTakenBy } from '../trace-filters.ts'
import { EVENT_GROUP_FIELDS, SERIES_FIELD_NAMES, type SeriesFieldText } from '../series-fields.ts'
import { fieldsOrNamed, NAMED_FIELDS } from './traces/metadata-field.ts'

const MONITOR_COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const
const MONITOR_NO_DATA = ['hold', 'ok', 'fire'] as const
export const MONITOR_KINDS = ['metric', 'traces', 'steps'] as const
const MONITOR_STATES = ['normal', 'fired'] as const
const MONITOR_CAUSES = ['evaluation', 'change', 'disable', 'delete'] as const

const text = (description: string, maxLength = NAME_LENGTH) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

const nullableNumber = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description })

export const MonitorSource = schema.closed('What a monitor watches.', {
  kind: Type.Enum(MONITOR_KINDS, { description: 'What is watched: events of a metric, traces, or steps.' }),
  metric: text('For kind `metric`: the name of a defined metric.', METRIC_NAME_LENGTH),
  measure: Type.Optional(
    Type.Enum(MONITOR_MEASURES, {
      description:
        'For kinds `traces` and `steps`: the measure. `recovered_errors`, `wasted_tokens` and `wasted_cost_usd` are only for traces, `time_to_first_token_ms` only for steps. Costs are those of the prices at the evaluation; rows of unknown cost add nothing to a `sum` and do not count otherwise.',
    }),
  ),
  option: text('For enum metrics with `share`: the value of the option.', METRIC_NAME_LENGTH),
})
export type MonitorSource = Static<typeof MonitorSource>

export const MonitorFilters = schema.closed(
  'Which rows count. A row must match every given filter. Filters of traces apply to the trace of a step or event. Filters of steps apply to the step itself, or to one step of the trace.',
  {
    ...filterSchemas(filtersTakenBy('monitors')),
    q: FeedQuery.properties.q,
    source: Type.Optional(Type.Enum(METRIC_SOURCES, { description: 'Events from this source. Only for metrics.' })),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean | null>>({
        type: 'object',
        maxProperties: METADATA_FILTERS_MAX,
        propertyNames: { type: 'string', minLength: 1 },
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
        description:
          'Values by key; all must match. A value is compared as JSON text, a string also without its quotes. `null` matches any value of the key. For an event, its own metadata takes precedence over that of its trace.',
      }),
    ),
  },
)
export type MonitorFilters = Static<typeof MonitorFilters>

const FOR_EACH = [...SERIES_FIELD_NAMES, 'source']
const forEach = Type.Unsafe<SeriesFieldText | 'source' | null>({
  ...fieldsOrNamed(FOR_EACH, NAMED_FIELDS, {
    description: `Each value of this field has a state of its own: one of ${SERIES_FIELD_NAMES.join(', ')}; for events of metrics one of ${EVENT_GROUP_FIELDS.join(', ')}; or \`metadata.\` and a key, or \`metric.\` and the name of an enum or boolean metric. Of ${MONITOR_GROUPS_MAX} values at most: first those that have fired or are about to, then those with the most rows. Rows without a value do not count. Omitted or null: one state for all rows.`,
    examples: ['tool', 'metadata.version'],
  }),
  type: ['string', 'null'],
})
const group = schema.nullableText('The value of the field `for_each`; null without one.')

const definition = {
  name: schema.controlName(),
  source: MonitorSource,
  filters: Type.Optional(MonitorFilters),
  for_each: Type.Optional(forEach),
  aggregation: Type.Enum(AGGREGATION_NAMES, {
    description:
      'How the rows of the window are aggregated. `pass_rate` is for boolean metrics, `share` for one option of an enum metric; both are between 0 and 1, and so is `avg` of `error_rate`.',
  }),
  window_seconds: Type.Integer({
    minimum: MONITOR_WINDOW_SECONDS.least,
    maximum: MONITOR_WINDOW_SECONDS.most,
    description: 'The length of the window of each evaluation, in seconds.',
  }),
  comparison: Type.Enum(MONITOR_COMPARISONS, {
    description: 'The monitor breaches if this comparison of the value with the threshold holds.',
  }),
  threshold: Type.Number({ description: 'The value is compared with this.' }),
  ...schema.optional({
    resolve_threshold: nullableNumber(
      'A fired monitor resolves only if the comparison does not hold for this threshold either. It must not be on the breaching side of `threshold`. Omitted or null: `threshold` itself.',
    ),
    min_samples: Type.Integer({
      minimum: 1,
      maximum: MONITOR_SAMPLES_MAX,
      description:
        'An evaluation with fewer rows changes nothing. Default for a new monitor: 1. Not allowed with `count`, which is 0 without rows.',
    }),
    consecutive: Type.Integer({
      minimum: 1,
      maximum: MONITOR_CONSECUTIVE_MAX,
      description:
        'The number of consecutive breaching evaluations before the monitor fires. One evaluation that does not breach resolves it. Default for a new monitor: 1.',
    }),
    no_data: Type.Enum(MONITOR_NO_DATA, {
      description:
        'How an evaluation without rows counts. `hold`: it is ignored. `ok`: it does not breach. `fire`: it breaches. Default for a new monitor: `hold`. Not allowed with `count`.',
    }),
  }),
}

const enabled = Type.Optional(
  schema.flagOf('Whether it is evaluated. A disabled monitor is normal. Default for a new monitor: true.'),
)

export const MonitorCreate = schema.closed('A monitor to create.', { ...definition, enabled })
export type MonitorCreate = Static<typeof MonitorCreate>

export const MonitorPatch = schema.changeOf(
  'What to change. `source` and `filters` are replaced as a whole; omitted fields stay unchanged.',
  { ...definition, enabled },
)
export type MonitorPatch = Static<typeof MonitorPatch>

export const MonitorPreview = schema.closed('A monitor to preview, and the time range.', {
  ...definition,
  name: Type.Optional(definition.name),
  enabled,
  start_time: Type.Optional(
    schema.requestTime('The start (RFC 3339, or a date for its midnight UTC). Default: one day before `end_time`.'),
  ),
  end_time: Type.Optional(schema.requestTime('The end, not in the future. Default: now.')),
})
export type MonitorPreview = Static<typeof MonitorPreview>

const state = Type.Enum(MONITOR_STATES, { description: 'The state of the monitor.' })

const standing = {
  state,
  state_since: schema.printedTime('When it entered this state: the time of that evaluation.'),
  last_value: nullableNumber('The value of the last evaluation; null if it had too few rows, or with `for_each`.'),
  last_samples: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    description: 'Rows of the last evaluation; null before the first one.',
  }),
}

export const Monitor = schema.closed('A monitor and its state.', {
  id: schema.idString('mon', 'The monitor.'),
  name: schema.textOf('The name of the monitor.'),
  source: MonitorSource,
  filters: MonitorFilters,
  for_each: forEach,
  aggregation: definition.aggregation,
  window_seconds: definition.window_seconds,
  comparison: definition.comparison,
  threshold: definition.threshold,
  resolve_threshold: nullableNumber('As given; null: `threshold` itself.'),
  min_samples: Type.Integer({ minimum: 1, description: 'The minimum number of rows of an evaluation.' }),
  consecutive: Type.Integer({
    minimum: 1,
    description: 'The number of consecutive breaching evaluations before the monitor fires.',
  }),
  no_data: Type.Enum(MONITOR_NO_DATA, { description: 'How an evaluation without rows counts.' }),
  enabled: schema.flagOf('Whether it is evaluated.'),
  ...standing,
  groups: Type.Optional(
    schema.listOf(
      schema.closed('One group and its state.', {
        group: schema.textOf('The value of `for_each`.'),
        ...standing,
      }),
      'With `for_each`: the groups of the last evaluation, the fired ones first, then by rows. The monitor is fired while one of them is. Absent in events.',
    ),
  ),
  last_evaluated_at: schema.nullablePrintedTime(
    'The time of the last evaluation of this definition; null before the first one.',
  ),
  created_at: schema.printedTime('When it was created.'),
  updated_at: schema.printedTime('When it was last changed.'),
  revision: Type.Integer({ minimum: 1, description: 'The number of the revision; each change increments it.' }),
})
export type Monitor = Static<typeof Monitor>

export const MonitorList = schema.pageOf('monitors', Monitor, 'oldest first')
export type MonitorList = Static<typeof MonitorList>

export const MonitorHistoryEntry = schema.closed('One change of state.', {
  at: schema.printedTime('The time of the evaluation, or of the change.'),
  group,
  to: state,
  value: nullableNumber('The value of the window; null if it had too few rows or nothing was evaluated.'),
  samples: schema.count('Rows in the window.'),
  threshold: Type.Number({ description: 'The threshold at that time.' }),
  cause: Type.Enum(MONITOR_CAUSES, {
    description:
      '`evaluation`: an evaluation changed the state. `change`, `disable`, `delete`: a fired monitor was changed, disabled or deleted, so it is normal.',
  }),
  revision: Type.Integer({ minimum: 1, description: 'The revision of the monitor at that time.' }),
  recorded_at: schema.printedTime('When the change was recorded: later than `at` if the service was down.'),
})
export type MonitorHistoryEntry = Static<typeof MonitorHistoryEntry>

export const MonitorHistory = schema.pageOf('history', MonitorHistoryEntry, 'newest first')
export type MonitorHistory = Static<typeof MonitorHistory>

const value = nullableNumber('The value of the window; null if it had too few rows.')

export const MonitorPreviewResult = schema.closed('What a monitor would have done.', {
  evaluations: schema.listOf(
    schema.closed('One evaluation and the state after it.', {
      at: schema.printedTime('The time of the evaluation, which is the end of its window.'),
      group,
      value,
      samples: schema.count('Rows in the window.'),
      state,
    }),
    `Every evaluation, oldest first. With \`for_each\` one for each group: the ${MONITOR_PREVIEW_GROUPS_MAX} with the most rows.`,
  ),
  transitions: schema.listOf(
    schema.closed('One change of state.', {
      at: schema.printedTime('The time of the evaluation.'),
      group,
      to: state,
      value,
    }),
    'The changes of state, which a real monitor would have reported, oldest first.',
  ),
  step_seconds: Type.Integer({ minimum: 1, description: 'Seconds from one evaluation to the next.' }),
})
export type MonitorPreviewResult = Static<typeof MonitorPreviewResult>
