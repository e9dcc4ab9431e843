import { systemTimers } from '../../lib/time/timers.ts'
import type { Figure } from '../../operation/metrics.ts'
import type { Forwarding } from '../../ports/nodes/nodes.ts'
import type { ClusterTelemetry } from '../../storage/cluster/open-cluster-telemetry.ts'
import type { ReadTotals } from './read-totals.ts'

export interface ClusterSources {
  readonly store: Pick<ClusterTelemetry['store'], 'unsettled' | 'unsettledBytes'>
  readonly log: Pick<ClusterTelemetry['log'], 'conflicts'>
  readonly settler: ClusterTelemetry['settler']
  /** By the name of the store. */
  readonly reads: Readonly<Record<string, ReadTotals>>
  readonly list: { readonly count: number }
  readonly outcomes: Forwarding['outcomes']
  readonly oneLease: { readonly takes: number }
  /** Whether a backup is being made. */
  readonly isHeld: () => boolean
  /** By the name of the lease, whether this node holds it. */
  readonly leases: ReadonlyMap<string, { readonly isHolder: boolean }>
}

export function clusterFigures({
  store,
  log,
  settler,
  reads,
  leases,
  list,
  outcomes,
  oneLease,
  isHeld,
}: ClusterSources): readonly Figure[] {
  const { totals } = settler
  const figure = (name: string, help: string, read: () => number) => ({ name: `spoor_${name}`, help, read })
  const byStore = (name: string, help: string, read: (of: ReadTotals) => number) => ({
    name: `spoor_store_${name}`,
    help,
    label: 'store',
    read: () => new Map(Object.entries(reads).map(([named, of]) => [named, read(of)])),
  })
  const ageSeconds = () => {
    const [oldest] = store.unsettled
    return oldest === undefined ? 0 : (systemTimers.now() - oldest.at) / 1000
  }
  const held = () =>
    [['settling', settler] as const, ...leases].map(([name, of]) => [name, Number(of.isHolder)] as const)
  return [
    figure('unsettled_bytes', 'Bytes of commits in memory that wait for ClickHouse', () => store.unsettledBytes),
    figure('unsettled_commits', 'Commits in memory that wait for ClickHouse', () => store.unsettled.length),
    figure('unsettled_oldest_age_seconds', 'How long the oldest of these has been in memory', ageSeconds),
    figure('settle_batches_total', 'Batches of commits that this node moved into ClickHouse', () => totals.batches),
    figure('settle_commits_total', 'Commits in these batches', () => totals.commits),
    figure('settle_bytes_total', 'Bytes of these commits in memory', () => totals.bytes),
    figure('settle_seconds_total', 'Time that these batches took', () => totals.ms / 1000),
    figure('settle_failures_total', 'Batches that failed; each is tried again', () => totals.failures),
    figure('commit_conflicts_total', 'Commits planned again, as another node came first', () => log.conflicts),
    figure('nodes', 'Nodes that run, as far as this one knows', () => list.count),
    {
      name: 'spoor_forwarded_requests_total',
      help: 'Requests for the node of their project, by outcome: answered, unreachable (not sent) or unknown',
      label: 'outcome',
      read: () => new Map(Object.entries(outcomes)),
    },
    figure('take_overs_total', 'Times that this node took the work of one node for all', () => oneLease.takes),
    figure('backup_running', '1 while the log keeps all commits for a backup', () => Number(isHeld())),
    { name: 'spoor_leases_held', help: '1 if this node holds it', label: 'lease', read: () => new Map(held()) },
    byStore('reads_total', 'Reads of a store', ({ count }) => count),
    byStore('read_seconds_total', 'Time of these reads', ({ ms }) => ms / 1000),
    byStore('read_failures_total', 'Reads of a store that failed', ({ failures }) => failures),
  ]
}
