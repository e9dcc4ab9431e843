import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { hasListed, walkFeed } from '../lib/feed.ts'
import { upload } from '../lib/media/media.ts'
import { createKey, createProject, firstProjectId } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { defineMetrics, FILE, fill, post, SHORT_TRACES } from './fill-store.ts'
import { runSpoor, startSpoor } from './run-spoor.ts'

/** Of June 2023. */
const OLD = 'tr_01h2xcejqtf2nbrexx3vqjhp41'

interface Summary {
  readonly complete: boolean
  readonly committed: number
  readonly replayed: number
  readonly refused: number
  readonly refusals: readonly { readonly line: number; readonly code: string; readonly detail: string }[]
}

interface Part {
  readonly id: string
  readonly from: number
  readonly events_from?: number
  readonly metric_events?: readonly object[]
  readonly flagged: boolean
  readonly trace: { readonly name: string; readonly steps?: readonly { readonly id: string }[] }
}

const folder = mkdtempSync(join(tmpdir(), 'spoor-keep-ids-'))
let files = 0
after(() => rmSync(folder, { recursive: true, force: true }))

async function exportRuns(service: Pick<Service, 'url' | 'key'>): Promise<string> {
  const path = join(folder, `runs-${files++}.jsonl`)
  const settings = { SPOOR_URL: service.url, SPOOR_API_KEY: service.key }
  const run = await runSpoor(['export', 'runs', '--out', path], { settings })
  assert.equal(run.code, 0, run.errors)
  return path
}

async function importRuns(
  { url, key }: { readonly url: string; readonly key: string },
  ...paths: readonly string[]
): Promise<Summary & { readonly code: number | null; readonly errors: string }> {
  const run = await runSpoor(['import', '--keep-ids', '--json', ...paths], {
    settings: { SPOOR_URL: url, SPOOR_API_KEY: key },
  })
  assert.notEqual(run.out, '', run.errors)
  return { code: run.code, errors: run.errors, ...(JSON.parse(run.out) as Summary) }
}

