import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { checkMasking } from './check-masking.ts'
import type { Project, ProjectStore, SettingsChange } from '../ports/access/project-store.ts'

export interface ProjectChange extends SettingsChange {
  readonly projectId: ProjectId
}

/**
 * Applies to every request that begins after it resolves. Throws DomainError `not_found`, and `validation_failed` for
 * masking that cannot be used.
 */
export async function changeProject(
  { projects }: { readonly projects: Pick<ProjectStore, 'change'> },
  { projectId, ...settings }: ProjectChange,
): Promise<Project> {
  if (settings.masking !== undefined) await checkMasking(settings.masking)
  const changed = await projects.change(projectId, settings)
  if (changed === undefined) throw new DomainError('not_found', 'There is no such project.')
  return changed
}
