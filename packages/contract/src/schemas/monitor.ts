import { Type, type Static } from 'typebox'
import { AGGREGATION_NAMES, MONITOR_MEASURES } from '../aggregations.ts'
import {
  METRIC_NAME_LENGTH,
  MONITOR_CONSECUTIVE_MAX,
  MONITOR_SAMPLES_MAX,
  MONITOR_WINDOW_SECONDS,
  NAME_LENGTH,
} from '../limits.ts'
import { METADATA_FILTERS_MAX } from './traces/feed-query.ts'
import { controlName, count, idString, nullablePrintedTime, nullableString, printedTime } from './primitives.ts'
import { filterSchemas } from './traces/filter-schemas.ts'
import { filtersTakenBy, TRACE_ONLY_FILTERS } from '../trace-filters.ts'

const MONITOR_COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const
const MONITOR_NO_DATA = ['hold', 'ok', 'fire'] as const
const MONITOR_STATES = ['normal', 'fired'] as const
const MONITOR_CAUSES = ['evaluation', 'change', 'disable', 'delete'] as const
const METRIC_SOURCES = ['human', 'code', 'llm'] as const

const text = (description: string, maxLength = NAME_LENGTH) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

const nullableNumber = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description })

export const MonitorSource = Type.Object(
  {
    kind: Type.Enum(['metric', 'traces'] as const, { description: 'What is watched: events of a metric, or traces.' }),
    metric: text('The name of the metric, which must be defined. Of kind `metric`.', METRIC_NAME_LENGTH),
    measure: Type.Optional(
      Type.Enum(MONITOR_MEASURES, { description: 'What is measured of traces. Of kind `traces`.' }),
    ),
    option: text('The value of the option whose `share` is watched. Of enum metrics.', METRIC_NAME_LENGTH),
  },
  { additionalProperties: false, description: 'What a monitor watches.' },
)
export type MonitorSource = Static<typeof MonitorSource>

export const MonitorFilters = Type.Object(
  {
    ...filterSchemas(filtersTakenBy('events')),
    source: Type.Optional(
      Type.Enum(METRIC_SOURCES, { description: 'Events judged by this source. Of metrics alone.' }),
    ),
    ...filterSchemas(TRACE_ONLY_FILTERS, ' Of traces alone.'),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean | null>>({
        type: 'object',
        maxProperties: METADATA_FILTERS_MAX,
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
        description:
          'Values by key; all must match, by the JSON text of the value, a string also without its quotes. `null`: has the key, with whatever value. Of an event its own metadata, else that of its trace.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Which rows count; all that is given must match.' },
)
export type MonitorFilters = Static<typeof MonitorFilters>

const definition = {
  name: controlName(),
  source: MonitorSource,
  filters: Type.Optional(MonitorFilters),
  aggregation: Type.Enum(AGGREGATION_NAMES, {
    description:
      'What the rows of the window come to. `pass_rate` is of boolean metrics, `share` of one option of an enum metric; both are between 0 and 1, and so is `avg` of `error_rate`.',
  }),
  window_seconds: Type.Integer({
    minimum: MONITOR_WINDOW_SECONDS.least,
    maximum: MONITOR_WINDOW_SECONDS.most,
    description: 'How far back each evaluation looks.',
  }),
  comparison: Type.Enum(MONITOR_COMPARISONS, {
    description: 'The monitor breaches when the value is … the threshold.',
  }),
  threshold: Type.Number({ description: 'What the value is compared with.' }),
  resolve_threshold: Type.Optional(
    nullableNumber(
      'A fired monitor resolves only when the comparison does not hold for this one either: on the side of `threshold` that is away from the breach. Absent or null: `threshold` itself.',
    ),
  ),
  min_samples: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MONITOR_SAMPLES_MAX,
      description:
        'An evaluation with fewer rows changes nothing. A new monitor has 1 unless it is given. Not with `count`, which is 0 when there are none.',
    }),
  ),
  consecutive: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MONITOR_CONSECUTIVE_MAX,
      description:
        'So many evaluations in a row must breach before the monitor fires. One that is clear resolves it. A new monitor has 1 unless it is given.',
    }),
  ),
  no_data: Type.Optional(
    Type.Enum(MONITOR_NO_DATA, {
      description:
        'What an evaluation without any row counts as: nothing at all, a clear one, or a breach. A new monitor has `hold` unless it is given. Not with `count`.',
    }),
  ),
}

const enabled = Type.Optional(
  Type.Boolean({
    description: 'Whether it is evaluated. One that is not is normal. A new monitor is unless this is false.',
  }),
)

export const MonitorCreate = Type.Object(
  { ...definition, enabled },
  { additionalProperties: false, description: 'A monitor to make.' },
)
export type MonitorCreate = Static<typeof MonitorCreate>

