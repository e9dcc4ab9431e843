import { SESSION_COOKIE } from '@spoor/contract/operations/session-operations'
import type { Cluster, ClusterSelectionList } from '@spoor/contract/schemas/cluster'
import type { Client } from '../lib/client.ts'
import type { TestProject } from '../lib/projects.ts'
import type { Service } from '../lib/service.ts'
import { signIn } from '../lib/sessions.ts'
import { answersOf, eventsThrough, type Repeated, type StoreAnswers } from './store-answers.ts'
import { read } from './store-calls.ts'
import { type Filled, runOf } from './store-content.ts'
import type { PastProject } from './store-past.ts'
import { SPANS, SPANS_PATH } from './store-senders.ts'

interface Content {
  readonly past: PastProject
  readonly filled: Filled
  readonly topics: TestProject
}

const ALL = 'limit=1000'

/** Commits what stays in the log, then reads everything. */
export async function readAnswers({ client, key }: Service, content: Content): Promise<StoreAnswers> {
  const { past, filled, topics } = content
  const repeated = [
    await answerOf(client, '/v1/traces', { 'x-api-key': key, 'idempotency-key': 'once' }, runOf('in the log')),
    await answerOf(client, SPANS_PATH, { 'x-api-key': key }, SPANS),
  ]
  const { cookie } = await signIn(client)
  // A cookie is of a port, and of a host without one.
  const browser = { host: 'localhost', cookie: `${SESSION_COOKIE}=${cookie.slice(cookie.indexOf('=') + 1)}` }
  const { id: logged } = repeated[0]!.body as { id: string }
  const now = new Date().toISOString()
  const [first, second, third] = [key, past.key, topics.key].map((secret) => ({ 'x-api-key': secret }))
  const [ofPast, ofTopics] = [client.as(past.key), client.as(topics.key)]
  const pathsOfPast = [
    ...(await pathsOfTraces(ofPast)),
    ...pathsOfMetrics(['reward'], now),
    `/v1/audit?${ALL}&end_time=${now}`,
  ]
  const pathsOfTopics = [...(await pathsOfTraces(ofTopics)), ...(await pathsOfClusters(ofTopics))]
  const always = [
    ...(await answersOf(client, first!, await pathsOf(client, filled, now))),
    ...(await answersOf(client, second!, pathsOfPast)),
    ...(await answersOf(client, third!, pathsOfTopics)),
  ]
  const passing = [
    ...(await answersOf(client, first!, await passingPaths(client, filled))),
    ...(await answersOf(client, second!, [`/v1/jobs/${past.deletionId}`])),
    ...(await answersOf(client, browser, ['/v1/session'])),
  ]
  const events = await eventsThrough(client, key, logged)
  return { key, at: Date.now(), always, passing, events, repeated, medium: filled.medium }
}

async function pathsOf(client: Client, { projectId }: Filled, now: string): Promise<string[]> {
  const project = `/v1/projects/${projectId}`
  const times = `bucket=all&start_time=2020-01-01&end_time=${now}`
  return [
    ...(await pathsOfTraces(client)),
    ...pathsOfMetrics(['reward', 'correct', 'grade'], now),
    `/v1/traces?q=words&${ALL}`,
    `/v1/traces?status=error&model=house-model&meta_key=n&meta_value=1.5&tag=a&${ALL}`,
    `/v1/traces?metric=reward&min_value=0.2&metric_values=reward&metric_values=grade&${ALL}`,
    `/v1/traces?finding=any&${ALL}`,
    `/v1/traces?user_id=user&session_id=session&flagged=true&sort=cost_usd&${ALL}`,
    `/v1/steps?tool=find_order&argument.city=Lisbon&${ALL}`,
    `/v1/traces/series?measure=cost_usd&stat=sum&group_by=run_type&${times}`,
    `/v1/steps/series?measure=total_tokens&stat=sum&group_by=tool&${times}`,
    '/v1/traces/facets?field=metadata.release',
    '/v1/steps/facets?field=argument.city',
    `/v1/sessions?${ALL}`,
    `/v1/users?${ALL}`,
    `/v1/sessions/session?${ALL}`,
    `/v1/users/user?${ALL}`,
    '/v1/views',
    '/v1/dashboards',
    '/v1/prices?model=house-model',
    '/v1/monitors',
    `${project}/webhooks`,
    `${project}/keys`,
    '/v1/projects',
    `/v1/audit?${ALL}&end_time=${now}`,
  ]
}

/** Lists, and each trace as it is read and as it is exported. */
async function pathsOfTraces(client: Client): Promise<string[]> {
  const { traces } = await read<{ traces: { id: string }[] }>(client, `/v1/traces?${ALL}`)
  return [
    `/v1/traces?${ALL}`,
    `/v1/steps?${ALL}`,
    ...traces.flatMap(({ id }) => [`/v1/traces/${id}`, `/v1/traces/${id}/parts`]),
  ]
}

function pathsOfMetrics(names: readonly string[], now: string): string[] {
  const series = `series?bucket=all&start_time=2020-01-01&end_time=${now}`
  return ['/v1/metrics', `/v1/metrics/events?${ALL}`, ...names.map((name) => `/v1/metrics/${name}/${series}`)]
}

async function pathsOfClusters(client: Client): Promise<string[]> {
  const { selections } = await read<ClusterSelectionList>(client, '/v1/clusters/selections')
  const sets = ['', ...selections.map(({ id }) => `?selection_id=${id}`)]
  const paths = ['/v1/clusters/selections', '/v1/clusters/schedule']
  for (const set of sets) {
    const { clusters } = await read<{ clusters: Cluster[] }>(client, `/v1/clusters${set}`)
    for (const at of ['', '/discover', '/map', '/runs']) paths.push(`/v1/clusters${at}${set}`)
    for (const { id } of clusters) paths.push(`/v1/clusters/${id}`, `/v1/traces?cluster=${id}&${ALL}`)
  }
  return paths
}

/** Of what Spoor forgets after a time. */
async function passingPaths(client: Client, { projectId, jobId, webhookIds, monitorId }: Filled): Promise<string[]> {
  const paths = [`/v1/jobs/${jobId}`, `/v1/monitors/${monitorId}/history?${ALL}`]
  for (const id of webhookIds) {
    const list = `/v1/projects/${projectId}/webhooks/${id}/deliveries`
    const { deliveries } = await read<{ deliveries: { id: string }[] }>(client, `${list}?${ALL}`)
    paths.push(`${list}?${ALL}`, ...deliveries.map((delivery) => `${list}/${delivery.id}`))
  }
  return paths
}

async function answerOf(
  client: Client,
  path: string,
  authentication: Readonly<Record<string, string>>,
  body: object,
): Promise<Repeated> {
  const headers = { 'content-type': 'application/json', ...authentication }
  const sent = JSON.stringify(body)
  const answer = await client.as(null).call({ method: 'POST', path, headers, body: sent })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return { path, headers, sent, body: answer.json<unknown>() }
}
