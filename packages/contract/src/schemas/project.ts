import { Type, type Static } from 'typebox'
import { Masking, MaskingPatch } from './masking.ts'
import { META_KEY_LENGTH } from './traces/feed-query.ts'
import * as schema from './primitives.ts'

const INPUT_PATH_LENGTH = 200

export const SPAN_FILTERS = ['keep', 'agents_only'] as const
export type SpanFilter = (typeof SPAN_FILTERS)[number]

const spanFilter = Type.Enum(SPAN_FILTERS, {
  description:
    'Which spans of OpenTelemetry the project takes: `keep` all of them (the default), or `agents_only`: spans about agents and models, and their ancestors.',
})

const metadataKey = (description: string) => Type.String({ minLength: 1, maxLength: META_KEY_LENGTH, description })

/** A path in dots to the request of a run, in its metadata or in a message of the user that is JSON. */
const inputPath = schema.nullableString({
  minLength: 3,
  maxLength: INPUT_PATH_LENGTH,
  pattern: String.raw`^(metadata|\$)(\.[^.]+)+$`,
  description:
    'Where the request of a run is: `metadata.question` is a value of its metadata, `$.question` a value in messages of the user that are JSON; further names follow with dots. Clusters then group traces by this value. Null (the default), or for a trace without such a value: the messages of the user count whole.',
})

const settings = {
  span_filter: spanFilter,
  version_key: metadataKey('The metadata key whose value is the version of what ran; `version` by default.'),
  task_key: metadataKey('The metadata key whose value names the task of a run; `task_id` by default.'),
  input_path: inputPath,
}

/** Of a new project. */
export const PROJECT_DEFAULTS = {
  span_filter: 'keep',
  version_key: 'version',
  task_key: 'task_id',
  input_path: null,
} as const

const days = (description: string) => schema.nullableInteger({ minimum: 1, maximum: 3650, description })
const retentionFields = {
  days: days('For how many days a trace that is not flagged is kept after it was created; null: until it is deleted.'),
  flagged_days: days('The same for flagged traces.'),
  media_days: days('The same for media, also of traces that are kept: links to it are then answered with 404.'),
}
const retention = 'What retention removes, Spoor deletes within the hour. Series of metrics keep its numbers.'

export const Retention = schema.closed(retention, retentionFields)
export type Retention = Static<typeof Retention>

/** Times that are not given. */
const retentionOptions = {
  days: Type.Optional(retentionFields.days),
  flagged_days: Type.Optional(retentionFields.flagged_days),
  media_days: Type.Optional(retentionFields.media_days),
}

export const Project = schema.closed('A project. It sees only its own data.', {
  id: schema.idString('proj', 'The project.'),
  name: schema.textOf('The name of the project.'),
  created_at: schema.printedTime('When it was created.'),
  ...settings,
  retention: Retention,
  masking: Masking,
})
export type Project = Static<typeof Project>

export const ProjectList = schema.pageOf('projects', Project, 'oldest first')
export type ProjectList = Static<typeof ProjectList>

export const ProjectCreate = schema.closed('A project to create.', {
  name: schema.controlName(),
})
export type ProjectCreate = Static<typeof ProjectCreate>

export const ProjectPatch = Type.Object(
  {
    span_filter: Type.Optional(settings.span_filter),
    version_key: Type.Optional(settings.version_key),
    task_key: Type.Optional(settings.task_key),
    input_path: Type.Optional(settings.input_path),
    retention: Type.Optional(
      Type.Object(retentionOptions, {
        additionalProperties: false,
        minProperties: 1,
        description: `The times that change. ${retention}`,
      }),
    ),
    masking: Type.Optional(MaskingPatch),
  },
  { additionalProperties: false, minProperties: 1, description: 'The settings that change.' },
)
export type ProjectPatch = Static<typeof ProjectPatch>

const queriedDays = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3650, description: `${description} If omitted, none are counted.` }),
  )

/** Names of `Retention`. */
export const ExpiredQuery = schema.parameters({
  days: queriedDays('Counts traces that are not flagged and older than this, days.'),
  flagged_days: queriedDays('Counts flagged traces that are older than this, days.'),
  media_days: queriedDays('Counts media that is older than this, days.'),
})
export type ExpiredQuery = Static<typeof ExpiredQuery>

export const Expired = schema.closed('What a retention would delete now.', {
  traces: schema.count('Traces that are not flagged.'),
  flagged_traces: schema.count('Flagged traces.'),
  attachments: schema.count(
    'Attachments whose media would be removed from traces that are kept, and from those above.',
  ),
})
export type Expired = Static<typeof Expired>
