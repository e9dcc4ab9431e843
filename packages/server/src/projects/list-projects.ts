import { listPage, type Page, type PageRequest } from '../lib/list-page.ts'
import type { Project, ProjectStore } from '../ports/access/project-store.ts'

/** Projects by age, the oldest first. Throws DomainError `invalid_cursor`. */
export function listProjects(
  { projects }: { readonly projects: Pick<ProjectStore, 'list'> },
  { cursor, limit }: PageRequest,
): Promise<Page<Project>> {
  return listPage('proj', cursor, limit, (after, count) => projects.list(after, count))
}
