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
/** A project is compared until it has not changed for so long: new traces join clusters 20 s after their arrival. */
const JOINED_AFTER_MS = 60_000

/** Compares the versions of projects that have changed, in the rhythm of monitors; of all projects at first. */
export async function startVersions(
  { config, logger }: Pick<Environment, 'config' | 'logger'>,
  { control, feed, reports }: VersionParts,
): Promise<Rounds> {
  /** By when they changed last. */
  const changed = new Map<ProjectId, number>()
  const note = (id: ProjectId) => changed.set(id, systemTimers.now())
  let isStopping = false
  const unsubscribe = feed.subscribe((projectIds) => projectIds.forEach(note))
  for (let after: ProjectId | null = null; ;) {
    const projects = await control.projects.list(after, PROJECTS_TOGETHER)
    for (const { id } of projects) note(id)
    after = projects.at(-1)?.id ?? null
    if (projects.length < PROJECTS_TOGETHER) break
  }
  const everyMs = evaluationInterval(config.monitorIntervalMs)
  const rounds = startRounds(everyMs, logger, async () => {
    const begunAt = systemTimers.now()
    for (const [projectId, changedAt] of changed) {
      if (isStopping) return everyMs
      try {
        await reports.report(projectId)
        if (begunAt >= changedAt + JOINED_AFTER_MS && changed.get(projectId) === changedAt) changed.delete(projectId)
      } catch (error) {
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
