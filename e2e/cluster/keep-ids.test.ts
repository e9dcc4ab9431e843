import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import { runSpoor, startSpoor } from '../import/run-spoor.ts'
import type { Client } from '../lib/client.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { keepCommitting } from '../lib/keep-committing.ts'
import { createKey, createProject } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'
const SHORT_TRACES = 60
/** Of a trace of three parts. */
const MANY = 2500

const servers = await startClusterParts()
if (typeof servers === 'string') test('imports of whole traces into a cluster', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  await testImports(servers)
}

interface Summary {
  readonly committed: number
  readonly replayed: number
  readonly refused: number
  readonly refusals: readonly { readonly code: string }[]
}

async function post(client: Client, path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.json<{ id: string }>().id
}

async function fill(client: Client): Promise<void> {
  await post(client, '/v1/metrics', { name: 'score', kind: 'numeric' })
  const steps = Array.from({ length: MANY }, (_, n) => ({ name: `step ${n}` }))
  await post(client, '/v1/traces', { name: 'long', steps })
  const scored = await post(client, '/v1/traces', { name: 'scored' })
  const events = Array.from({ length: MANY }, (_, n) => ({ name: 'score', value: n, trace_id: scored }))
  await post(client, '/v1/metrics/events', events)
  const runs = Array.from({ length: SHORT_TRACES }, (_, n) => ({
    name: `run ${n}`,
    steps: [{ name: 'a' }, { name: 'b' }],
  }))
  await Promise.all(runs.map((run) => post(client, '/v1/traces', run)))
}

async function testImports({ environment }: ClusterParts): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-cluster-keep-ids-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const settings = { ...environment, SPOOR_BOOTSTRAP_KEY: newSecret(randomBytes) }
  const nodes = await Promise.all([1, 2, 3].map(() => Service.start({ dataDir: NO_FOLDER, environment: settings })))
  after(() => Promise.all(nodes.map((node) => node[Symbol.asyncDispose]())))
  const [a] = nodes as [Service, Service, Service]
  let files = 0
  const exportRuns = async (url: string, key: string): Promise<string> => {
    const path = join(folder, `runs-${files++}.jsonl`)
    const run = await runSpoor(['export', 'runs', '--out', path], { settings: { SPOOR_URL: url, SPOOR_API_KEY: key } })
    assert.equal(run.code, 0, run.errors)
    return readFileSync(path, 'utf8')
  }
  const importRuns = async ({ url }: Pick<Service, 'url'>, key: string, path: string) => {
    const run = await runSpoor(['import', '--keep-ids', '--json', path], {
      settings: { SPOOR_URL: url, SPOOR_API_KEY: key },
    })
    const { committed, replayed, refused, refusals } = JSON.parse(run.out) as Summary
    return { committed, replayed, refused, code: refusals[0]?.code }
  }
  /** A project, a node that has its partition, and one that has not. */
  const newProject = async () => {
    const { id } = await createProject(a.client, 'imported')
    const { secret: key } = await createKey(a.client, id, { scopes: ['ingest', 'read', 'manage', 'admin'] })
    await post(a.client.as(key), '/v1/metrics', { name: 'score', kind: 'numeric' })
    const answer = await a.client.as(key).postTrace({ name: 'own' })
    assert.equal(answer.status, 202, answer.text)
    const holder = answer.headers['x-spoor-node']
    const owner = holder === undefined ? a : nodes.find(({ pid }) => String(holder).includes(`-${pid}-`))
    assert.ok(owner !== undefined)
    const others = nodes.filter((node) => node !== owner)
    await a.client.as(key).call({ method: 'DELETE', path: `/v1/traces/${answer.json<{ id: string }>().id}` })
    return { key, owner, others }
  }

  /** Of a store that exists no more. */
  const newExport = async () => {
    await using source = await Service.start()
    await fill(source.client)
    const exported = await exportRuns(source.url, source.key)
    const path = join(folder, `exported-${files++}.jsonl`)
    writeFileSync(path, exported)
    return { path, exported, count: exported.split('\n').length - 2 }
  }

  test('through nodes that do not hold the project, while another is written: each line once, and the same bytes', async () => {
    const { path, exported, count } = await newExport()
    const { key, others } = await newProject()
    const load = keepCommitting(a.client)
    try {
      assert.deepEqual(await importRuns(others[0]!, key, path), {
        committed: count,
        replayed: 0,
        refused: 0,
        code: undefined,
      })
      assert.deepEqual(await importRuns(others[1]!, key, path), {
        committed: 0,
        replayed: count,
        refused: 0,
        code: undefined,
      })
    } finally {
      await load.stop()
    }
    for (const node of nodes) assert.equal(await exportRuns(node.url, key), exported)
    const elsewhere = await newProject()
    const taken = { committed: 0, replayed: 0, refused: count, code: 'trace_id_taken' }
    assert.deepEqual(await importRuns(others[0]!, elsewhere.key, path), taken)
  })

  test('a node that is killed in the middle: the same import again brings the rest, through any node', async () => {
    const { path, exported, count } = await newExport()
    const { key, owner, others } = await newProject()
    const asked = { SPOOR_URL: others[0]!.url, SPOOR_API_KEY: key }
    const first = startSpoor(['import', '--keep-ids', '--json', path], asked)
    first.end()
    const reader = others[1]!.client.as(key)
    await eventually('some traces are imported', async () => (await walkFeed(reader)).length >= 10)
    await owner.kill()
    const { code, out, errors } = await first.finished
    assert.equal(code, 0, errors)
    assert.equal((JSON.parse(out) as Summary).committed + (JSON.parse(out) as Summary).replayed, count)
    assert.deepEqual(await importRuns(others[1]!, key, path), {
      committed: 0,
      replayed: count,
      refused: 0,
      code: undefined,
    })
    await owner.start()
    for (const node of nodes) assert.equal(await exportRuns(node.url, key), exported)
  })

  test('the node that is asked is killed in the middle: the same import again, through another', async () => {
    const { path, exported, count } = await newExport()
    const { key, owner, others } = await newProject()
    const asked = { SPOOR_URL: others[0]!.url, SPOOR_API_KEY: key }
    const first = startSpoor(['import', '--keep-ids', '--json', '--patience', '1', path], asked)
    first.end()
    const reader = owner.client.as(key)
    await eventually('some traces are imported', async () => (await walkFeed(reader)).length >= 10)
    await others[0]!.kill()
    assert.equal((await first.finished).code, 1)
    const { committed, replayed } = await importRuns(others[1]!, key, path)
    assert.ok(committed > 0 && replayed >= 10, `${committed} and ${replayed}`)
    assert.equal(committed + replayed, count)
    assert.equal(await exportRuns(owner.url, key), exported)
  })
}
