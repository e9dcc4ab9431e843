import { dayOf, type TopicSource } from '../archives/day-stream.ts'
import { ClusterProject, recallTimesPrecision, type ProjectTrace } from './cluster-project.ts'

export interface RisenTopic {
  /** Whether one of the runs created a cluster of it. */
  readonly found: boolean
  /** New clusters of other traces, in all runs. */
  readonly others: number
}

const RUNS = 6
const LARGEST_SHARE = 0.09
const SEED = 1

/**
 * One topic rises evenly to 9 % over six runs, after a run without it; the others stay.
 *
 * @param common share of a window that is in the next one too
 */
export function risingTopic(sources: readonly TopicSource[], perDay: number, common: number): RisenTopic {
  const [rising, ...steady] = sources
  const fresh = (run: number): ProjectTrace[] => {
    const share = (run / RUNS) * LARGEST_SHARE
    const count = run === 0 ? perDay : Math.round(perDay * (1 - common))
    const risen = dayOf([rising!], Math.round(share * count), run).map((trace) =>
      Object.assign({}, trace, { id: `${trace.id} risen` }),
    )
    return [...dayOf(steady, Math.round((1 - share) * count), run), ...risen]
  }
  let window = fresh(0)
  const project = new ClusterProject(window)
  project.run(window, SEED)
  let [found, others] = [false, 0]
  for (let run = 1; run <= RUNS; run++) {
    const arrived = fresh(run)
    window = [...window.slice(window.length - (perDay - arrived.length)), ...arrived]
    project.refitIfUnfamiliar(window)
    const made = project.run(window, SEED)
    for (const { kind, cluster } of made.discovery.changes) {
      if (kind !== 'created') continue
      const members = made.traces.filter((_, at) => made.discovery.assignments[at] === cluster)
      const label = members.find(({ id }) => id.endsWith('risen'))?.label
      if (label !== undefined && recallTimesPrecision(made, cluster, label) > LEAST_SCORE) found = true
      else others++
    }
  }
  return { found, others }
}

/** Of recall times precision of a cluster that is the topic. */
const LEAST_SCORE = 0.4
