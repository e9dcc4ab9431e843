import { Type, type Static } from 'typebox'
import { CONTROL_NAME_LENGTH, NAME_LENGTH, VIEW_DISPLAY_LENGTH } from '../limits.ts'
import { TraceSeriesQuery } from './series-query.ts'
import { changeOf, closed, flagOf, idString, nullable, pageOf, printedTime, shortText } from './primitives.ts'
import { FEED_ORDERS, FEED_SORTS, filterFields, META_KEY_LENGTH, METADATA_FILTERS_MAX } from './traces/feed-query.ts'

const { meta_key: _key, meta_value: _value, ...filters } = filterFields

/** The filters of the list of traces in a body. Pairs of metadata are an object here. */
export const BODY_FILTERS = {
  ...filters,
  metadata: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string | null>>>({
      type: 'object',
      maxProperties: METADATA_FILTERS_MAX,
      propertyNames: { minLength: 1, maxLength: META_KEY_LENGTH },
      additionalProperties: { type: ['string', 'null'], maxLength: NAME_LENGTH },
      description: 'Values by key, as `meta_value` gives them; all must match. `null` matches any value of the key.',
    }),
  ),
}

/** The parameters of the list of traces, without the parameters of paging. */
export const ViewQuery = closed('Which traces the view lists and in which order: the parameters of `GET /v1/traces`.', {
  ...BODY_FILTERS,
  sort: Type.Optional(
    Type.Enum([...FEED_SORTS, 'started_at'] as const, {
      description: 'The sort key; if omitted, `created_at`. `started_at` only sorts steps, `step_count` only traces.',
    }),
  ),
  order: Type.Optional(Type.Enum(FEED_ORDERS, { description: 'If omitted, `desc`: largest or newest first.' })),
})
export type ViewQuery = Static<typeof ViewQuery>

export const uniqueName = shortText(
  CONTROL_NAME_LENGTH,
  'The name, unique in the project: at least one visible character, no control characters.',
)

/** Open: clients add what they need to show the list as it was. */
const display = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  description: `How a client shows the view, such as its columns, in its own words: at most ${VIEW_DISPLAY_LENGTH} characters of JSON. The dashboard stores the parameters of its address here that are no filters; a \`range\` of its own moves with the clock.`,
  examples: [{ range: '24h' }],
})

/** The forms in which a view shows what its query finds. */
export const VIEW_FORMS = ['table', 'steps', 'chart'] as const
const form = Type.Enum(VIEW_FORMS, {
  description:
    '`table`: the list of traces. `steps`: the list of steps. `chart`: the series `chart`. Default: `table`.',
})

const { measure, stat, order, limit, compare, bucket } = TraceSeriesQuery.properties

/** The parameters of a series beside filters and times. */
export const ViewChart = closed(
  'The series of a chart: the parameters of `GET /v1/traces/series` or `/v1/steps/series`.',
  {
    rows: Type.Enum(['traces', 'steps'] as const, { description: 'The rows that are measured.' }),
    measure,
    stat,
    group_by: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: NAME_LENGTH }), {
        minItems: 1,
        maxItems: 2,
        description: 'One or two fields.',
      }),
    ),
    order,
    limit,
    compare,
    bucket,
    drawn: Type.Optional(
      Type.Enum(['line', 'bar', 'stacked', 'groups'] as const, {
        description: 'How it is drawn; `groups`: as a table.',
      }),
    ),
    log: Type.Optional(flagOf('Whether its axis is logarithmic.')),
  },
)

export type ViewChart = Static<typeof ViewChart>

const nullableChart = nullable(ViewChart, 'The series of a chart; null for other forms.')

export const View = closed('A saved view of traces or steps.', {
  id: idString('view', 'The view.'),
  name: uniqueName,
  query: ViewQuery,
  form,
  chart: nullableChart,
  display,
  created_by: idString('key', 'The key that created it, also by a session; it may be revoked by now.'),
  created_at: printedTime('When it was created.'),
  updated_at: printedTime('When it was last changed.'),
})
export type View = Static<typeof View>

export const ViewList = pageOf('views', View, 'oldest first')
export type ViewList = Static<typeof ViewList>

export const ViewCreate = closed('A view to save.', {
  name: uniqueName,
  query: ViewQuery,
  form: Type.Optional(form),
  chart: Type.Optional(ViewChart),
  display: Type.Optional(display),
})
export type ViewCreate = Static<typeof ViewCreate>

export const ViewPatch = changeOf(
  'A change of a view; omitted fields stay unchanged, others are replaced as a whole.',
  { name: uniqueName, query: ViewQuery, form, chart: nullableChart, display },
)
export type ViewPatch = Static<typeof ViewPatch>
