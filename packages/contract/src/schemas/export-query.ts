import { Type } from 'typebox'

/** What can be exported: the rows of a list, or the traces of `GET /v1/traces` as a whole. */
export const EXPORTED = ['traces', 'runs', 'steps', 'events', 'series', 'step_series', 'audit'] as const
export type Exported = (typeof EXPORTED)[number]

/** The media type of each format of an export. */
export const EXPORT_FORMATS = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
} as const
export type ExportFormat = keyof typeof EXPORT_FORMATS

/** The list that is exported validates all other parameters. */
export const ExportQuery = Type.Object(
  {
    what: Type.Enum(EXPORTED, {
      description:
        '`traces`: the rows of `GET /v1/traces`. `runs`: these traces as a whole, as `PUT /v1/traces/:id` takes them, only as `jsonl`. `steps`: those of `GET /v1/steps`. `events`: those of `GET /v1/metrics/events`, which takes the filters of traces too (by name: `trace_name`). `series`: the points of `GET /v1/traces/series`. `step_series`: those of `GET /v1/steps/series`. `audit`: the entries of `GET /v1/audit`, which needs the scope `manage` too. ' +
        'All other parameters are those of that list, without `limit` and `cursor`: its filters, sort and order.',
    }),
    format: Type.Enum(Object.keys(EXPORT_FORMATS) as ExportFormat[], {
      description:
        '`jsonl`: a row in each line, as the list prints it, then the line `{"complete":true,"rows":n}`. ' +
        '`csv`: a column for each field, those of objects by names with a dot; lists and metadata as JSON; the trailer `x-export-rows` has the number of rows. `parquet`: the same columns with types. ' +
        'An export that could not be finished has no such line, no such trailer, or no footer of Parquet, and its connection breaks.',
    }),
  },
  { additionalProperties: true },
)
