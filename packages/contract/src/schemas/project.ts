import { Type, type Static } from 'typebox'
import { closed, controlName, idString, nullableString, printedTime } from './primitives.ts'

export const SPAN_FILTERS = ['keep', 'agents_only'] as const
export type SpanFilter = (typeof SPAN_FILTERS)[number]

const spanFilter = Type.Enum(SPAN_FILTERS, {
  description:
    'Which spans of OpenTelemetry the project takes: `keep` all of them (the default), or `agents_only`: spans about agents and models, and their ancestors.',
})

export const Project = closed('A project. It sees only its own data.', {
  id: idString('proj', 'The project.'),
  name: Type.String({ description: 'The name of the project.' }),
  created_at: printedTime('When it was created.'),
  span_filter: spanFilter,
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

export const ProjectPatch = closed('What changes.', { span_filter: spanFilter })
export type ProjectPatch = Static<typeof ProjectPatch>
