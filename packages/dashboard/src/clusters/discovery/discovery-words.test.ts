import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveryJob } from '@spoor/contract/schemas/cluster'
import { hoursInWords, isOtherJob, outcomeOf, progressOf } from './discovery-words.ts'

function jobOf(job: Partial<DiscoveryJob>): DiscoveryJob {
  const times = { created_at: '2026-01-01T00:00:00.000Z', started_at: null, finished_at: null }
  const parameters = { window_hours: 24, k_min: 2, k_max: 12, only_complete: false, failure_by: 'status' }
  return {
    id: 'job_1',
    kind: 'requests',
    selection_id: null,
    status: 'queued',
    progress: null,
    error: null,
    result: null,
    ...parameters,
    ...times,
    ...job,
  }
}

const RESULT = { reason: null, traces: 164, clusters: 7, created: 2, shifted: 1, ended: 0, quality: null }

test('progress grows from phase to phase', () => {
  const shares = (['listing', 'reading', 'embedding', 'clustering', 'saving'] as const).flatMap((phase) =>
    [0, 0.5, 1].map((share) => progressOf(jobOf({ status: 'running', progress: { phase, share } }))!.share),
  )
  assert.deepEqual(
    shares,
    shares.toSorted((one, other) => one - other),
  )
  assert.equal(shares.at(-1), 1)
  assert.equal(progressOf(jobOf({}))?.share, 0)
  assert.equal(progressOf(jobOf({ status: 'succeeded', result: RESULT })), null)
})

test('too few traces are a warning that says what to do', () => {
  const result = { ...RESULT, reason: 'insufficient_data' as const, traces: 1 }
  const outcome = outcomeOf(jobOf({ status: 'succeeded', result, window_hours: 168 }))
  assert.equal(outcome?.kind, 'warn')
  assert.match(outcome.text, /1 trace in the last 7 days\. A discovery needs at least 20/)
})

test('finding fewer clusters than requested is explained', () => {
  const result = { ...RESULT, reason: 'too_few_distinct_traces' as const, clusters: 1 }
  const outcome = outcomeOf(jobOf({ status: 'succeeded', result }))
  assert.equal(outcome?.kind, 'warn')
  assert.match(outcome.text, /^Found 1 cluster in 164 traces: .* fewer than the minimum/)
})

test('a result is one sentence', () => {
  assert.equal(outcomeOf(jobOf({ status: 'running' })), null)
  const found = outcomeOf(jobOf({ status: 'succeeded', result: RESULT }))
  assert.equal(found?.text, 'Found 7 clusters in 164 traces: 2 new, 1 shifted, 0 ended.')
  assert.equal(outcomeOf(jobOf({ status: 'failed', error: 'no memory' }))?.text, 'Discovery failed: no memory')
})

test('a job with other settings is another job', () => {
  const parameters = { window_hours: 24, k_min: 2, k_max: 12, only_complete: false, failure_by: 'status' }
  const same = { kind: 'requests', ...parameters } as const
  assert.equal(isOtherJob(jobOf({}), same), false)
  assert.equal(isOtherJob(jobOf({}), { ...same, window_hours: 48 }), true)
  assert.equal(isOtherJob(jobOf({}), { ...same, failure_by: 'metadata:reward=0' }), true)
})

test('two or more whole days are shown in days, other times in hours', () => {
  assert.deepEqual([1, 24, 30, 168].map(hoursInWords), ['1 hour', '24 hours', '30 hours', '7 days'])
})