export const MonitorPatch = Type.Object(
  {
    name: Type.Optional(definition.name),
    source: Type.Optional(definition.source),
    filters: definition.filters,
    aggregation: Type.Optional(definition.aggregation),
    window_seconds: Type.Optional(definition.window_seconds),
    comparison: Type.Optional(definition.comparison),
    threshold: Type.Optional(definition.threshold),
    resolve_threshold: definition.resolve_threshold,
    min_samples: definition.min_samples,
    consecutive: definition.consecutive,
    no_data: definition.no_data,
    enabled,
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'What to change. `source` and `filters` are replaced as a whole; what is not given stays.',
  },
)
export type MonitorPatch = Static<typeof MonitorPatch>

export const MonitorPreview = Type.Object(
  {
    ...definition,
    name: Type.Optional(definition.name),
    enabled,
    start_time: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'From when (RFC 3339, or a date for its midnight UTC); absent: a day before `end_time`.',
      }),
    ),
    end_time: Type.Optional(
      Type.String({ minLength: 1, description: 'Until when, not in the future; absent: until now.' }),
    ),
  },
  { additionalProperties: false, description: 'A monitor to try, and the time to try it over.' },
)
export type MonitorPreview = Static<typeof MonitorPreview>

const state = Type.Enum(MONITOR_STATES, { description: 'Whether it has fired.' })

export const Monitor = Type.Object(
  {
    id: idString('mon', 'The monitor.'),
    name: Type.String({ description: 'What it is called.' }),
    source: MonitorSource,
    filters: MonitorFilters,
    aggregation: definition.aggregation,
    window_seconds: definition.window_seconds,
    comparison: definition.comparison,
    threshold: definition.threshold,
    resolve_threshold: nullableNumber('As it was given; null: `threshold` itself.'),
    min_samples: Type.Integer({ minimum: 1, description: 'Rows that an evaluation needs.' }),
    consecutive: Type.Integer({ minimum: 1, description: 'Evaluations in a row that must breach.' }),
    no_data: Type.Enum(MONITOR_NO_DATA, { description: 'What an evaluation without any row counts as.' }),
    enabled: Type.Boolean({ description: 'Whether it is evaluated.' }),
    state,
    state_since: printedTime('When it came into this state: the time of that evaluation.'),
    last_value: nullableNumber('What the last evaluation came to; null when it held too little to say.'),
    last_samples: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Rows of the last evaluation; null before the first.',
    }),
    last_evaluated_at: nullablePrintedTime(
      'The time of the last evaluation of this definition; null before the first.',
    ),
    created_at: printedTime('When it was made.'),
    updated_at: printedTime('When it was last changed.'),
    revision: Type.Integer({ minimum: 1, description: 'Counts changes of the monitor.' }),
  },
  { additionalProperties: false, description: 'A monitor and its state.' },
)
export type Monitor = Static<typeof Monitor>

const nextCursor = nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' })

export const MonitorList = Type.Object(
  { monitors: Type.Array(Monitor, { description: 'One page of monitors, oldest first.' }), next_cursor: nextCursor },
  { additionalProperties: false, description: 'One page of monitors.' },
)
export type MonitorList = Static<typeof MonitorList>

export const MonitorHistoryEntry = Type.Object(
  {
    at: printedTime('The time of the evaluation, or of the change.'),
    to: state,
    value: nullableNumber('What the window came to; null when it held too little to say, or nothing was evaluated.'),
    samples: count('Rows in the window.'),
    threshold: Type.Number({ description: 'What the value was compared with.' }),
    cause: Type.Enum(MONITOR_CAUSES, {
      description: 'An evaluation; or a fired monitor was changed, disabled or deleted, which makes it normal.',
    }),
    revision: Type.Integer({ minimum: 1, description: 'Which revision of the monitor that was.' }),
    recorded_at: printedTime('When it was noticed: later than `at` when the service was down.'),
  },
  { additionalProperties: false, description: 'One change of state.' },
)
export type MonitorHistoryEntry = Static<typeof MonitorHistoryEntry>

export const MonitorHistory = Type.Object(
  {
    history: Type.Array(MonitorHistoryEntry, { description: 'One page of changes of state, newest first.' }),
    next_cursor: nextCursor,
  },
  { additionalProperties: false, description: 'One page of what a monitor went through.' },
)
export type MonitorHistory = Static<typeof MonitorHistory>

const value = nullableNumber('What the window came to; null when it held too little to say.')

export const MonitorPreviewResult = Type.Object(
  {
    evaluations: Type.Array(
      Type.Object(
        { at: printedTime('Its time: the window ends there.'), value, samples: count('Rows in the window.'), state },
        { additionalProperties: false, description: 'One evaluation and the state after it.' },
      ),
      { description: 'Every evaluation, oldest first.' },
    ),
    transitions: Type.Array(
      Type.Object(
        { at: printedTime('The time of the evaluation.'), to: state, value },
        { additionalProperties: false, description: 'One change of state.' },
      ),
      { description: 'What the monitor would have told, oldest first.' },
    ),
    step_seconds: Type.Integer({ minimum: 1, description: 'From one evaluation to the next.' }),
  },
  { additionalProperties: false, description: 'What a monitor would have done.' },
)
export type MonitorPreviewResult = Static<typeof MonitorPreviewResult>
