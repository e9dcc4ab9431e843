import type { Job } from '@spoor/contract/schemas/deletion'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { upload } from '../lib/media/media.ts'
import { createKey, firstProjectId } from '../lib/projects.ts'
import { commit, create, read, said, send } from './store-calls.ts'
import { repeatedCall } from './store-senders.ts'

const RUNS = 30
/** Times of the past, so that an import may have them. */
const IMPORTED = 'tr_01h2xcejqtf2nbrexx3vqjhp43'
/** Nobody listens there: the delivery stays pending. */
const NOWHERE = 'http://127.0.0.1:9/'

/** What `GET` must find of a project. */
export interface Filled {
  readonly projectId: string
  readonly jobId: string
  /** Each has a delivery. */
  readonly webhookIds: readonly string[]
  readonly monitorId: string
  readonly medium: { readonly uri: string; readonly text: string }
}

/** A run with a call of a model at a price of the project, and a failed step. */
export function runOf(name: string): object {
  const steps = [
    {
      name: 'ask',
      type: 'llm',
      model: 'house-model',
      messages: [said('user', `words of ${name}`)],
      token_usage: { input: 10, output: 5, cache_read: 2 },
      started_at: '2026-01-31T12:00:00Z',
      ended_at: '2026-01-31T12:00:01.5Z',
    },
    { name: 'look up', type: 'tool', status: 'error', error: { type: 'Timeout', message: 'too late' } },
  ]
  const metadata = { tags: ['a'], n: 1.5, release: '2', task: 'refund', question: 'where is it' }
  return { name, run_type: 'agent', user_id: 'user', session_id: 'session', metadata, steps }
}

/** `receiver`: the URL of a webhook that answers. */
export async function fillProject(client: Client, receiver: string): Promise<Filled> {
  const projectId = await firstProjectId(client)
  await define(client, projectId)
  await save(client)
  const webhookIds = [
    await addWebhook(client, projectId, { url: receiver, events: ['trace.flagged'] }),
    await addWebhook(client, projectId, { url: NOWHERE, events: ['metric.event'] }),
  ]
  const monitorId = await watch(client)
  const ids: string[] = []
  for (let n = 0; n < RUNS; n++) ids.push(await commit(client, runOf(`run ${n}`)))
  await commitOthers(client)
  const medium = await addToTraces(client, ids)
  const jobId = await deleteSome(client, ids)
  await haveFired(client, monitorId)
  for (const id of webhookIds) await endDeliveries(client, `/v1/projects/${projectId}/webhooks/${id}`)
  return { projectId, jobId, webhookIds, monitorId, medium }
}

