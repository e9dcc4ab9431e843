import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from '@spoor/clustering/text/trace-text'
import { stepTexts } from '../../clusters/worker/step-texts.ts'
import { toPreview } from '@spoor/contract/said-text'
import { exportJson, spanId, type TestSpan, toRequest } from '../otlp/spans.test-support.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'

const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
const llm = (...messages: readonly object[]) => ({ name: 'ask', type: 'llm', messages })

/** What the row of the only trace says: input, output, error. */
async function shown(world: TraceWorld) {
  const { traces } = await world.list()
  assert.equal(traces.length, 1)
  const digest = traces[0]!.digest
  return [digest.input?.text, digest.output?.text, digest.error?.text]
}

test('a trace that comes whole, is appended to, also after a restart', async () => {
  const world = new TraceWorld()
  const { id } = await world.commit({ name: 'run', steps: [llm(said('assistant', 'hello'))] })
  assert.deepEqual(await shown(world), [undefined, 'hello', undefined])
  await world.appendSteps(id, llm(said('user', 'book it'), said('assistant', 'which?')), { name: 'tool', type: 'tool' })
  assert.deepEqual(await shown(world), ['book it', 'which?', undefined])
  const restarted = new TraceWorld({ store: world.memory, journal: world.journal })
  await restarted.appendSteps(
    id,
    llm(said('user', 'the first'), said('assistant', 'done')),
    { name: 'pay', status: 'error', error: { type: 'E', message: 'no card' } },
    { name: 'pay', status: 'error', error: { message: 'again' } },
  )
  assert.deepEqual(await shown(restarted), ['book it', 'done', 'E: no card'])
})

test('a large body, which another thread parses, says the same', async () => {
  const world = new TraceWorld()
  const filler = 'x'.repeat(3_000_000)
  await world.commit({ name: 'run', steps: [llm(said('user', `ask ${filler}`), said('assistant', 'answer'))] })
  assert.deepEqual(await shown(world), [toPreview(`ask ${filler}`), 'answer', undefined])
})

test('spans in any order, sent again and corrected, as they arrive', async () => {
  const world = new TraceWorld()
  const send = (...spans: readonly TestSpan[]) =>
    world.service.useCases.takeExport(toRequest(PROJECT, exportJson(spans)))
  const messages = (...all: readonly object[]) => ({ 'gen_ai.input.messages': JSON.stringify(all) })
  const root: TestSpan = { spanId: spanId(1), name: 'run' }
  const child = (of: number, attributes: Record<string, string>, endTimeUnixNano?: string): TestSpan => ({
    spanId: spanId(of),
    parentSpanId: spanId(1),
    name: 'chat',
    attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
    ...(endTimeUnixNano === undefined ? {} : { endTimeUnixNano }),
  })
  const second = child(3, messages(said('user', 'second'), said('assistant', 'B')))
  await send(second)
  assert.deepEqual(await shown(world), ['second', 'B', undefined])
  await send(child(2, messages(said('user', 'first'), said('assistant', 'A'))), root)
  assert.deepEqual(await shown(world), ['second', 'A', undefined])
  await send(second)
  assert.deepEqual(await shown(world), ['second', 'A', undefined])
  const corrected = child(3, messages(said('user', 'corrected'), said('assistant', 'C')), '1900000000000000000')
  await send(corrected)
  assert.deepEqual(await shown(world), ['corrected', 'C', undefined], 'it ends last now')
})

test('clusters and lists agree on what was asked first', async () => {
  const world = new TraceWorld()
  const steps = [
    llm(said('system', 'x'), said('assistant', 'hi')),
    llm(said('Human', 'who  are you?'), said('user', 'you?')),
  ]
  const { id } = await world.commit({ name: 'run', steps })
  const texts = stepTexts(
    steps.map((step) => [id, step.name, step.type, 'ok', JSON.stringify(step), []] as never),
    null,
  ).get(id)
  const [input] = await shown(world)
  assert.equal(toPreview(textOf(texts!).asked[0]!), input)
})
