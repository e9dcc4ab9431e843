import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import { VERSIONS_DEFAULT } from '@spoor/contract/schemas/versions'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { OnceEvents } from '../../../ports/journal/journal.ts'
import type { FindPatterns, FoundPatterns } from '../find-patterns.ts'
import type { ComparedVersion, CompareVersions, VersionComparison } from './compare-versions.ts'

export interface RegressionDependencies {
  readonly compareVersions: CompareVersions
  readonly findPatterns: FindPatterns
  readonly failureByOf: (projectId: ProjectId) => Promise<string>
  /** Resolves when the events are durable, from this call or an earlier one. */
  readonly commitOnce: (once: OnceEvents) => Promise<void>
  /** The data of the event. */
  readonly print: (regression: Regression) => string
}

export interface Regression {
  readonly version: string
  readonly comparedWith: string
  /** Null: over all runs. */
  readonly cluster: ComparedVersion['clusters'][number]['cluster'] | null
  readonly comparison: VersionComparison
  readonly versionKey: string
  readonly failureBy: string
  /** Of the runs of the version, in the cluster. */
  readonly patterns: FoundPatterns
  /** How many of them the event has. */
  readonly shown: number
}

const PATTERNS_SHOWN = 5

/** Emits each regression of a version once, over all runs and in each cluster. */
export class RegressionReports {
  readonly #dependencies: RegressionDependencies
  /** What the journal has: it would refuse them again. */
  readonly #emitted = new Set<string>()

  constructor(dependencies: RegressionDependencies) {
    this.#dependencies = dependencies
  }

  /** Throws as CompareVersions. */
  async report(projectId: ProjectId): Promise<void> {
    const { compareVersions, failureByOf } = this.#dependencies
    const failureBy = await failureByOf(projectId)
    const asked = { ...requestOf(projectId, {}), failureBy, limit: VERSIONS_DEFAULT }
    const { versionKey, versions } = await compareVersions(asked)
    for (const { version, firstAt, lastAt, comparison, clusters } of versions) {
      if (comparison === null) continue
      const shared = { version, comparedWith: comparison.comparedWith, versionKey, failureBy }
      const all = [{ cluster: null, ...comparison }, ...clusters]
      for (const { cluster, ...one } of all.filter(({ regressed }) => regressed))
        await this.#emit(
          projectId,
          { ...shared, cluster, comparison: one },
          { startTime: firstAt, endTime: lastAt + 1 },
        )
    }
  }

  async #emit(
    projectId: ProjectId,
    found: Omit<Regression, 'patterns' | 'shown'>,
    span: { readonly startTime: number; readonly endTime: number },
  ): Promise<void> {
    const { findPatterns, commitOnce, print } = this.#dependencies
    const { version, cluster, versionKey, failureBy } = found
    const key = `regression ${hash('sha256', JSON.stringify([projectId, versionKey, failureBy, version, cluster?.id]))}`
    if (this.#emitted.has(key)) return
    const request = requestOf(projectId, cluster === null ? {} : { cluster: cluster.id })
    const ofVersion = { ...request, ...span, metadata: [{ key: versionKey, value: version }] }
    const all = await findPatterns({ ...ofVersion, failureBy })
    const patterns = { ...all, patterns: all.patterns.filter(({ moreIn }) => moreIn === 'failed') }
    const data = print({ ...found, patterns, shown: PATTERNS_SHOWN })
    await commitOnce({ projectId, key, events: [{ type: 'version.regressed', data }] })
    this.#emitted.add(key)
  }
}

function requestOf(projectId: ProjectId, filters: object) {
  return { projectId, ...toTraceFilters('lists', filters), metadata: [], startTime: null, endTime: null, text: null }
}
