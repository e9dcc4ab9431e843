import { createProject } from '../projects/create-project.ts'
import type { Project, ProjectStore } from '../ports/access/project-store.ts'
import {
  type ControlCommandDependencies,
  DATA_DIR,
  JSON_FLAG,
  recordCommand,
  runParsed,
  UsageError,
  withStores,
} from './command.ts'
import { formatTable, projectJson } from './control-output.ts'
import { toWireTime } from '../wire/to-wire.ts'

const USAGE = `Usage: spoor projects list
       spoor projects create NAME

  --data-dir DIR  the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --json          print JSON
  --help          print this

Works while the service runs and while it does not.`

const SYNTAX = { usage: USAGE, options: { ...DATA_DIR, ...JSON_FLAG }, allowPositionals: true } as const

/**
 * `spoor projects …`. `args` are the arguments after `projects`. Returns the exit code: 0 done, 1 failed, 2 wrong
 * usage.
 */
export function runProjectsCommand(args: readonly string[], dependencies: ControlCommandDependencies): Promise<number> {
  return runParsed(SYNTAX, args, dependencies, async (values, [verb, ...rest]) => {
    if (verb === 'list') {
      if (rest.length > 0) throw new UsageError(`projects list takes nothing more: ${rest.join(' ')}`)
      return withStores(dependencies, values['data-dir'], async ({ projects }) => {
        printProjects(await allProjects(projects), values.json, dependencies)
      })
    }
    if (verb === 'create') {
      const [name] = rest
      if (name === undefined || rest.length > 1)
        throw new UsageError('projects create takes one NAME; put quotes around one with blanks.')
      return withStores(dependencies, values['data-dir'], async (stores) => {
        const project = await createProject({ ...dependencies, projects: stores.projects }, { name })
        const target = { kind: 'project', id: project.id } as const
        const entry = { projectId: project.id, action: 'project.created', target, detail: { name } } as const
        await recordCommand(stores, dependencies, entry)
        if (values.json) return dependencies.print(JSON.stringify(projectJson(project)))
        dependencies.print(`project ${project.id} "${project.name}" created`)
        dependencies.print(`make a key for it: npx spoor keys create --project ${project.id} --name NAME`)
      })
    }
    throw new UsageError(
      verb === undefined
        ? 'projects needs a command: list or create'
        : `projects has no "${verb}", only list and create`,
    )
  })
}

/** Read page by page. An operator's list is short enough to hold in memory. */
async function allProjects(projects: Pick<ProjectStore, 'list'>): Promise<readonly Project[]> {
  const found: Project[] = []
  for (;;) {
    const page = await projects.list(found.at(-1)?.id ?? null, 1000)
    if (page.length === 0) return found
    found.push(...page)
  }
}

function printProjects(
  projects: readonly Project[],
  asJson: boolean,
  { print }: Pick<ControlCommandDependencies, 'print'>,
): void {
  if (asJson) return print(JSON.stringify({ projects: projects.map(projectJson) }))
  const rows = projects.map((project) => [project.id, toWireTime(project.createdAt), project.name])
  for (const line of formatTable(['ID', 'CREATED', 'NAME'], rows)) print(line)
}
