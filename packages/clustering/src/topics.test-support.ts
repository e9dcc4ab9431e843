import { createRandom } from './partition/seeded-random.ts'
import { discover, toPreviousRun, type Discovery, type ClusteringRequest } from './discover.ts'
import type { PreviousRun } from './identity/previous-run.ts'
import { normaliseRow, rowOf, zeroMatrix } from './matrix.ts'

/** Traces `from` to `to` - 1 of a topic: the same numbers are the same traces in every run. */
export interface TopicTraces {
  readonly topic: number
  readonly from?: number
  readonly to: number
}

const COLUMNS = 24

/**
 * A run's traces: each topic is a direction, its traces are scattered around it. `turn` rotates the coordinates, as
 * another embedder would.
 */
export function tracesOf(topics: readonly TopicTraces[], turn = 0): Pick<ClusteringRequest, 'points' | 'traceIds'> {
  const traces = topics
    .flatMap(({ topic, from = 0, to }) =>
      Array.from({ length: to - from }, (_, index) => ({ topic, number: from + index })),
    )
    .map((trace) => Object.assign(trace, { id: `tr_${String(trace.number).padStart(5, '0')}_${trace.topic}` }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const points = zeroMatrix(traces.length, COLUMNS)
  traces.forEach(({ topic, number }, row) => {
    const random = createRandom(1000 * topic + number)
    const point = rowOf(points, row)
    for (let column = 0; column < COLUMNS; column++) point[(column + turn) % COLUMNS] = SCATTER * (random() - 0.5)
    point[(topic + turn) % COLUMNS]! += 1
    normaliseRow(point)
  })
  return { points, traceIds: traces.map(({ id }) => id) }
}

const SCATTER = 0.6

/** The topic of most of a cluster's traces. */
function topicOf({ assignments }: Discovery, traceIds: readonly string[], cluster: number): number {
  const counts = new Map<number, number>()
  traceIds.forEach((id, index) => {
    const topic = Number(id.split('_')[2])
    if (assignments[index] === cluster) counts.set(topic, (counts.get(topic) ?? 0) + 1)
  })
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? -1
}

/** A project whose new clusters get the ids clu_1, clu_2 … */
export class Project {
  previous: PreviousRun | null = null
  #made = 0

  run(topics: readonly TopicTraces[], options: Partial<ClusteringRequest> & { readonly turn?: number } = {}) {
    const { turn, ...rest } = options
    const request: ClusteringRequest = {
      ...tracesOf(topics, turn),
      embedderVersion: 'one',
      previous: this.previous,
      kMin: 2,
      kMax: 12,
      seed: 1,
      ...rest,
    }
    const discovery = discover(request)
    if (discovery === null) return null
    const ids = discovery.clusters.map(({ id }) => id ?? `clu_${++this.#made}`)
    this.previous = toPreviousRun(discovery, request, ids)
    const idOfTopic = new Map(ids.map((id, cluster) => [topicOf(discovery, request.traceIds, cluster), id]))
    return { discovery, ids, idOfTopic, traceIds: request.traceIds }
  }
}
