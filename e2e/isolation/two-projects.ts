import assert from 'node:assert/strict'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import type { StepPage } from '@spoor/contract/schemas/traces/step'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { fillPath, type LiveOperation } from '../lib/live-operations.ts'
import { upload, uploadCall } from '../lib/media/media.ts'
import { createKey, createProject } from '../lib/projects.ts'
import { openTail } from '../lib/tail.ts'

/** Part of every text of the foreign project; nobody else must see it. */
export const SECRET = 'foreign-secret'

export interface Ids {
  readonly projectId: string
  readonly keyId: string
  readonly traceId: string
  readonly stepId: string
  readonly mediaUri: string
  readonly metricName: string
  readonly metricEventId: string
  readonly monitorId: string
  readonly viewId: string
  readonly dashboardId: string
  readonly webhookId: string
  readonly deliveryId: string
  /** The project has no clusters, because it has too few traces. */
  readonly clusterId: string
  /** Of its traces; it is their user id too. */
  readonly sessionId: string
  readonly jobId: string
  readonly deletionId: string
  readonly selectionId: string
}

export interface ProjectWorld extends Ids {
  readonly client: Client
  readonly feedCursor: string
  readonly stepsCursor: string
  readonly keysCursor: string
  readonly lastEventId: string
}

const MONITOR = {
  name: 'own',
  source: { kind: 'traces', measure: 'error_rate' },
  aggregation: 'avg',
  window_seconds: 60,
  comparison: 'gt',
  threshold: 0.5,
  // Disabled, so that two reads are equal.
  enabled: false,
}

/** Nobody listens there and there are no such events, so that two reads are equal after one ping. */
const WEBHOOK = { url: 'http://127.0.0.1:9/hook', events: ['cluster.created'] }

/** A project with a resource of every kind. */
export async function fillProject(admin: Client, name: string): Promise<ProjectWorld> {
  const project = await createProject(admin, `project ${name}`)
  await createKey(admin, project.id, { scopes: ['read'] })
  const client = admin.as(project.key)
  const step = {
    name: `step ${name}`,
    model: name,
    messages: [{ role: 'user', content: [{ type: 'text', text: name }] }],
  }
  const body = { name, session_id: name, user_id: name, metadata: { [name]: name }, steps: [step, step] }
  const made = await client.postTrace(body, { 'idempotency-key': 'the same in both' })
  assert.equal(made.status, 202, made.text)
  const { id, step_ids } = made.json<{ id: string; step_ids: string[] }>()
  await client.postTrace(body)
  const fields = { trace_id: id, step_id: step_ids[0] as string, kind: 'file' }
  const { uri } = await upload(client, fields, { content: `${name} was here`, filename: `${name}.log` })
  const metricName = `metric ${name}`
  const metric = JSON.stringify({ name: metricName, kind: 'boolean', description: name })
  const json = { 'content-type': 'application/json' }
  const defined = await client.call({ method: 'POST', path: '/v1/metrics', headers: json, body: metric })
  assert.equal(defined.status, 201, defined.text)
  const judged = JSON.stringify({ name: metricName, trace_id: id, passed: true, comment: name })
  const recorded = await client.call({ method: 'POST', path: '/v1/metrics/events', headers: json, body: judged })
  assert.equal(recorded.status, 201, recorded.text)
  const monitor = await client.call({
    method: 'POST',
    path: '/v1/monitors',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...MONITOR, name, filters: { metadata: { [name]: name } } }),
  })
  assert.equal(monitor.status, 201, monitor.text)
  const view = await client.call({
    method: 'POST',
    path: '/v1/views',
    headers: json,
    body: JSON.stringify({ name, query: { name }, display: { range: name } }),
  })
  assert.equal(view.status, 201, view.text)
  const dashboard = await client.call({
    method: 'POST',
    path: '/v1/dashboards',
    headers: json,
    body: JSON.stringify({ name, range: name, tiles: [] }),
  })
  assert.equal(dashboard.status, 201, dashboard.text)
  const { webhookId, deliveryId } = await addWebhook(client, project.id, name)
  const discovery = await client.call({ method: 'POST', path: '/v1/clusters/discover', headers: json, body: '{}' })
  assert.equal(discovery.status, 202, discovery.text)
  const selected = await client.call({
    method: 'POST',
    path: '/v1/clusters/discover',
    headers: json,
    body: JSON.stringify({ filters: { name } }),
  })
  assert.equal(selected.status, 202, selected.text)
  const nothing = JSON.stringify({ name: 'no trace has this name' })
  const deletion = await client.call({ method: 'POST', path: '/v1/traces/delete', headers: json, body: nothing })
  assert.equal(deletion.status, 202, deletion.text)
  const tail = await openTail(client.url, project.key, { 'last-event-id': '0' })
  await tail.until(({ events }) => events.length === 2)
  tail.close()
  return {
    client,
    projectId: project.id,
    keyId: project.keyId,
    traceId: id,
    stepId: step_ids[0] as string,
    mediaUri: uri,
    metricName,
    metricEventId: recorded.json<{ id: string }>().id,
    monitorId: monitor.json<{ id: string }>().id,
    viewId: view.json<{ id: string }>().id,
    dashboardId: dashboard.json<{ id: string }>().id,
    webhookId,
    deliveryId,
    clusterId: 'clu_01h2xcejqtf2nbrexx3vqjhp41',
    selectionId: selected.json<{ selection_id: string }>().selection_id,
    sessionId: name,
    jobId: discovery.json<{ job_id: string }>().job_id,
    deletionId: deletion.json<{ job_id: string }>().job_id,
    feedCursor: (await client.get('/v1/traces?limit=1')).json<TraceFeed>().next_cursor as string,
    stepsCursor: (await client.get(`/v1/traces/${id}/steps?limit=1`)).json<StepPage>().next_cursor as string,
    keysCursor: (await client.get(`/v1/projects/${project.id}/keys?limit=1`)).json<{ next_cursor: string }>()
      .next_cursor,
    lastEventId: tail.lastEventId as string,
  }
}

