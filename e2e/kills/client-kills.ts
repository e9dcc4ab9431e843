import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '@spoor/contract/schemas/deletion'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { langfuseObservations, langfuseScores, langfuseTrace } from '../import/peer-rows.ts'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import type { Service } from '../lib/service.ts'
import { BASE, killAndStart, type KillPlace } from './kill-place.ts'

const DELETED_TRACES = 300
const STEPS = [{ name: 'one' }, { name: 'two' }, { name: 'three' }]
const IMPORTED_TRACES = 100
const RUN_TRACES = 150
const JSON_TYPE = { 'content-type': 'application/json' }

export type Deleted = 'filter' | 'user'

/** Kills the service while it deletes: each trace is whole or gone, and the deletion goes on. */
export class DeletionKills {
  readonly #place: KillPlace
  readonly #durations = new Map<Deleted, number>()
  #rounds = 0

  constructor(place: KillPlace) {
    this.#place = place
  }

  async strike(by: Deleted): Promise<void> {
    const { service, random } = this.#place
    // Killed deletions last longer: the first one is not killed.
    const durationMs = this.#durations.get(by) ?? (await this.#delete(by, async () => undefined))
    this.#durations.set(by, durationMs)
    await this.#delete(by, async () => {
      await sleep(random.next() * durationMs)
      await killAndStart(service)
      this.#place.killed += 1
    })
  }

  async #delete(by: Deleted, strike: () => Promise<void>): Promise<number> {
    const place = this.#place
    this.#rounds += 1
    const name = `deleted ${this.#rounds}`
    const ids = await place.commit(place.shareOf(DELETED_TRACES), { name, user_id: name, steps: STEPS })
    const others = (await place.countTraces()) - ids.length
    const began = performance.now()
    const call = (method: string, path: string, body?: string) =>
      place.service.client.call({ method, path, ...(body === undefined ? {} : { headers: JSON_TYPE, body }) })
    const answer =
      by === 'user'
        ? await call('DELETE', `/v1/users/${encodeURIComponent(name)}`)
        : await call('POST', '/v1/traces/delete', JSON.stringify({ name }))
    const { job_id: id } = answer.json<{ job_id: string }>()
    await strike()
    await this.#expectWhole(name, ids)
    const job = async () => (await place.service.client.get(`/v1/jobs/${id}`)).json<Job>()
    // There is a receipt before the bytes have left the disk.
    const hasEnded = ({ status, result }: Job) => (by === 'user' ? result !== null : status === 'succeeded')
    await eventually('the deletion has ended', async () => hasEnded(await job()))
    const duration = performance.now() - began
    const { done, result } = await job()
    place.expect(done === ids.length, `a deletion counts ${done} of ${ids.length} traces`)
    if (by === 'user') {
      const { traces, steps } = result ?? {}
      const isRight = traces === ids.length && steps === ids.length * STEPS.length
      place.expect(isRight, `a receipt has ${traces} traces and ${steps} steps`)
    }
    place.expect(
      (await place.countTraces()) === others,
      `of ${others} other traces, some are gone or deleted ones stay`,
    )
    return duration
  }

  async #expectWhole(name: string, ids: readonly string[]): Promise<void> {
    const { service, violations } = this.#place
    const gone = new Set<string>()
    for (const id of ids) {
      const answer = await service.client.get(`/v1/traces/${id}`)
      if (answer.status === 404) gone.add(id)
      else if (answer.json<Trace>().steps.length !== STEPS.length) violations.push(`the trace ${id} is half deleted`)
    }
    const listed = await service.client.get(`/v1/steps?limit=1000&name=${encodeURIComponent(name)}`)
    const { steps } = listed.json<{ steps: readonly { trace_id: string }[] }>()
    for (const [id, own] of Map.groupBy(steps, ({ trace_id: of }) => of)) {
      if (gone.has(id)) violations.push(`steps of the deleted trace ${id} are listed`)
      if (own.length !== STEPS.length) violations.push(`of the trace ${id}, ${own.length} steps are listed`)
    }
  }
}