function fileOf(...lines: readonly string[]): string {
  const path = join(folder, `lines-${files++}.jsonl`)
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

const endOf = (rows: number) => `{"complete":true,"rows":${rows}}`
const exportOf = (...lines: readonly string[]) => fileOf(...lines, endOf(lines.length))

const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const idOf = (line: string) => (JSON.parse(line) as Part).id

/** A trace as reads show it, without what an import does not keep: a trace that grows is complete then. */
async function shown(client: Client, id: string): Promise<object> {
  const trace = (await client.get(`/v1/traces/${id}`)).json<Trace>()
  const { growing: _growing, updated_at: _updated, attachments: _media, attachment_count: _count, ...kept } = trace
  const { metric_events, steps, ...fields } = kept
  return {
    ...fields,
    steps: steps.map(({ received_at: _received, attachments, ...step }) => [
      step,
      attachments.map(({ sha256 }) => sha256),
    ]),
    metric_events: metric_events.map(({ id: _id, created_at: _at, created_by: _by, ...event }) => event),
  }
}

describe('spoor export runs, spoor import --keep-ids', () => {
  let source: Service
  let target: Service
  let exported: string
  before(async () => {
    source = await Service.start()
    await fill(source.client)
    exported = await exportRuns(source)
    target = await Service.start()
  })
  after(async () => {
    await source[Symbol.asyncDispose]()
    await target[Symbol.asyncDispose]()
  })

  test('they close the circle into another store: ids, times, statuses, flags, steps and metric events', async () => {
    await defineMetrics(target.client)
    await upload(
      target.client,
      { trace_id: await post(target.client, '/v1/traces', { name: 'own' }), kind: 'file' },
      FILE,
    )
    const { code, committed, replayed, refused, refusals } = await importRuns(target, exported)
    assert.deepEqual([code, refusals], [0, []])
    const lines = linesOf(exported).slice(0, -1)
    assert.deepEqual([committed, replayed, refused], [lines.length, 0, 0])
    const partsOf = (name: string) =>
      lines.map((line) => JSON.parse(line) as Part).filter((one) => one.trace.name === name)
    assert.equal(partsOf('long').length, 3)
    const events = partsOf('scored').map((one) => [one.events_from, one.metric_events?.length])
    assert.deepEqual(events, [
      [undefined, 1000],
      [1000, 1000],
      [2000, 500],
    ])
    assert.equal((await source.client.get('/v1/export?what=runs&format=csv')).status, 422)

    const again = await exportRuns(target)
    const [from, to] = [await firstProjectId(source.client), await firstProjectId(target.client)]
    const back = linesOf(again)
      .slice(0, -1)
      .filter((line) => !line.includes('"name":"own"'))
    assert.deepEqual(
      back,
      lines.map((line) => line.replaceAll(from, to)),
    )

    for (const id of new Set(lines.map(idOf))) {
      assert.deepEqual(await shown(target.client, id), await shown(source.client, id))
    }
  })

  test('imported again, also where the traces were made, all lines are there already', async () => {
    for (const service of [target, source]) {
      const traces = (await walkFeed(service.client)).length
      const { code, committed, replayed } = await importRuns(service, exported)
      assert.deepEqual([code, committed, replayed], [0, 0, linesOf(exported).length - 1])
      assert.equal((await walkFeed(service.client)).length, traces)
    }
  })

  test('a file that is not the whole export is imported and reported, each by its name', async () => {
    const rows = linesOf(exported).filter((line) => line.includes('"name":"run '))
    const [first, second, third] = rows as [string, string, string]
    const cutOff = fileOf(first, second, third.slice(0, -20))
    const whole = exportOf(first, second)
    const withoutRow = fileOf(first, endOf(2))
    const goesOn = fileOf(first, endOf(1), second)
    const said = await importRuns(target, cutOff, whole, withoutRow, goesOn)
    assert.deepEqual([said.code, said.complete, said.committed, said.replayed, said.refused], [1, false, 0, 7, 1])
    assert.match(said.refusals[0]?.code ?? '', /malformed_line/)
    for (const sentence of [
      `${cutOff} has no last line that calls its export complete`,
      `${withoutRow} has another number of rows (1) than its last line states (2)`,
      `${goesOn} goes on after the line that ends an export`,
    ])
      assert.ok(said.errors.includes(sentence), said.errors)
    assert.equal(said.errors.includes(whole), false, said.errors)

    const alone = await importRuns(target, fileOf(first, second))
    assert.deepEqual([alone.code, alone.complete, alone.replayed, alone.refused], [1, false, 2, 0])
    assert.match(alone.errors, /has no last line/)
  })

  test('the files of an export in a folder are whole together, and not without one of them', async () => {
    const to = join(folder, 'parts')
    const settings = { SPOOR_URL: source.url, SPOOR_API_KEY: source.key }
    const run = await runSpoor(['export', 'runs', '--to', to, '--part-mb', '1'], { settings })
    assert.equal(run.code, 0, run.errors)
    const parts = readdirSync(to)
      .filter((name) => name !== 'export.json')
      .map((name) => join(to, name))
      .toSorted()
    assert.ok(parts.length > 1)
    const { code, replayed, errors } = await importRuns(target, ...parts)
    assert.deepEqual([code, replayed], [0, linesOf(exported).length - 1], errors)
    for (const some of [parts.slice(0, -1), parts.slice(1)]) {
      const fewer = await importRuns(target, ...some)
      assert.deepEqual([fewer.code, fewer.refused], [1, 0])
      for (const path of some) assert.ok(fewer.errors.includes(path), fewer.errors)
    }
  })

  test('a store that has some of the traces takes the others, in any order, from several files and after a crash', async () => {
    await using other = await Service.start()
    const all = linesOf(exported).filter((line) => /"name":"(run |long")/.test(line) && !line.includes('metric_events'))
    const runs = all.filter((line) => line.includes('"name":"run ')).slice(0, SHORT_TRACES / 2)
    const [some, others] = [runs.slice(20, 30), [...runs.slice(0, 20), ...runs.slice(30)]]
    assert.equal((await importRuns(other, exportOf(...some))).committed, 10)
    const second = await importRuns(other, exportOf(...others), exportOf(...some.toReversed()))
    assert.deepEqual([second.code, second.committed, second.replayed], [0, runs.length - 10, 10])

    const rest = all.filter((line) => !runs.includes(line))
    const path = exportOf(...rest)
    const settings = { SPOOR_URL: other.url, SPOOR_API_KEY: other.key }
    const slowly = ['--patience', '1', '--concurrency', '1']
    const cutOff = startSpoor(['import', '--keep-ids', '--json', ...slowly, path], settings)
    cutOff.end()
    await hasListed(other.client, runs.length + 10)
    await other.kill()
    assert.equal((await cutOff.finished).code, 1)
    await other.start()
    const { code, committed, replayed } = await importRuns(other, path)
    assert.equal(code, 0)
    assert.ok(replayed >= 10)
    assert.equal(committed + replayed, rest.length)
    assert.deepEqual(linesOf(await exportRuns(other)).slice(0, -1), all)
    assert.deepEqual(
      (await walkFeed(other.client)).map(({ id }) => id),
      [...new Set(all.map(idOf))],
    )
    const made = await post(other.client, '/v1/traces', { name: 'new' })
    assert.equal((await walkFeed(other.client))[0]?.id, made)
  })

  test('lines that cannot be taken are refused alone, with the id and the reason', async () => {
    const line = linesOf(exported).find((one) => one.includes('"name":"run 7"')) ?? ''
    const id = idOf(line)
    const withId = (other: string) => line.replaceAll(id, other)
    const future = 'tr_7zzzzzzzzze2bsvpqm6s4n8r3c'
    const path = exportOf(
      withId(future),
      withId('tr_short'),
      line.replace('run 7', 'run 8'),
      withId(OLD).replace('"flagged":false', '"flagged":"no"'),
      withId(OLD).replace('{"name":"run 7"', '{"nam":"run 7"'),
      withId(OLD).replace('"from":0', '"from":5'),
      withId(OLD),
    )
    const { code, committed, refusals } = await importRuns(target, path)
    assert.deepEqual([code, committed], [1, 1])
    assert.deepEqual(
      refusals.map((one) => [one.line, one.code]),
      [
        [1, 'validation_failed'],
        [2, 'malformed_line'],
        [3, 'trace_id_taken'],
        [4, 'validation_failed'],
        [5, 'validation_failed'],
        [6, 'validation_failed'],
      ],
    )
    for (const [at, told] of [
      [0, future],
      [2, id],
      [3, 'flagged'],
      [4, 'nam'],
      [5, OLD],
    ] as const)
      assert.match(refusals[at]?.detail ?? '', new RegExp(told))
  })

  test('an id that another project has, or that was deleted, is refused with one answer', async () => {
    const admin = target.client
    const { id: projectId } = await createProject(admin, 'other')
    const { secret } = await createKey(admin, projectId, { scopes: ['admin'] })
    const runs = linesOf(exported).filter((line) => line.includes('"name":"run '))
    const [there, deleted] = [runs[0] ?? '', runs[1] ?? '']
    const gone = await admin.call({ method: 'DELETE', path: `/v1/traces/${idOf(deleted)}` })
    assert.equal(gone.status, 204)
    const answers: string[] = []
    for (const [line, key] of [
      [there, secret],
      [deleted, secret],
      [deleted, target.key],
    ] as const) {
      const { refusals } = await importRuns({ url: target.url, key }, exportOf(line))
      answers.push(JSON.stringify(refusals).replaceAll(idOf(line), 'ID'))
    }
    assert.match(answers[0] ?? '', /trace_id_taken/)
    assert.deepEqual(new Set(answers).size, 1)
  })

  test('a key without the scope admin imports nothing', async () => {
    const project = await firstProjectId(target.client)
    const { secret } = await createKey(target.client, project, { scopes: ['ingest', 'read', 'manage'] })
    const run = await runSpoor(['import', '--keep-ids', exported], {
      settings: { SPOOR_URL: target.url, SPOOR_API_KEY: secret },
    })
    assert.equal(run.code, 1)
    assert.match(run.out, /insufficient_scope: .*admin/)
  })
})

