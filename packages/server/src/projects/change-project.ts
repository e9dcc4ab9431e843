import type { ProjectId } from '@spoor/contract/ids'
import type { SpanFilter } from '@spoor/contract/schemas/project'
import { DomainError } from '../lib/domain-error.ts'
import type { Project, ProjectStore } from '../ports/access/project-store.ts'

export interface ProjectChange {
  readonly projectId: ProjectId
  readonly spanFilter: SpanFilter
}

/** Applies to every export that begins after it resolves. Throws DomainError `not_found`. */
export async function changeProject(
  { projects }: { readonly projects: Pick<ProjectStore, 'setSpanFilter'> },
  { projectId, spanFilter }: ProjectChange,
): Promise<Project> {
  const changed = await projects.setSpanFilter(projectId, spanFilter)
  if (changed === undefined) throw new DomainError('not_found', 'There is no such project.')
  return changed
}
