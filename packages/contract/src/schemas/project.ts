import { Type, type Static } from 'typebox'
import { controlName, idString, nullableString, printedTime } from './primitives.ts'

export const SPAN_FILTERS = ['keep', 'agents_only'] as const
export type SpanFilter = (typeof SPAN_FILTERS)[number]

const spanFilter = Type.Enum(SPAN_FILTERS, {
  description:
    'Which spans of OpenTelemetry the project takes: `keep` all of them (the default), or `agents_only`: spans about agents and models, and their ancestors.',
})

export const Project = Type.Object(
  {
    id: idString('proj', 'The project.'),
    name: Type.String({ description: 'The name of the project.' }),
    created_at: printedTime('When it was created.'),
    span_filter: spanFilter,
  },
  { additionalProperties: false, description: 'A project. It sees only its own data.' },
)
export type Project = Static<typeof Project>

export const ProjectList = Type.Object(
  {
    projects: Type.Array(Project, { description: 'One page of projects, oldest first.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of projects.' },
)
export type ProjectList = Static<typeof ProjectList>

export const ProjectCreate = Type.Object(
  {
    name: controlName(),
  },
  { additionalProperties: false, description: 'A project to create.' },
)
export type ProjectCreate = Static<typeof ProjectCreate>

export const ProjectPatch = Type.Object(
  { span_filter: spanFilter },
  { additionalProperties: false, description: 'What changes.' },
)
export type ProjectPatch = Static<typeof ProjectPatch>
