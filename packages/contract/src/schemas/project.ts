import { Type, type Static } from 'typebox'
import { controlName, idString, nullableString, printedTime } from './primitives.ts'

export const Project = Type.Object(
  {
    id: idString('proj', 'The project.'),
    name: Type.String({ description: 'The name of the project.' }),
    created_at: printedTime('When it was created.'),
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
