import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import type { Project, ProjectStore, SettingsChange } from '../ports/access/project-store.ts'

export interface ProjectChange extends SettingsChange {
  readonly projectId: ProjectId
}

/** Applies to every request that begins after it resolves. Throws DomainError `not_found`. */
export async function changeProject(
  { projects }: { readonly projects: Pick<ProjectStore, 'change'> },
  { projectId, ...settings }: ProjectChange,
): Promise<Project> {
  const changed = await projects.change(projectId, settings)
  if (changed === undefined) throw new DomainError('not_found', 'There is no such project.')
  return changed
}
