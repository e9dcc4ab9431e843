import { spawnSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { Client } from '../lib/client.ts'
import { serve, upload } from '../lib/media/media.ts'
import { firstProjectId } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'

/** In the archive of a store: what its service answered before it was killed. */
export const ANSWERS_FILE = 'answers.json'
const PARTLY_SETTLED = 30

export interface StoreAnswers {
  readonly key: string
  /** Bodies by path. */
  readonly bodies: Readonly<Record<string, unknown>>
  readonly medium: { readonly uri: string; readonly text: string }
}

/** Fills a new store in `dataDir` with something of every kind, kills its service, and packs the folder. */
export async function makeStore(dataDir: string): Promise<Buffer> {
  const first = await Service.start({ dataDir })
  const medium = await fill(first.client)
  // A stop moves what the log has into the engine.
  await first.stop()
  if (globSync('**/data.bin', { cwd: dataDir }).length === 0) throw new Error('the engine has no part')
  await using service = await Service.start({ dataDir, environment: { SPOOR_BOOTSTRAP_KEY: first.key } })
  const { client, key } = service
  await commit(client, 'in the log')
  const answers: StoreAnswers = { key, bodies: await read(client), medium }
  await service.kill()
  writeFileSync(join(dataDir, ANSWERS_FILE), JSON.stringify(answers))
  const packed = spawnSync('tar', ['--exclude=space-for-deletions', '-cf', '-', '-C', dataDir, '.'], {
    maxBuffer: 2 ** 30,
  })
  if (packed.status !== 0) throw new Error(packed.stderr.toString())
  return zstdCompressSync(packed.stdout)
}

async function fill(client: Client): Promise<StoreAnswers['medium']> {
  const projectId = await firstProjectId(client)
  const create = (path: string, body: object) => send(client, 'POST', path, body, 201)
  await create('/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1 })
  await create('/v1/metrics', { name: 'correct', kind: 'boolean' })
  await create(`/v1/projects/${projectId}/webhooks`, { url: 'https://example.com/hook', events: ['trace.flagged'] })
  await create('/v1/monitors', {
    name: 'failures',
    source: { kind: 'traces', measure: 'error_rate' },
    aggregation: 'avg',
    window_seconds: 300,
    comparison: 'gt',
    threshold: 0.5,
  })
  const ids: string[] = []
  for (let n = 0; n < PARTLY_SETTLED; n++) ids.push(await commit(client, `run ${n}`))
  const [first, second, third] = ids as [string, string, string]
  await create('/v1/metrics/events', { name: 'reward', trace_id: first, value: 0.5, comment: 'half' })
  await create('/v1/metrics/events', { name: 'correct', trace_id: second, passed: true })
  await send(client, 'PATCH', `/v1/traces/${second}`, { flagged: true, reason: 'odd' }, 200)
  await send(client, 'DELETE', `/v1/traces/${third}`, null, 204)
  const text = 'the bytes of a file'
  const uploaded = await upload(client, { trace_id: first, kind: 'file' }, { content: text, filename: 'a.txt' })
  return { uri: uploaded.uri, text }
}

async function commit(client: Client, name: string): Promise<string> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: `words of ${name}` }] }]
  const steps = [
    { name: 'ask', type: 'llm', model: 'gpt-4o', messages, token_usage: { input: 10, output: 5 } },
    { name: 'look up', type: 'tool', status: 'error', error: { type: 'Timeout', message: 'too late' } },
  ]
  const body = { name, user_id: 'user', session_id: 'session', metadata: { tags: ['a'], n: 1.5 }, steps }
  const { id } = (await send(client, 'POST', '/v1/traces', body, 202)) as { id: string }
  return id
}

async function send(client: Client, method: string, path: string, body: object | null, status: number) {
  const sent = body === null ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await client.call({ method, path, ...sent })
  if (answer.status !== status) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return status === 204 ? null : answer.json<unknown>()
}

/** Answers that must stay, whatever a later version adds to them. */
async function read(client: Client): Promise<Record<string, unknown>> {
  const projectId = await firstProjectId(client)
  const { traces } = (await client.get('/v1/traces?limit=1000')).json<{ traces: readonly { id: string }[] }>()
  const paths = [
    '/v1/traces?limit=1000',
    '/v1/traces?q=words&limit=1000',
    '/v1/steps?limit=1000',
    '/v1/metrics',
    '/v1/metrics/events',
    `/v1/projects/${projectId}/webhooks`,
    `/v1/metrics/reward/series?bucket=all&start_time=2020-01-01T00:00:00Z&end_time=${new Date().toISOString()}`,
    ...traces.map(({ id }) => `/v1/traces/${id}`),
  ]
  const bodies: Record<string, unknown> = {}
  for (const path of paths) bodies[path] = await readBody(client, path)
  return bodies
}

export async function readBody(client: Client, path: string): Promise<unknown> {
  const answer = await client.get(path)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.json<unknown>()
}

export async function readMedium(client: Client, uri: string): Promise<string> {
  return (await serve(client, uri)).text
}
