import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { createMetrics } from '../../operation/metrics.ts'
import { type ClusterSources, clusterFigures } from './cluster-figures.ts'
import { ReadTotals } from './read-totals.ts'

const timers = new ManualTimers()

function sources(): ClusterSources {
  const totals = { batches: 3, commits: 70, bytes: 5000, ms: 1500, failures: 2 }
  return {
    store: { unsettled: [], unsettledBytes: 900 },
    log: { conflicts: 4 },
    settler: { totals, isHolder: true },
    list: { count: 3 },
    outcomes: { answered: 7, unreachable: 0, unknown: 1 },
    oneLease: { takes: 2 },
    isHeld: () => true,
    reads: { postgresql: new ReadTotals(timers), clickhouse: new ReadTotals(timers) },
    leases: new Map([['monitors', { isHolder: false }]]),
  }
}

function print(of: ClusterSources): Promise<string> {
  const zero = () => Promise.resolve(0)
  return createMetrics({
    version: '1',
    journalHead: zero,
    webhooksBehind: zero,
    pendingDeliveries: zero,
    pendingPurges: zero,
    storeSizeBytes: () => 0,
    ingestBufferBytes: () => 0,
    damage: { damagedParts: 0, checksumFailures: 0, lostRows: () => new Map() },
    figures: clusterFigures(of),
    onError: (error) => assert.fail(String(error)),
  }).print()
}

test('a node reports its backlog, batches, conflicts, forwarded requests, leases, and its reads by store', async () => {
  const of = sources()
  const { postgresql, clickhouse } = of.reads
  await postgresql?.around(async () => timers.advance(250))
  await clickhouse?.around(async () => 'an answer')
  const away = new Error('away')
  await assert.rejects(async () => clickhouse?.around(() => Promise.reject(away)), away)
  // Twice: a counter that is set again does not add up.
  await print(of)
  const lines = new Set((await print(of)).split('\n'))
  for (const line of [
    'spoor_unsettled_bytes 900',
    'spoor_unsettled_commits 0',
    'spoor_unsettled_oldest_age_seconds 0',
    'spoor_settle_batches_total 3',
    'spoor_settle_commits_total 70',
    'spoor_settle_bytes_total 5000',
    'spoor_settle_seconds_total 1.5',
    'spoor_settle_failures_total 2',
    'spoor_commit_conflicts_total 4',
    'spoor_nodes 3',
    'spoor_forwarded_requests_total{outcome="answered"} 7',
    'spoor_forwarded_requests_total{outcome="unreachable"} 0',
    'spoor_forwarded_requests_total{outcome="unknown"} 1',
    'spoor_take_overs_total 2',
    'spoor_leases_held{lease="settling"} 1',
    'spoor_leases_held{lease="monitors"} 0',
    'spoor_store_reads_total{store="postgresql"} 1',
    'spoor_store_reads_total{store="clickhouse"} 2',
    'spoor_store_read_seconds_total{store="postgresql"} 0.25',
    'spoor_store_read_failures_total{store="postgresql"} 0',
    'spoor_store_read_failures_total{store="clickhouse"} 1',
  ])
    assert.ok(lines.has(line), line)
})

test('the dashboard and the alert rules name metrics that exist', async () => {
  const printed = await print(sources())
  const existing = new Set([...printed.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
  for (const file of ['grafana-dashboard.json', 'prometheus-rules.yaml']) {
    const text = readFileSync(new URL(`../../../../../deploy/${file}`, import.meta.url), 'utf8')
    const named = new Set([...text.matchAll(/\b(?:spoor|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name))
    assert.ok(named.size >= 8, file)
    for (const name of named) {
      const isKnown = existing.has(name) || existing.has(name.replace(/_(bucket|sum|count)$/, ''))
      assert.ok(isKnown, `${name} of ${file}`)
    }
  }
})