/** With a delivery that has failed. */
async function addWebhook(client: Client, projectId: string, name: string) {
  const path = `/v1/projects/${projectId}/webhooks`
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...WEBHOOK, description: name, secret: `${name} of sixteen letters` })
  const made = await client.call({ method: 'POST', path, headers, body })
  assert.equal(made.status, 201, made.text)
  const webhookId = made.json<{ id: string }>().id
  const pinged = await client.call({ method: 'POST', path: `${path}/${webhookId}/ping` })
  assert.equal(pinged.status, 202, pinged.text)
  const deliveryId = pinged.json<{ id: string }>().id
  const delivery = `${path}/${webhookId}/deliveries/${deliveryId}`
  const isFailed = async () => (await client.get(delivery)).json<{ status: string }>().status === 'failed'
  await eventually('the ping failed', isFailed)
  return { webhookId, deliveryId }
}

/** The path of an operation with ids for its parameters. */
export function pathWith(operation: LiveOperation, ids: Ids): string {
  const {
    projectId,
    keyId,
    traceId,
    stepId,
    metricName,
    monitorId,
    webhookId,
    deliveryId,
    clusterId,
    jobId,
    sessionId,
  } = ids
  const filled = fillPath(operation.path, (name, path) => {
    if (name === 'key_id') return keyId
    if (name === 'name' && path.startsWith('/v1/metrics/')) return encodeURIComponent(metricName)
    if (name === 'project_id') return projectId
    if (name === 'delivery_id') return deliveryId
    if (name === 'token') return 'token'
    if (name === 'model') return 'house-model'
    if (name === 'name') return 'a metric of nobody'
    if (name === 'id' && path.startsWith('/v1/traces/')) return traceId
    if (name === 'id' && path.startsWith('/v1/steps/')) return stepId
    if (name === 'id' && path.startsWith('/v1/monitors/')) return monitorId
    if (name === 'id' && path.startsWith('/v1/metrics/events/')) return ids.metricEventId
    if (name === 'id' && path.startsWith('/v1/views/')) return ids.viewId
    if (name === 'id' && path.startsWith('/v1/dashboards/')) return ids.dashboardId
    if (name === 'id' && path.includes('/webhooks/')) return webhookId
    if (name === 'id' && path.startsWith('/v1/clusters/selections/')) return ids.selectionId
    if (name === 'id' && path.startsWith('/v1/clusters/')) return clusterId
    if (name === 'job_id') return jobId
    if (name === 'id' && path.startsWith('/v1/jobs/')) return ids.deletionId
    if (name === 'session_id' || name === 'user_id') return sessionId
    if (name === 'id' && path.startsWith('/v1/projects/')) return projectId
    throw new Error(`say in two-projects.ts what {${name}} of ${path} is`)
  })
  return operation.operationId === 'findOrigins' ? `${filled}?step_id=${stepId}` : filled
}

/** A valid body for the operation. */
export function bodyFor({ operationId, requestContentType }: LiveOperation) {
  if (requestContentType === null) return {}
  if (operationId === 'putDirectUpload') return { headers: { 'content-type': 'text/plain' }, body: 'bytes' }
  if (operationId === 'uploadMedia') {
    const { headers, body } = uploadCall({ kind: 'file' }, { content: 'own' })
    return { headers: headers ?? {}, body: body ?? '' }
  }
  const bodies: Readonly<Record<string, object>> = {
    commitTrace: { name: 'own' },
    appendSteps: { name: 'own step' },
    patchTrace: { flagged: true },
    importTrace: {
      id: 'tr_01h2xcejqtf2nbrexx3vqjhp41',
      from: 0,
      flagged: false,
      flag_reason: null,
      trace: { name: 'x' },
    },
    defineMetric: { name: 'own', kind: 'boolean' },
    patchMetric: { description: 'own' },
    recordMetricEvents: { name: 'own', trace_id: 'tr_01h2xcejqtf2nbrexx3vqjhp41', passed: true },
    createMonitor: MONITOR,
    patchMonitor: { threshold: 0.3 },
    previewMonitor: MONITOR,
    createView: { name: 'another', query: {} },
    patchView: { name: 'another' },
    createDashboard: { name: 'another', range: '24h', tiles: [] },
    patchDashboard: { name: 'another' },
    createWebhook: WEBHOOK,
    patchWebhook: { description: 'own' },
    rotateWebhookSecret: {},
    redeliverFailed: { since: '2026-01-31' },
    renameCluster: { label: 'own' },
    discoverClusters: {},
    setClusterSchedule: { enabled: false },
    createProject: { name: 'own' },
    changeProject: { span_filter: 'keep' },
    previewMasking: { masking: { fields: [], detectors: ['email'], patterns: [] } },
    putPrice: { input_usd_per_million: 1, output_usd_per_million: 2 },
    createKey: { name: 'own', scopes: ['read'] },
    deleteTraces: { name: 'own' },
    changeKey: { requests_per_second: 5 },
    signIn: { key: 'of nobody' },
    switchProject: { project_id: 'proj_01h2xcejqtf2nbrexx3vqjhp41' },
  }
  const body = bodies[operationId]
  if (body === undefined) throw new Error(`say in two-projects.ts what ${operationId} takes`)
  return { headers: { 'content-type': requestContentType }, body: JSON.stringify(body) }
}
