import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import type { ClusterKind } from '@spoor/contract/schemas/cluster'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { Cluster } from '../../ports/clusters/cluster.ts'
import type { OnceEvents } from '../../ports/journal/journal.ts'
import type { FindPatterns, FoundPatterns } from './find-patterns.ts'

/**
 * The events of the clearest patterns of a cluster. Those that an earlier discovery found are refused by their keys.
 */
export type PatternEvents = (
  projectId: ProjectId,
  cluster: Cluster,
  kind: ClusterKind,
  failureBy: string,
) => Promise<readonly OnceEvents[]>

export interface PatternEventDependencies {
  readonly findPatterns: FindPatterns
  /** The data of the event for the one pattern that is found. */
  readonly print: (cluster: Cluster, kind: ClusterKind, found: FoundPatterns, failureBy: string) => string
}

/** Of each cluster. Patterns that are less clear often say the same. */
const MOST_PATTERNS = 3

export function patternEventsOf({ findPatterns, print }: PatternEventDependencies): PatternEvents {
  return async (projectId, cluster, ofKind, failureBy) => {
    if (cluster.errorRate === 0) return []
    const filters = toTraceFilters('lists', { cluster: cluster.id })
    const request = { projectId, ...filters, metadata: [], startTime: null, endTime: null, text: null }
    const found = await findPatterns({ ...request, failureBy })
    const bad = found.patterns.filter(({ moreIn }) => moreIn === 'failed')
    return bad.slice(0, MOST_PATTERNS).map((pattern) => {
      const { kind, name, value } = pattern
      const key = `pattern ${hash('sha256', JSON.stringify([cluster.id, failureBy, kind, name, value]))}`
      const data = print(cluster, ofKind, { ...found, patterns: [pattern] }, failureBy)
      return { projectId, key, events: [{ type: 'cluster.pattern', clusterId: cluster.id, data }] }
    })
  }
}
