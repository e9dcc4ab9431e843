import { EARLIER_RUNS, EARLIER_TRACES } from '../../../packages/server/src/ports/clusters/discovery-memory.ts'
import { createRandom, sampleIndexes } from '../../../packages/clustering/src/partition/seeded-random.ts'
import {
  discover,
  toPreviousRun,
  type Discovery,
  type ClusteringRequest,
} from '../../../packages/clustering/src/discover.ts'
import type { Basis } from '../../../packages/clustering/src/embedding/basis.ts'
import { isUnfamiliar } from '../../../packages/clustering/src/text/familiarity.ts'
import { fitBasis } from '../../../packages/clustering/src/embedding/fit-basis.ts'
import { projectAll } from '../../../packages/clustering/src/embedding/project.ts'
import type { PreviousRun } from '../../../packages/clustering/src/identity/previous-run.ts'
import { IDENTITY_THRESHOLDS, type IdentityThresholds } from '../../../packages/clustering/src/identity/thresholds.ts'
import type { LabelledTrace } from './labelled-traces.ts'

export interface ProjectTrace extends LabelledTrace {
  readonly id: string
}

export interface ClusterRun {
  readonly discovery: Discovery
  readonly ids: readonly string[]
  /** In the order of the run's assignments. */
  readonly traces: readonly ProjectTrace[]
}

const RANK = 256

/**
 * A project that runs discoveries one after the other. Its basis is kept until `refit`, or until `refitIfUnfamiliar`
 * finds an unfamiliar window, as in the service.
 */
export class ClusterProject {
  readonly #thresholds: IdentityThresholds
  readonly #kMax: number
  #basis: Basis
  #fits = 1
  #previous: PreviousRun | null = null
  #former: readonly ProjectTrace[] = []
  /** Of the last runs, the oldest first. */
  #earlier: readonly (readonly ProjectTrace[])[] = []
  #made = 0

  constructor(sample: readonly LabelledTrace[], { thresholds = IDENTITY_THRESHOLDS, kMax = 12 } = {}) {
    this.#thresholds = thresholds
    this.#kMax = kMax
    this.#basis = fit(sample)
  }

  refitIfUnfamiliar(window: readonly ProjectTrace[]): void {
    const features = window.map((trace) => trace.features)
    if (isUnfamiliar(this.#basis, features)) this.refit([...new Set([...this.#former, ...window])])
  }

  refit(sample: readonly LabelledTrace[]): void {
    this.#basis = fit(sample)
    this.#fits++
  }

  run(window: readonly ProjectTrace[], seed: number): ClusterRun {
    const traces = window.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const embedderVersion = `fit ${this.#fits}`
    const refitted = this.#previous !== null && this.#previous.embedderVersion !== embedderVersion
    const request: ClusteringRequest = {
      ...this.embed(traces),
      embedderVersion,
      previous: this.#previous,
      kMin: 2,
      kMax: this.#kMax,
      seed,
      thresholds: this.#thresholds,
      ...(this.#earlier[0] !== undefined && { earlier: this.embed(this.#earlier[0]).points }),
      ...(refitted ? { formerMembers: this.embed(this.#former) } : {}),
    }
    const discovery = discover(request)
    if (discovery === null) throw new Error(`${traces.length} traces are too few`)
    const ids = discovery.clusters.map(({ id }) => id ?? `clu_${++this.#made}`)
    this.#previous = toPreviousRun(discovery, request, ids)
    this.#former = traces
    const sampled = Array.from(sampleIndexes(traces.length, EARLIER_TRACES, createRandom(1)), (at) => traces[at]!)
    this.#earlier = [...this.#earlier, sampled].slice(-EARLIER_RUNS)
    return { discovery, ids, traces }
  }

  embed(traces: readonly ProjectTrace[]): Pick<ClusteringRequest, 'points' | 'traceIds'> {
    return {
      points: projectAll(this.#basis, traces.length, (index) => traces[index]!.features),
      traceIds: traces.map(({ id }) => id),
    }
  }
}

function fit(sample: readonly LabelledTrace[]): Basis {
  const features = sample.map((trace) => trace.features)
  return fitBasis(features, { rank: RANK, random: createRandom(1) })
}

/** Recall times precision: the share of the topic in the cluster times the share of the cluster that is the topic. */
export function recallTimesPrecision({ discovery, traces }: ClusterRun, cluster: number, label: string): number {
  const members = traces.filter((_, index) => discovery.assignments[index] === cluster)
  const hits = members.filter((trace) => trace.label === label).length
  const topic = traces.filter((trace) => trace.label === label).length
  return members.length === 0 || topic === 0 ? 0 : (hits / members.length) * (hits / topic)
}
