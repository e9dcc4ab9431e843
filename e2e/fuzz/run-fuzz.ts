import type { AppendResponse } from '@spoor/contract/schemas/traces/line-result'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import type { Answer, Client } from '../lib/client.ts'
import { walkFeed } from '../lib/feed.ts'
import { serve, sha256 } from '../lib/media/media.ts'
import { createProject } from '../lib/projects.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { oddStep, oddTrace } from './bodies.ts'
import { findFault, isCode } from './check-answer.ts'
import { compareStep, compareTrace } from './compare-stored.ts'
import { anyJson } from './hostile.ts'
import { oddForm } from './forms.ts'
import { hugeCases } from './huge-cases.ts'
import { toOddBytes } from './mutate.ts'
import { headerText, oddCall } from './queries.ts'
import { rawElements, rawMembers } from './raw-members.ts'
import { rawRequests, sendRaw } from './raw-requests.ts'

export interface FuzzReport {
  readonly bodies: number
  readonly lines: number
  readonly queries: number
  readonly forms: number
  readonly rawRequests: number
  readonly acceptedTraces: number
  readonly acceptedSteps: number
  readonly violations: readonly string[]
}

const CONCURRENCY = 12
const LINES_PER_REQUEST = 10

/** The seed decides every request, so that a finding can be reproduced. */
export async function runFuzz(options: { readonly seed: number; readonly cases: number }): Promise<FuzzReport> {
  // Growing traces become complete only after the last comparison.
  await using service = await Service.start({ environment: { SPOOR_TRACE_QUIET_SECONDS: '3600' } })
  // Awaited here, because the service ends with this function.
  return await new FuzzRun(service, options.seed).run(options.cases)
}

class FuzzRun {
  readonly #service: Service
  readonly #client: Client
  readonly #seed: number
  readonly #violations: string[] = []
  readonly #cursors: string[] = []
  /** Each accepted trace as read right after its answer. */
  readonly #readBack = new Map<string, string>()
  readonly #changed = new Set<string>()
  #lastTraceId = ''
  #counts = { bodies: 0, lines: 0, queries: 0, forms: 0, rawRequests: 0, acceptedTraces: 0, acceptedSteps: 0 }

  constructor(service: Service, seed: number) {
    this.#service = service
    this.#client = service.client
    this.#seed = seed
  }

