import { isId } from '@spoor/contract/ids'
import { OperatorError } from '../lib/operator-error.ts'
import type { Project, ProjectStore } from '../ports/access/project-store.ts'

/**
 * The project named by an id or a unique name, or the only project when nothing is given. Throws OperatorError that
 * says how to name it.
 */
export async function chooseProject(
  projects: Pick<ProjectStore, 'find' | 'findByName' | 'list'>,
  named: string | undefined,
): Promise<Project> {
  const candidates = named === undefined ? await projects.list(null, 2) : await findNamed(projects, named)
  const [project, other] = candidates
  if (project === undefined) {
    throw new OperatorError(
      named === undefined
        ? 'There is no project yet. Make one: spoor projects create NAME'
        : `There is no project ${JSON.stringify(named)}. See: spoor projects list`,
    )
  }
  if (other !== undefined) {
    throw new OperatorError(
      named === undefined
        ? 'There are several projects: name one with --project. See: spoor projects list'
        : `Several projects are named ${JSON.stringify(named)}: give the id of one. See: spoor projects list`,
    )
  }
  return project
}

async function findNamed(
  projects: Pick<ProjectStore, 'find' | 'findByName'>,
  named: string,
): Promise<readonly Project[]> {
  if (!isId('proj', named)) return projects.findByName(named)
  const project = await projects.find(named)
  return project === undefined ? [] : [project]
}