/** Kills an export to a folder or a file: what is complete says so, and the same command goes on with the rest. */
export async function killExport(place: KillPlace): Promise<void> {
  const whole = (await place.service.client.get(`/v1/export?what=traces&format=jsonl&name=${BASE}`)).text
  const path = place.newPath('export')
  const isFolder = place.random.chance(0.7)
  const to = isFolder ? ['--to', path, '--part-mb', '1'] : ['--out', path]
  const args = ['export', 'traces', '--name', BASE, ...to]
  const read = isFolder ? readParts : readFile
  if (await place.kill('export', args)) {
    const killed = read(path)
    place.expect(killed === null || killed === whole, 'a killed export is called complete')
    if (killed === null) await place.run('export', args)
  }
  place.expect(read(path) === whole, 'an export that went on has other rows')
  rmSync(path, { recursive: true })
}

/** Null unless its manifest calls it complete. */
function readParts(folder: string): string | null {
  const path = join(folder, 'export.json')
  if (!existsSync(path)) return null
  const { complete, parts } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly complete: boolean
    readonly parts: readonly { readonly name: string }[]
  }
  return complete ? parts.map(({ name }) => readFileSync(join(folder, name), 'utf8')).join('') : null
}

function readFile(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/** Kills an import from Langfuse: the same command again imports the rest, and nothing twice. */
export async function killImport(place: KillPlace): Promise<void> {
  const user = place.newPath('user')
  const names = Array.from({ length: place.shareOf(IMPORTED_TRACES) }, (_, n) => `${user} ${n}`)
  const rows = names.flatMap((name) => [
    { ...langfuseTrace(name), user_id: user },
    ...langfuseObservations(name),
    ...langfuseScores(name),
  ])
  const paths = [langfuseTrace, langfuseObservations, langfuseScores].map((_, kind) => {
    const path = place.newPath('rows.jsonl')
    const own = rows.filter((row) => kindOf(row) === kind)
    writeFileSync(path, own.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return path
  })
  const args = ['import', '--from', 'langfuse', ...paths]
  if (await place.kill('import', args)) await place.run('import', args)
  const found = await walkFeed(place.service.client, { user_id: user })
  place.expect(
    found
      .map(({ name }) => name)
      .toSorted()
      .join() === names.toSorted().join(),
    `${found.length} of ${names.length} imported traces exist`,
  )
  for (const { id } of found) {
    const { steps, metric_events: events } = (await place.service.client.get(`/v1/traces/${id}`)).json<Trace>()
    place.expect(steps.length === 3, `an imported trace has ${steps.length} steps`)
    place.expect(events.length === 1, `an imported trace has ${events.length} scores`)
  }
  for (const path of paths) rmSync(path)
}

/** Kills an export of whole traces and its import into another store, which then prints the same. */
export async function killRuns(place: KillPlace, other: Service): Promise<void> {
  const name = place.newPath('runs')
  const runs = place.shareOf(RUN_TRACES)
  await place.commit(runs, { name, steps: STEPS, metadata: { text: 'x'.repeat(2000) } })
  const [path, again] = [`${name}.jsonl`, `${name}-again.jsonl`]
  const exportTo = (to: string) => ['export', 'runs', '--name', name, '--out', to]
  if (await place.kill('export runs', exportTo(path))) {
    place.expect(!existsSync(path), 'a killed export of runs is there')
    await place.run('export runs', exportTo(path))
  }
  const args = ['import', '--keep-ids', path]
  if (await place.kill('import runs', args, other)) await place.run('import runs', args, other)
  await place.run('export runs', exportTo(again), other)
  const [sent, found] = [readFileSync(path, 'utf8'), readFileSync(again, 'utf8')]
  place.expect(sent.split('\n').length > runs && found === sent, 'imported runs are not those that were exported')
  for (const file of [path, again]) rmSync(file)
}

function kindOf(row: object): number {
  return 'value' in row ? 2 : 'start_time' in row ? 1 : 0
}