  /** For 100 cases: 40 trace bodies, 40 NDJSON lines, 20 queries and headers, and 10 additional forms. */
  async run(cases: number): Promise<FuzzReport> {
    const other = this.#client.as((await createProject(this.#client, 'neighbour')).key)
    const sentinels = [await this.#plant(this.#client), await this.#plant(other)]
    const before = await Promise.all(sentinels.map((sentinel) => sentinel()))
    await this.#collectCursors()

    await this.#spread(Math.ceil(cases * 0.4), (random) => this.#sendBody(random))
    await this.#spread(Math.ceil((cases * 0.4) / LINES_PER_REQUEST), (random) => this.#sendLines(random))
    await this.#spread(Math.ceil(cases * 0.2), (random) => this.#sendQuery(random))
    await this.#spread(Math.ceil(cases * 0.1), (random) => this.#sendForm(random))
    for (const [label, send] of hugeCases(this.#client)) this.#take(label, await send())
    for (const bytes of rawRequests(this.#service.key)) {
      const fault = await sendRaw(this.#service.url, bytes)
      this.#counts.rawRequests += 1
      if (fault !== null) this.#violate(`raw ${JSON.stringify(bytes.slice(0, 100))}`, fault)
    }

    const after = await Promise.all(sentinels.map((sentinel) => sentinel()))
    if (before.join() !== after.join()) this.#violate('neighbours', `changed from ${before.join()} to ${after.join()}`)
    await this.#checkCounts(other)
    await this.#readAgain()
    const errors = this.#service.log.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line))
    return { ...this.#counts, violations: [...this.#violations, ...errors] }
  }

  /** A trace that later requests must not change; the result reads it in every way. */
  async #plant(client: Client): Promise<() => Promise<string>> {
    const step = {
      name: 'sentinel step',
      model: 'sentinel',
      messages: [{ role: 'user', content: [] }],
      metadata: { a: 1 },
    }
    const made = await client.postTrace({ name: 'sentinel', metadata: { sentinel: true }, steps: [step, step] })
    const { id } = made.json<{ id: string }>()
    return async () => {
      const paths = [
        `/v1/traces/${id}`,
        `/v1/traces/${id}/steps`,
        '/v1/traces?name=sentinel',
        '/v1/traces?model=sentinel',
      ]
      return (await Promise.all(paths.map((path) => client.get(path)))).map(({ text }) => text).join('\n')
    }
  }

  async #collectCursors(): Promise<void> {
    for (let i = 0; i < 3; i++)
      await this.#client.postTrace({ name: `cursor ${i}`, steps: [{ name: 'a' }, { name: 'b' }] })
    this.#counts.acceptedTraces += 3
    for (const sort of ['created_at', 'step_count']) {
      const page = (await this.#client.get(`/v1/traces?limit=1&sort=${sort}`)).json<TraceFeed>()
      this.#cursors.push(page.next_cursor as string)
      this.#lastTraceId = page.traces[0]?.id as string
    }
  }

  async #spread(count: number, send: (random: Random) => Promise<void>): Promise<void> {
    let next = 0
    const kind = send.toString().length
    const worker = async () => {
      while (next < count) {
        const random = createRandom(this.#seed * 1_000_003 + kind * 100_003 + next++)
        await send(random).catch((error: unknown) => this.#violate(`case ${next}`, String(error)))
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  }

  async #sendBody(random: Random): Promise<void> {
    const body = toOddBytes(random, oddTrace(random))
    const headers = random.chance(0.2) ? { 'idempotency-key': `${random.word(8)}${headerText(random)}` } : {}
    const answer = await this.#client.postTrace(body, headers)
    this.#counts.bodies += 1
    const label = `body ${body.toString()}`
    this.#take(label, answer)
    if (answer.status !== 202) return
    this.#counts.acceptedTraces += 1
    const { id } = answer.json<{ id: string }>()
    this.#lastTraceId = id
    const stored = await this.#client.get(`/v1/traces/${id}`)
    this.#take(label, stored)
    if (stored.status !== 200) return this.#violate(label, `accepted, and read back with ${stored.status}`)
    this.#readBack.set(id, stored.text)
    for (const difference of compareTrace(body.toString(), stored.text)) this.#violate(label, difference)
    if (random.chance(0.3)) await this.#findAgain(random, label, id, body.toString())
  }

  /** Finds it by its own values: a filter must match exactly, whatever its characters. */
  async #findAgain(random: Random, label: string, id: string, body: string): Promise<void> {
    const members = rawMembers(body)
    const filters = ['name', 'session_id', 'user_id', 'run_type'].filter((name) => members.has(name))
    const name = random.pick(filters)
    const parameters = new URLSearchParams({ [name]: JSON.parse(members.get(name) as string) as string, limit: '1000' })
    const metadata = [...rawMembers(members.get('metadata') ?? '{}')]
    const [key, value] = metadata.length > 0 ? random.pick(metadata) : [null, null]
    if (key !== null && key !== '' && key.isWellFormed()) {
      parameters.append('meta_key', key)
      if (value.isWellFormed() && value.length < 5000) parameters.append('meta_value', value)
    }
    const found = await this.#client.get(`/v1/traces?${parameters}`)
    this.#take(label, found)
    if (found.status === 200 && found.text.includes(id)) return
    // Common values have several pages. The newest traces come first, so the trace is on the first page.
    this.#violate(label, `not found again by ${parameters}: ${found.status} ${found.text.slice(0, 200)}`)
  }

  async #sendLines(random: Random): Promise<void> {
    const { id } = (await this.#client.postTrace({ name: 'lines' })).json<{ id: string }>()
    this.#counts.acceptedTraces += 1
    const lines = Array.from({ length: LINES_PER_REQUEST }, () => toOddBytes(random, oddStep(random)))
    const ends = lines.map(() => Buffer.from(random.pick(['\n', '\n', '\n', '\r\n', '\n\n'])))
    const body = Buffer.concat(lines.flatMap((line, index) => [line, ends[index] as Buffer]))
    const streamed = random.chance(0.3)
    const answer = await this.#client.append(id, body, streamed ? { accept: 'application/x-ndjson' } : {})
    this.#counts.lines += lines.length
    const label = `lines ${body.toString()}`
    this.#take(label, answer)
    if (answer.status !== 200 && answer.status !== 207) return this.#violate(label, `${answer.status} ${answer.text}`)
    const results = verdictsOf(answer, streamed)
    const physical = splitLines(body)
    const stored = await this.#client.get(`/v1/traces/${id}`)
    this.#take(label, stored)
    this.#readBack.set(id, stored.text)
    const steps = rawElements(rawMembers(stored.text).get('steps') ?? '[]')
    const expected = physical.filter(({ text }) => !/^[ \t\r]*$/.test(text)).map(({ number }) => number)
    if (expected.join() !== results.map(({ line }) => line).join())
      this.#violate(label, `verdicts on other lines: ${answer.text}`)
    let next = 0
    for (const result of results) {
      if (result.status === 'error' && !isCode(result.code)) this.#violate(label, `the code ${result.code}`)
      if (result.status !== 'created') continue
      const step = steps[next++]
      const sent = physical[result.line - 1]?.text ?? ''
      if (step === undefined) this.#violate(label, `line ${result.line} was accepted and is not there`)
      else for (const difference of compareStep(sent, step)) this.#violate(label, difference)
    }
    if (next !== steps.length) this.#violate(label, `${steps.length} steps are there, ${next} were accepted`)
    this.#counts.acceptedSteps += next
  }

  async #sendQuery(random: Random): Promise<void> {
    const call = oddCall(random, this.#lastTraceId, this.#cursors)
    this.#counts.queries += 1
    const label = `${call.method ?? 'GET'} ${call.path} ${JSON.stringify(call.headers ?? {})}`
    // An accepted tail never ends.
    if (call.path.endsWith('/tail')) return this.#askTail(label, call.headers?.['last-event-id'] ?? '')
    this.#take(label, await this.#client.call(call))
    if (!random.chance(0.2)) return
    const body = toOddBytes(
      random,
      random.chance(0.5) ? anyJson(random) : `{"status":"ok","reason":${anyJson(random)}}`,
    )
    const headers = { 'content-type': 'application/json' }
    const path = `/v1/traces/${this.#lastTraceId}`
    this.#changed.add(this.#lastTraceId)
    this.#take(`PATCH ${body.toString()}`, await this.#client.call({ method: 'PATCH', path, headers, body }))
  }

  async #sendForm(random: Random): Promise<void> {
    const { call, sha256: expected } = oddForm(random, this.#lastTraceId)
    const answer = await this.#client.call(call)
    this.#counts.forms += 1
    const label = `form ${String(call.body)}`
    this.#take(label, answer)
    if (expected !== null && answer.status !== 201)
      this.#violate(label, `a good form was answered ${answer.status}: ${answer.text}`)
    if (answer.status !== 201) return
    const { uri, sha256: stored } = answer.json<{ uri: string; sha256: string }>()
    const served = await serve(this.#client, uri)
    this.#take(label, served)
    if (expected !== null && stored !== expected) this.#violate(label, 'the hash is another')
    if (sha256(served.bytes) !== stored) this.#violate(label, 'the bytes served are others')
    if (
      !/^(inline|attachment)(; filename="[ -~]*"(; filename\*=UTF-8''[\w.!#$&+^`|~%-]+)?)?$/.test(
        served.headers['content-disposition'] ?? '',
      )
    )
      this.#violate(label, `the header ${served.headers['content-disposition']}`)
  }

  async #askTail(label: string, position: string): Promise<void> {
    if (/^\d{0,15}$/.test(position)) return
    const headers = { accept: 'text/event-stream', 'last-event-id': position }
    const answer = await this.#client.get('/v1/traces/tail', headers)
    this.#take(label, answer)
    if (answer.status !== 400) this.#violate(label, `the tail answered ${answer.status}`)
  }

  async #checkCounts(other: Client): Promise<void> {
    const own = await walkFeed(this.#client)
    const { acceptedTraces } = this.#counts
    if (own.length !== acceptedTraces + 1) this.#violate('counts', `${own.length} traces, ${acceptedTraces} accepted`)
    if ((await walkFeed(other)).length !== 1) this.#violate('counts', 'the neighbour has other traces than its own')
  }

  /** The first reads came partly from memory. After a restart everything comes from disk and must be the same. */
  async #readAgain(): Promise<void> {
    await this.#service.stop()
    await this.#service.start()
    for (const [id, text] of this.#readBack) {
      if (this.#changed.has(id)) continue
      const again = await this.#service.client.get(`/v1/traces/${id}`)
      if (again.text !== text) this.#violate(`trace ${id} after a restart`, `${text}\n    became ${again.text}`)
    }
  }

  #take(label: string, answer: Answer): void {
    const fault = findFault(answer)
    if (fault !== null) this.#violate(label, fault)
  }

  #violate(label: string, text: string): void {
    this.#violations.push(`${text}\n    for ${JSON.stringify(label.slice(0, 2000))}`)
  }
}

interface Verdict {
  readonly line: number
  readonly status: string
  readonly code?: string
}

function verdictsOf(answer: Answer, streamed: boolean): readonly Verdict[] {
  if (!streamed) return answer.json<AppendResponse>().results
  return answer.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Verdict)
}

/** Physical lines as bytes, split at LF: a line may not be UTF-8. */
function splitLines(body: Buffer): readonly { readonly number: number; readonly text: string }[] {
  const lines = body
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1').toString())
  if (lines.at(-1) === '') lines.pop()
  return lines.map((text, index) => ({ number: index + 1, text }))
}
