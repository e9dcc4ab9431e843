import { createMetrics } from '../../packages/server/src/operation/metrics.ts'
import { noOutcomes } from '../../packages/server/src/ports/nodes/nodes.ts'
import { clusterFigures } from '../../packages/server/src/profiles/cluster/cluster-figures.ts'
import { ReadTotals } from '../../packages/server/src/profiles/cluster/read-totals.ts'
import { markdownTable } from './markdown-table.ts'

/** What `GET /metrics` prints of Spoor itself, with the text that it prints. */
export async function metricTable(): Promise<string> {
  const printed = await printSample()
  const rows = [...printed.matchAll(/^# HELP (spoor_\w+) (.*)\n# TYPE \w+ (\w+)\n/gm)].map(
    ([, name = '', help = '', type = '']) => [`\`${name}\``, type, labelsOf(printed, name), help],
  )
  return markdownTable([['Metric', 'Type', 'Labels', 'What'], ...rows.toSorted(byFirstCell)])
}

/** One value of each metric: labels are printed with values alone. */
async function printSample(): Promise<string> {
  const zero = () => Promise.resolve(0)
  const metrics = createMetrics({
    version: '0',
    journalHead: zero,
    webhooksBehind: zero,
    pendingDeliveries: zero,
    pendingPurges: zero,
    storeSizeBytes: () => 0,
    ingestBufferBytes: () => 0,
    figures: clusterFigures({
      store: { unsettled: [], unsettledBytes: 0 },
      log: { conflicts: 0 },
      settler: { totals: { batches: 0, commits: 0, bytes: 0, ms: 0, failures: 0 }, isHolder: false },
      reads: { clickhouse: new ReadTotals({ now: () => 0 }) },
      list: { count: 1 },
      outcomes: noOutcomes(),
      oneLease: { takes: 0 },
      isHeld: () => false,
      leases: new Map(),
    }),
    damage: { damagedParts: 0, checksumFailures: 0, lostRows: () => new Map([['traces', 0]]) },
    onError: (error) => {
      throw error
    },
  })
  metrics.requests.observeRequest({ route: '/healthz', method: 'GET', status: 200, seconds: 0 })
  metrics.webhooks.observeAttempt({ result: 'succeeded', durationMs: 0 })
  return metrics.print()
}

function labelsOf(printed: string, name: string): string {
  const labels = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, 'm').exec(printed)?.[1] ?? ''
  const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label).filter((label) => label !== 'le')
  return names.map((label) => `\`${label}\``).join(', ')
}

function byFirstCell([one = '']: readonly string[], [other = '']: readonly string[]): number {
  return one < other ? -1 : 1
}
