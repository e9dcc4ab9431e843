import type { Clock } from '../lib/time/clock.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { IdGenerator } from '../lib/ids/ids.ts'
import { checkName } from '../lib/validation/check-name.ts'
import { NEW_PROJECT, type Project, type ProjectStore } from '../ports/access/project-store.ts'

export interface CreateProjectDependencies {
  readonly projects: Pick<ProjectStore, 'create'>
  readonly clock: Clock
  readonly ids: Pick<IdGenerator, 'newId'>
}

/** Makes a project without keys. Names need not be unique. Throws DomainError `validation_failed` for a bad name. */
export async function createProject(
  { projects, clock, ids }: CreateProjectDependencies,
  { name }: { readonly name: string },
): Promise<Project> {
  const problem = checkName(name)
  if (problem !== null) throw invalid(problem)
  const project: Project = { id: ids.newId('proj'), name, createdAt: clock.now(), ...NEW_PROJECT }
  await projects.create(project, [])
  return project
}
