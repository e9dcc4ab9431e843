import { createRandom } from '../../../packages/clustering/src/partition/seeded-random.ts'
import { mean } from '../percentile.ts'
import { ClusterProject, recallTimesPrecision, type ClusterRun, type ProjectTrace } from './cluster-project.ts'
import type { LabelledTrace } from './labelled-traces.ts'

/** Traces of a project, in random order. */
export interface Drawn {
  readonly seed: number
  readonly traces: readonly ProjectTrace[]
}

/** `kept`: while it fits, as in the service. `refitted`: for each run on the last and the current window. */
export type BasisUse = 'kept' | 'refitted'

const WINDOWS = 4
/** Share of a window that is about a new topic. */
const NEW_SHARE = 0.08

export function drawnOf(seed: number, draw: (random: () => number) => readonly LabelledTrace[]): Drawn {
  const random = createRandom(seed)
  const traces = draw(random)
    .map((trace, index) => ({ by: random(), trace, index }))
    .sort((a, b) => a.by - b.by || a.index - b.index)
    .map(({ trace }, index) => Object.assign({}, trace, { id: `tr_${String(index).padStart(6, '0')}` }))
  return { seed, traces }
}

/** Two runs on the same traces with other seeds. */
export function repeatedRun({ seed, traces }: Drawn): { readonly kept: number; readonly events: number } {
  const project = new ClusterProject(traces)
  const first = project.run(traces, seed)
  const again = project.run(traces, seed + 1000)
  return { kept: keptShare(first, again), events: again.discovery.changes.length }
}

/**
 * Windows of two thirds of the traces, each moved by a quarter of its size: 75 % are in the next one too; they wrap
 * around.
 */
export function movingWindows(
  { seed, traces }: Drawn,
  basis: BasisUse,
): { readonly before: ClusterRun; readonly run: ClusterRun }[] {
  const size = Math.floor((2 * traces.length) / 3)
  const project = new ClusterProject(traces.slice(0, size))
  let last: ClusterRun | null = null
  return Array.from({ length: WINDOWS }, (_, step) => {
    const from = Math.floor((step * size) / 4)
    const window = Array.from({ length: size }, (_unused, index) => traces[(from + index) % traces.length]!)
    if (basis === 'kept') project.refitIfUnfamiliar(window)
    else if (last !== null) project.refit([...new Set([...last.traces, ...window])])
    const run = project.run(window, seed + step)
    const before = last
    last = run
    return before === null ? [] : [{ before, run }]
  }).flat()
}

/** Mean distance that traces of both runs moved on a map 2 wide. */
export function moveOnMap(before: ClusterRun, after: ClusterRun): number {
  const indexes = new Map(before.traces.map(({ id }, index) => [id, index]))
  const placeOf = ({ discovery }: ClusterRun, index: number): readonly [number, number] => [
    discovery.map.positions[2 * index]!,
    discovery.map.positions[2 * index + 1]!,
  ]
  return mean(
    after.traces.flatMap(({ id }, index) => {
      const then = indexes.get(id)
      if (then === undefined) return []
      const [thenX, thenY] = placeOf(before, then)
      const [nowX, nowY] = placeOf(after, index)
      return [Math.hypot(nowX - thenX, nowY - thenY)]
    }),
  )
}

export interface NewTopicResult {
  /** Clusters that were reported as new. */
  readonly created: number
  /** Recall times precision of the best of them, for the first new topic. */
  readonly best: number
  /** Whether the id of a cluster that was mostly the vanished topic passed to a cluster of other traces. */
  readonly isStolen: boolean
  readonly window: readonly ProjectTrace[]
  /** The first new topic. */
  readonly label: string
}

/** One topic vanishes while `coming` others, each 8 % of the new window, appear. */
export function newTopics({ seed, traces }: Drawn, basis: BasisUse, coming = 1, kMax = 12): NewTopicResult {
  const labels = [...new Set(traces.map(({ label }) => label))]
  const fresh = labels.slice(0, coming)
  const going = labels[coming]!
  const old = traces.filter(({ label }) => !fresh.includes(label))
  const size = Math.floor(0.8 * old.length)
  const first = old.slice(0, size)
  const rest = old.slice(-size).filter(({ label }) => label !== going)
  const each = Math.round((NEW_SHARE * rest.length) / (1 - coming * NEW_SHARE))
  const window = [...rest, ...fresh.flatMap((topic) => traces.filter(({ label }) => label === topic).slice(0, each))]
  const project = new ClusterProject(first, { kMax })
  const before = project.run(first, seed)
  if (basis === 'kept') project.refitIfUnfamiliar(window)
  else project.refit([...new Set([...first, ...window])])
  const run = project.run(window, seed + 1)
  const created = run.discovery.changes.filter(({ kind }) => kind === 'created').map(({ cluster }) => cluster)
  const label = fresh[0]!
  return {
    created: created.length,
    best: Math.max(0, ...created.map((cluster) => recallTimesPrecision(run, cluster, label))),
    isStolen: gaveAway(before, run, going),
    window,
    label,
  }
}

function gaveAway(before: ClusterRun, after: ClusterRun, going: string): boolean {
  return before.ids.some((id, cluster) => {
    const now = after.ids.indexOf(id)
    return now >= 0 && purity(before, cluster, going) > 0.5 && purity(after, now, going) < 0.5
  })
}

function purity({ discovery, traces }: ClusterRun, cluster: number, label: string): number {
  const members = traces.filter((_, index) => discovery.assignments[index] === cluster)
  return members.filter((trace) => trace.label === label).length / Math.max(1, members.length)
}

export function keptShare(before: ClusterRun, after: ClusterRun): number {
  return before.ids.filter((id) => after.ids.includes(id)).length / before.ids.length
}
