import type { ProjectId } from '@spoor/contract/ids'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { evaluationInterval } from '../../monitors/due-times.ts'
import type { ProjectStore } from '../../ports/access/project-store.ts'
import type { RegressionReports } from '../../traces/insight/versions/report-regressions.ts'
import type { Environment } from './environment.ts'
import { type Rounds, startRounds } from './rounds.ts'

interface VersionParts {
  readonly control: { readonly projects: Pick<ProjectStore, 'list'> }
  readonly feed: Pick<JournalFeed, 'subscribe'>
  readonly reports: RegressionReports
}

/** After a round, as many times its duration pass before the next one: it takes a twentieth of the time at most. */
const REST = 19
const PROJECTS_TOGETHER = 1000

/** Compares the versions of projects that have changed, in the rhythm of monitors; of all projects at first. */
export async function startVersions(
  { config, logger }: Pick<Environment, 'config' | 'logger'>,
  { control, feed, reports }: VersionParts,
): Promise<Rounds> {
  const changed = new Set<ProjectId>()
  let isStopping = false
  const unsubscribe = feed.subscribe((projectIds) => projectIds.forEach((id) => changed.add(id)))
  for (let after: ProjectId | null = null; ;) {
    const projects = await control.projects.list(after, PROJECTS_TOGETHER)
    for (const { id } of projects) changed.add(id)
    after = projects.at(-1)?.id ?? null
    if (projects.length < PROJECTS_TOGETHER) break
  }
  const everyMs = evaluationInterval(config.monitorIntervalMs)
  const rounds = startRounds(everyMs, logger, async () => {
    const begunAt = systemTimers.now()
    const [...projects] = changed
    changed.clear()
    for (const projectId of projects) {
      if (isStopping) return everyMs
      try {
        await reports.report(projectId)
      } catch (error) {
        changed.add(projectId)
        logger.error({ error, project: projectId }, 'the versions of a project could not be compared yet')
      }
    }
    return Math.max(everyMs, REST * (systemTimers.now() - begunAt))
  })
  return {
    async stop() {
      isStopping = true
      unsubscribe()
      await rounds.stop()
    },
  }
}