test('an old trace is masked as any, and counts in its past: lists, series and monitors', async () => {
  await using service = await Service.start()
  const { client } = service
  await post(client, `/v1/projects/${await firstProjectId(client)}`, { masking: { detectors: ['email'] } }, 'PATCH')
  const watched = async (name: string, window_seconds: number) => {
    const source = { kind: 'traces', measure: 'count' }
    const limit = { aggregation: 'count', comparison: 'gt', threshold: 1000 }
    const id = await post(client, '/v1/monitors', { name, source, window_seconds, ...limit })
    return async () => (await client.get(`/v1/monitors/${id}`)).json<{ last_value: number | null }>().last_value
  }
  const value = await watched('last hour', 3600)
  const made = await post(client, '/v1/traces', { name: 'new' })
  const counts = async () => {
    const range = 'start_time=2023-06-14T00:00:00Z&end_time=2023-06-15T00:00:00Z'
    const answer = await client.get(`/v1/traces/series?measure=count&bucket=all&${range}`)
    return answer.json<{ points: readonly { value: number }[] }>().points.map((point) => point.value)
  }
  assert.deepEqual(await counts(), [])
  await eventually('the new trace is counted', async () => (await value()) === 1)

  const trace = { name: 'of a@example.com', steps: [{ id: `st_${OLD.slice(3)}`, name: 'b@example.com' }] }
  const line = JSON.stringify({ id: OLD, from: 0, flagged: true, flag_reason: 'c@example.com', trace })
  assert.equal((await importRuns(service, exportOf(line))).committed, 1)
  const found = (await client.get(`/v1/traces/${OLD}`)).json<Trace>()
  assert.deepEqual([found.created_at, found.state, found.masked], ['2023-06-14T16:40:03.066Z', 'flagged', { email: 2 }])
  assert.doesNotMatch(JSON.stringify(found), /@example/)
  assert.deepEqual(
    (await walkFeed(client)).map(({ id }) => id),
    [made, OLD],
  )
  assert.deepEqual(await counts(), [1])
  // The stored texts are others than those of the line, which is known by its hash.
  assert.equal((await importRuns(service, exportOf(line))).replayed, 1)
  await post(client, '/v1/traces', { name: 'newer' })
  await eventually('the next trace is counted, the old one is not', async () => (await value()) === 2)
})
