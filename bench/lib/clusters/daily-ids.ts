import { IDENTITY_THRESHOLDS } from '../../../packages/clustering/src/identity/thresholds.ts'
import { ClusterProject, recallTimesPrecision, type ClusterRun, type ProjectTrace } from './cluster-project.ts'
import { dayOf, type TopicSource } from '../archives/day-stream.ts'

/** Number of ids, and how many of them the next day's run has too. */
export interface KeptIds {
  readonly ids: number
  readonly kept: number
}

/** Runs on consecutive windows without a common trace, of a stream in which nothing changes. */
export function stationaryDays(
  sources: readonly TopicSource[],
  perDay: number,
  days: number,
  thresholds = IDENTITY_THRESHOLDS,
): KeptIds & { readonly created: number } {
  let [ids, kept, created] = [0, 0, 0]
  const first = dayOf(sources, perDay, 0)
  const project = new ClusterProject(first, { thresholds })
  let last = project.run(first, SEED)
  for (let day = 1; day < days; day++) {
    const run = runOn(project, dayOf(sources, perDay, day))
    ids += last.ids.length
    kept += last.ids.filter((id) => run.ids.includes(id)).length
    created += run.discovery.changes.filter(({ kind }) => kind === 'created').length
    last = run
  }
  return { ids, kept, created }
}

/**
 * Two days, between which the last `replaced` topics replace the first ones. Counts the ids of clusters whose traces
 * were mostly of topics that are gone, and new topics that have a new cluster.
 */
export function replacedTopics(
  sources: readonly TopicSource[],
  perDay: number,
  replaced: number,
): KeptIds & { readonly found: number } {
  const first = dayOf(sources.slice(0, -replaced), perDay, 0)
  const second = dayOf(sources.slice(replaced), perDay, 1)
  const project = new ClusterProject(first)
  const before = project.run(first, SEED)
  const after = runOn(project, second)
  const here = new Set(second.map(({ label }) => label))
  const gone = before.ids.filter((_, cluster) => shareOf(before, cluster, here) < 0.5)
  const there = new Set(first.map(({ label }) => label))
  const created = after.discovery.changes.filter(({ kind }) => kind === 'created').map(({ cluster }) => cluster)
  const isFound = (label: string) => created.some((cluster) => recallTimesPrecision(after, cluster, label) > 0.5)
  return {
    ids: gone.length,
    kept: gone.filter((id) => after.ids.includes(id)).length,
    found: [...here].filter((label) => !there.has(label) && isFound(label)).length,
  }
}

const SEED = 1

function runOn(project: ClusterProject, window: readonly ProjectTrace[]): ClusterRun {
  project.refitIfUnfamiliar(window)
  return project.run(window, SEED)
}

function shareOf({ discovery, traces }: ClusterRun, cluster: number, labels: ReadonlySet<string>): number {
  const members = traces.filter((_, index) => discovery.assignments[index] === cluster)
  return members.filter(({ label }) => labels.has(label)).length / members.length
}
