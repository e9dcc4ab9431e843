import { Type, type Static } from 'typebox'
import { META_KEY_LENGTH } from './traces/feed-query.ts'
import { closed, controlName, idString, nullableString, printedTime } from './primitives.ts'

export const SPAN_FILTERS = ['keep', 'agents_only'] as const
export type SpanFilter = (typeof SPAN_FILTERS)[number]

const spanFilter = Type.Enum(SPAN_FILTERS, {
  description:
    'Which spans of OpenTelemetry the project takes: `keep` all of them (the default), or `agents_only`: spans about agents and models, and their ancestors.',
})

const metadataKey = (description: string) => Type.String({ minLength: 1, maxLength: META_KEY_LENGTH, description })

const settings = {
  span_filter: spanFilter,
  version_key: metadataKey('The metadata key whose value is the version of what ran; `version` by default.'),
  task_key: metadataKey('The metadata key whose value names the task of a run; `task_id` by default.'),
}

/** Of a new project. */
export const PROJECT_DEFAULTS = { span_filter: 'keep', version_key: 'version', task_key: 'task_id' } as const

export const Project = closed('A project. It sees only its own data.', {
  id: idString('proj', 'The project.'),
  name: Type.String({ description: 'The name of the project.' }),
  created_at: printedTime('When it was created.'),
  ...settings,
})
export type Project = Static<typeof Project>

export const ProjectList = closed('One page of projects.', {
  projects: Type.Array(Project, { description: 'One page of projects, oldest first.' }),
  next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
})
export type ProjectList = Static<typeof ProjectList>

export const ProjectCreate = closed('A project to create.', {
  name: controlName(),
})
export type ProjectCreate = Static<typeof ProjectCreate>

export const ProjectPatch = Type.Object(
  {
    span_filter: Type.Optional(settings.span_filter),
    version_key: Type.Optional(settings.version_key),
    task_key: Type.Optional(settings.task_key),
  },
  { additionalProperties: false, minProperties: 1, description: 'The settings that change.' },
)
export type ProjectPatch = Static<typeof ProjectPatch>
