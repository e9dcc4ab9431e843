import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import fc from 'fast-check'
import { DomainError } from '../../lib/domain-error.ts'
import { jsonText, mutated } from '../../lib/json/json-arbitraries.test-support.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { missingMediaOf, NONE_MISSING, parseLinked } from '../intake/linkable-media.ts'
import { parseStep } from '../intake/parse-step.ts'
import { parseTrace } from '../intake/parse-trace.ts'
import { LargeBodies, type ParseThread } from './large-bodies.ts'
import { startParseThread } from './start-parse-thread.ts'

const PROJECT = 'proj_a' as ProjectId
const OTHER = 'proj_b' as ProjectId
const KNOWN = 'a'.repeat(64)
const missing = missingMediaOf(
  { existing: async (project, hashes) => new Set(hashes.filter((one) => project === PROJECT && one === KNOWN)) },
  PROJECT,
)

class World {
  readonly timers = new ManualTimers()
  readonly threads: ParseThread[] = []
  turns = 0
  ended = 0
  readonly bodies: LargeBodies

  constructor(startThread: () => ParseThread = startParseThread) {
    this.bodies = new LargeBodies({
      startThread: () => {
        const thread = startThread()
        this.threads.push(thread)
        const end = async () => {
          this.ended += 1
          await thread.end()
        }
        return { ...thread, end }
      },
      timers: this.timers,
      limits: DEFAULT_LIMITS,
      nextTurn: async () => void (this.turns += 1),
    })
    after(() => this.bodies.close())
  }

  parse(body: unknown, projectId = PROJECT) {
    return this.bodies.parseTrace({ projectId, bytes: toBytes(body), missing, masking: null }, 'trace')
  }
}

/** So long that only the first thread parses it. */
function long(body: unknown): string {
  return JSON.stringify(body) + ' '.repeat(1024 * 1024)
}

function toBytes(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function steps(count: number, text = 'Σς ก word') {
  return Array.from({ length: count }, (_, index) => ({
    name: `step ${index}`,
    idempotency_key: `key ${index}`,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    token_usage: { input: index },
  }))
}

test('a body gives the same result as when parsed in the main thread, in parts of at most 250 steps', async () => {
  const world = new World()
  for (const body of [
    { name: 'none' },
    { name: 'some', metadata: { a: 1 }, steps: [{ name: 'bare' }, ...steps(3)] },
    { name: 'many', session_id: 's', started_at: '2026-01-01T00:00:00Z', steps: steps(1001) },
    { name: 'long', steps: steps(4, 'word '.repeat(100_000)) },
  ]) {
    world.turns = 0
    const prepared = await world.parse(body)
    assert.deepEqual(prepared, parseTrace(toBytes(body), DEFAULT_LIMITS))
    if (body.name === 'many' || body.name === 'long') assert.ok(world.turns >= 3, `${world.turns} turns`)
  }
  assert.equal(world.threads.length, 1)
})

test('a refusal is the same as in the main thread, and the thread goes on', async () => {
  const world = new World()
  for (const body of ['{"name":', '{"name":"x","a":1,"b":2}', '[]', `{"name":${'['.repeat(80)}`, { steps: [{}, 1] }]) {
    const expected = refusal(() => parseTrace(toBytes(body), DEFAULT_LIMITS))
    await assert.rejects(world.parse(body), (error) => {
      assert.ok(error instanceof DomainError)
      assert.deepEqual([error.code, error.message, error.errors], expected)
      return true
    })
  }
  assert.equal(world.threads.length, 1)
})

function refusal(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (error instanceof DomainError) return [error.code, error.message, error.errors]
  }
  throw new Error('it was not refused')
}

test('media are looked up in the main thread: existing ones are linked, others are refused with their pointer', async () => {
  const world = new World()
  const link = (...uris: string[]) => ({ name: 'x', steps: [{ name: 's', attachments: uris.map((uri) => ({ uri })) }] })
  const mine = `media://${PROJECT}/${KNOWN}`
  const bodies = [link(mine, mine), link(mine, `media://${PROJECT}/${'b'.repeat(64)}`), link('media://other/x')]
  assert.deepEqual((await world.parse(bodies[0])).steps[0]?.attachments, [KNOWN])
  for (const body of bodies.slice(1)) {
    const findMedia = (uri: string) => (uri === mine ? KNOWN : null)
    const expected = refusal(() => parseTrace(toBytes(body), DEFAULT_LIMITS, findMedia))
    await assert.rejects(world.parse(body), (error) => {
      assert.ok(error instanceof DomainError)
      assert.deepEqual([error.code, error.message, error.errors], expected)
      return true
    })
  }
})