async function define(client: Client, projectId: string): Promise<void> {
  const masking = {
    fields: ['metadata.hidden'],
    detectors: ['email', 'api_key'],
    patterns: [{ name: 'customer', pattern: 'C-[0-9]{6}' }],
  }
  const settings = { version_key: 'release', task_key: 'task', input_path: 'metadata.question', masking }
  await send(client, 'PATCH', `/v1/projects/${projectId}`, settings, 200)
  const { id } = await createKey(client, projectId, { scopes: ['ingest', 'read'] })
  const limits = { requests_per_second: 50, bytes_per_second: 5_000_000 }
  await send(client, 'PATCH', `/v1/projects/${projectId}/keys/${id}`, limits, 200)
  const { id: revoked } = await createKey(client, projectId, { scopes: ['read'] })
  await send(client, 'DELETE', `/v1/projects/${projectId}/keys/${revoked}`, null, 204)
  const price = { input_usd_per_million: 2, output_usd_per_million: 8, cache_read_usd_per_million: 0.5 }
  await send(client, 'PUT', '/v1/prices/house-model', price, 200)
  await create(client, '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1, direction: 'higher' })
  await create(client, '/v1/metrics', { name: 'correct', kind: 'boolean', description: 'as a person says' })
  const options = [{ value: 'good', label: 'Good' }, { value: 'bad' }]
  await create(client, '/v1/metrics', { name: 'grade', kind: 'enum', options })
}

async function save(client: Client): Promise<void> {
  const query = { status: 'error', sort: 'duration_ms', metadata: { n: '1.5', tags: null }, not_user_id: 'ann' }
  const { id } = await create(client, '/v1/views', { name: 'Slow failures', query, display: { range: '24h' } })
  const chart = { rows: 'steps', measure: 'duration_ms', stat: 'p95', group_by: ['tool'], drawn: 'bar' }
  const view = { name: 'By tool', query: { tool: 'find_order' }, form: 'chart', chart }
  await create(client, '/v1/views', view)
  const tiles = [
    { x: 0, y: 0, w: 6, h: 4, view_id: id },
    { x: 6, y: 0, w: 6, h: 4, view },
  ]
  await create(client, '/v1/dashboards', { name: 'Failures', range: '7d', tiles })
}

async function addWebhook(client: Client, projectId: string, body: object): Promise<string> {
  const fields = { ...body, description: 'of the store', secret: 'a secret of sixteen letters' }
  return (await create(client, `/v1/projects/${projectId}/webhooks`, fields)).id
}

/** Returns the id of a monitor of steps, of which one group fires and stays so. */
async function watch(client: Client): Promise<string> {
  const rule = { aggregation: 'avg', window_seconds: 3600, comparison: 'gt', threshold: 0.5 }
  const ofTraces = { ...rule, name: 'failures', source: { kind: 'traces', measure: 'error_rate' } }
  await create(client, '/v1/monitors', { ...ofTraces, filters: { metadata: { n: 1.5 } }, enabled: false })
  const ofMetric = { ...rule, name: 'rewards', source: { kind: 'metric', metric: 'reward' }, consecutive: 3 }
  const { id: changed } = await create(client, '/v1/monitors', { ...ofMetric, enabled: false })
  await send(client, 'PATCH', `/v1/monitors/${changed}`, { resolve_threshold: 0.4, no_data: 'ok' }, 200)
  const ofSteps = { ...rule, name: 'tools', source: { kind: 'steps', measure: 'error_rate' }, for_each: 'tool' }
  return (await create(client, '/v1/monitors', { ...ofSteps, filters: { step_name: 'look up' } })).id
}

/** The group stays fired also without rows. Another change is in the history. */
async function haveFired(client: Client, monitorId: string): Promise<void> {
  const path = `/v1/monitors/${monitorId}`
  const fires = () =>
    eventually('the monitor has fired', async () => (await read<Monitor>(client, path)).state === 'fired')
  await fires()
  await send(client, 'PATCH', path, { threshold: 0.6 }, 200)
  await fires()
}

/** A trace in parts, one with findings, one that is masked, and one with its id. */
async function commitOthers(client: Client): Promise<void> {
  const growing = await commit(client, { name: 'in parts', steps: [] })
  for (let at = 0; at < 4; at++) {
    const lines = repeatedCall(at).map((step, n) => JSON.stringify({ ...step, idempotency_key: `${at}-${n}` }))
    const answer = await client.append(growing, lines.join('\n'))
    if (answer.status !== 200) throw new Error(answer.text)
  }
  await commit(client, {
    name: 'for ann@mail.example',
    metadata: { hidden: { deep: 'secret' }, customer: 'C-123456' },
    steps: [{ name: 'ask', messages: [said('user', 'my key is sk-proj-Zq7x1x1x1x1x1x1x1x1x1x1x1')] }],
  })
  const event = { name: 'reward', trace_id: IMPORTED, value: 0.75, at: '2023-06-20T00:00:00Z', comment: 'imported' }
  const trace = {
    name: 'imported',
    steps: [{ id: 'st_01h2xcejqtf2nbrexx3vqjhp44', name: 'a' }],
    metadata: { old: true },
  }
  const part = { id: IMPORTED, from: 0, flagged: true, flag_reason: 'as it was', trace, metric_events: [event] }
  await send(client, 'PUT', `/v1/traces/${IMPORTED}`, part, 202)
}

async function addToTraces(client: Client, ids: readonly string[]): Promise<Filled['medium']> {
  const [first, second] = ids as [string, string]
  const { steps } = await read<{ steps: { id: string }[] }>(client, `/v1/traces/${first}`)
  const record = (body: object) => create(client, '/v1/metrics/events', body)
  await record({ name: 'reward', trace_id: first, value: 0.5, comment: 'half', idempotency_key: 'once' })
  await record({ name: 'reward', trace_id: first, step_id: steps[0]?.id, value: 1, metadata: { by: 'a person' } })
  await record({ name: 'correct', trace_id: second, passed: true })
  await record({ name: 'grade', trace_id: second, value: 'good' })
  const { id: removed } = await record({ name: 'reward', trace_id: second, value: 0.125 })
  await send(client, 'DELETE', `/v1/metrics/events/${removed}`, null, 204)
  await send(client, 'PATCH', `/v1/traces/${second}`, { flagged: true, reason: 'odd' }, 200)
  const text = 'the bytes of a file'
  const uploaded = await upload(client, { trace_id: first, kind: 'file' }, { content: text, filename: 'a.txt' })
  return { uri: uploaded.uri, text }
}

/** By each way. Returns the id of the job of a deletion by filter. */
async function deleteSome(client: Client, ids: readonly string[]): Promise<string> {
  const [third, fourth, fifth] = ids.slice(2) as [string, string, string]
  await send(client, 'DELETE', `/v1/traces/${third}`, null, 204)
  await send(client, 'DELETE', `/v1/traces/${fourth}?grace_seconds=3600`, null, 204)
  await send(client, 'POST', `/v1/traces/${fourth}/restore`, null, 200)
  await send(client, 'DELETE', `/v1/traces/${fifth}?grace_seconds=3600`, null, 204)
  for (let n = 0; n < 2; n++) await commit(client, { ...runOf(`test run ${n}`), run_type: 'test' })
  const { job_id: jobId } = await send<{ job_id: string }>(
    client,
    'POST',
    '/v1/traces/delete',
    { run_type: 'test' },
    202,
  )
  await eventually('the job has ended', async () => {
    return (await read<Job>(client, `/v1/jobs/${jobId}`)).status === 'succeeded'
  })
  return jobId
}

/**
 * A start removes what was deleted, and so the bodies of deliveries. After that, one more deletion waits for the next
 * start, besides the one that can be restored.
 */
export async function deleteAtLast(client: Client): Promise<void> {
  await eventually('one deletion is pending', async () =>
    /^spoor_deleted_traces_pending\S* 1$/m.test((await client.get('/metrics')).text),
  )
  const id = await commit(client, { name: 'deleted at last', steps: [{ name: 'a' }] })
  await send(client, 'DELETE', `/v1/traces/${id}`, null, 204)
}

/** After an attempt of each delivery, the webhook is disabled, so that no later version sends anything. */
async function endDeliveries(client: Client, path: string): Promise<void> {
  await eventually('each delivery was attempted', async () => {
    const { deliveries } = await read<{ deliveries: { attempt_count: number }[] }>(client, `${path}/deliveries`)
    return deliveries.length > 0 && deliveries.every(({ attempt_count: attempts }) => attempts > 0)
  })
  await send(client, 'PATCH', path, { enabled: false }, 200)
}