test('a line gives the same result or refusal as when parsed in the main thread, whatever its bytes', async () => {
  const world = new World()
  const full = Buffer.from(
    '{"id":"st_01h455vb4pex5vsknk084sn02q","name":"Look up","idempotency_key":"k","messages":[{"role":"user","content":' +
      '[{"type":"text","text":"Wo ist Café?"}]}],"metadata":{"a":1e400,"a":-0},"status":"error","error":{"message":"x"}}',
  )
  const lines = fc.oneof(
    fc.constant(full),
    mutated(fc.constant(full)),
    mutated(jsonText.map((text) => Buffer.from(text))),
    fc.string({ unit: fc.constantFrom('ก', 'Σς', 'a'), maxLength: 2000 }).map((name) => toBytes({ name })),
  )
  await fc.assert(
    fc.asyncProperty(lines, async (line) => {
      const expected = parseStep(line, DEFAULT_LIMITS)
      const around = Buffer.concat([Buffer.from('before'), line, Buffer.from('behind')])
      const within = around.subarray(6, 6 + line.length)
      assert.deepEqual(
        await world.bodies.parseStep({ projectId: PROJECT, bytes: within, missing: NONE_MISSING, masking: null }),
        expected,
      )
      assert.equal(
        around.toString('latin1'),
        `before${line.toString('latin1')}behind`,
        'other memory is not transferred',
      )
    }),
    { numRuns: 500 },
  )
  assert.equal(world.threads.length, 1)
})

test('media of a line are looked up in the main thread', async () => {
  const world = new World()
  for (const hashes of [[KNOWN], [KNOWN, 'b'.repeat(64)]]) {
    const line = toBytes({ name: 's', attachments: hashes.map((sha256) => ({ uri: `media://${PROJECT}/${sha256}` })) })
    const expected = await parseLinked(PROJECT, missing, (findMedia) => parseStep(line, DEFAULT_LIMITS, findMedia))
    assert.deepEqual(
      await world.bodies.parseStep({ projectId: PROJECT, bytes: line, missing, masking: null }),
      expected,
    )
  }
})

test('projects take turns: many bodies of one project do not block another', async () => {
  const world = new World()
  const order: string[] = []
  const parse = (name: string, project: ProjectId) => world.parse(long({ name }), project).then(() => order.push(name))
  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((name) => parse(name, PROJECT)),
    ...['b1', 'b2'].map((name) => parse(name, OTHER)),
  ])
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  assert.equal(world.threads.length, 1)
})

test('shorter bodies are parsed while a long one is, and another long one waits', async () => {
  const held = Promise.withResolvers<void>()
  const world = new World(() => {
    const thread = startParseThread()
    if (world.threads.length > 0) return thread
    return { ...thread, exchange: (...sent) => held.promise.then(() => thread.exchange(...sent)) }
  })
  const order: string[] = []
  const parse = (name: string, body: unknown) => world.parse(body).then(() => order.push(name))
  const longOnes = ['long', 'longer'].map((name) => parse(name, long({ name })))
  await Promise.all(['x', 'y'].map((name) => parse(name, { name })))
  held.resolve()
  await Promise.all(longOnes)
  assert.deepEqual(order, ['x', 'y', 'long', 'longer'])
  assert.equal(world.threads.length, 2)
})

test('a thread that dies fails only its body; a new thread takes the next one', async () => {
  let first = true
  const world = new World(() => {
    const thread = startParseThread()
    if (!first) return thread
    first = false
    return { ...thread, exchange: (...sent) => (void thread.end(), thread.exchange(...sent)) }
  })
  const died = world.parse(long({ name: 'x' }))
  const next = world.parse(long({ name: 'y' }))
  await assert.rejects(died, /thread that parses large bodies ended/)
  assert.equal((await next).name, 'y')
  assert.equal(world.threads.length, 2)
})

test('an idle thread ends after a while', async () => {
  const world = new World()
  await world.parse({ name: 'x' })
  await new Promise(setImmediate)
  world.timers.advance(9_000)
  assert.equal(world.ended, 0)
  world.timers.advance(1_000)
  assert.equal(world.ended, 1)
  assert.equal((await world.parse({ name: 'y' })).name, 'y')
  assert.equal(world.threads.length, 2)
})
