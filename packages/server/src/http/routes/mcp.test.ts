import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { currentRequester, signalOf } from '../../lib/flow/requester.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { listen, type Send, TRANSPORTS } from '../test-world/transports.test-support.ts'

const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function post(send: Send, headers: Record<string, string>, message: object) {
  return send({ method: 'POST', path: '/mcp', headers: { ...TYPES, ...headers }, body: JSON.stringify(message) })
}

const callTool = (name: string, input: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input },
})

/** Of an answer as JSON or as one event. */
function resultOf(text: string): { isError?: boolean; content: { text: string }[] } {
  return JSON.parse(text.replace(/^event: message\ndata: /, '')).result
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`only a valid key of a program is admitted, over ${name}`, async () => {
    const send = await connect(createHttpWorld({ hosts: ['traces.example.com'] }).app)
    const list = callTool('list_monitors', {})
    assert.equal((await post(send, {}, list)).status, 401)
    assert.equal((await post(send, { 'x-api-key': 'junk' }, list)).status, 401)
    assert.equal((await post(send, { 'x-api-key': 'own', host: 'evil.example.com' }, list)).status, 421)
    const foreign = await post(send, { 'x-api-key': 'own', origin: 'https://evil.example.com' }, list)
    assert.deepEqual([foreign.status, foreign.json().code], [403, 'foreign_origin'])
    assert.equal((await post(send, { 'x-api-key': 'own' }, [list, list])).status, 400)
    const get = await send({ path: '/mcp', headers: { 'x-api-key': 'own' } })
    assert.deepEqual([get.status, get.headers['allow']], [405, 'POST'])
    for (const key of [{ 'x-api-key': 'own' }, { authorization: 'Bearer own' }]) {
      const answer = await post(send, key, list)
      assert.equal(answer.status, 200)
      assert.deepEqual(JSON.parse(resultOf(answer.text).content[0]?.text ?? ''), { monitors: [] })
    }
  })
}

test('a tool does what the key may do, and says what it may not', async () => {
  const { app } = createHttpWorld()
  const send = await TRANSPORTS['memory']!(app)
  const call = async (key: string, name: string, input: object) =>
    resultOf((await post(send, { 'x-api-key': key }, callTool(name, input))).text)
  const refused = await call('writer', 'search_traces', {})
  assert.deepEqual(refused, {
    isError: true,
    content: [{ type: 'text', text: 'insufficient_scope: The key needs the scope read.' }],
  })
  const id = 'tr_01h455vb4pex5vsknk084sn02q'
  assert.match((await call('reader', 'flag_trace', { id })).content[0]?.text ?? '', /insufficient_scope/)
  assert.match((await call('own', 'get_trace', { id })).content[0]?.text ?? '', /^not_found: /)
  assert.match((await call('own', 'get_trace', { id, limit: 3 })).content[0]?.text ?? '', /^validation_failed: .*limit/)
  assert.match((await call('own', 'fly', {})).content[0]?.text ?? '', /no tool "fly"/)
})

test('arguments that no request could have are refused with a reason', async () => {
  const send = await TRANSPORTS['memory']!(createHttpWorld().app)
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown
  const record = (levels: number) =>
    post(
      send,
      { 'x-api-key': 'own' },
      callTool('record_metric_event', { name: 'n', metadata: { deep: nested(levels) } }),
    )
  const tooDeep = await record(2000)
  assert.deepEqual([tooDeep.status, tooDeep.json().code], [422, 'validation_failed'])
  assert.equal((await record(50)).status, 200)
  for (const name of ['.', '..', 'half \ud800']) {
    const { text } = await post(send, { 'x-api-key': 'own' }, callTool('metric_series', { name }))
    assert.match(resultOf(text).content[0]?.text ?? '', /^not_found: There is no series/, name)
  }
})

test('of the calls of one project, a few run at once and others wait; each has the signal of its caller', async () => {
  const { app } = createHttpWorld()
  const send = await TRANSPORTS['memory']!(app)
  let running = 0
  let most = 0
  let goOn = () => undefined as void
  const opened = new Promise<void>((resolve) => (goOn = resolve))
  const signals: (AbortSignal | null)[] = []
  app.addHook('preHandler', async ({ url }) => {
    if (url !== '/v1/monitors' && !url.startsWith('/v1/monitors?')) return
    signals.push(signalOf(currentRequester()))
    most = Math.max(most, ++running)
    if (running === 4) goOn()
    await opened
    running -= 1
  })
  const list = () => post(send, { 'x-api-key': 'own' }, callTool('list_monitors', {}))
  const answers = await Promise.all(Array.from({ length: 40 }, list))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.deepEqual([signals.length, most], [40, 4])
  assert.ok(signals.every((signal) => signal !== null))
})

test('a caller that leaves ends what its tool reads, and is no error in the log', async () => {
  const { app, budget, logLines } = createHttpWorld()
  const begun = Promise.withResolvers<void>()
  app.addHook('preHandler', async ({ url }) => {
    if (!url.startsWith('/v1/monitors')) return
    const signal = signalOf(currentRequester())!
    const aborted = once(signal, 'abort')
    begun.resolve()
    await aborted
    throw signal.reason
  })
  const port = await listen(app)
  const outgoing = request({ port, method: 'POST', path: '/mcp', headers: { ...TYPES, 'x-api-key': 'own' } })
  outgoing.on('error', () => undefined)
  outgoing.end(JSON.stringify(callTool('list_monitors', {})))
  await begun.promise
  outgoing.destroy()
  // The body is held as long as the call runs.
  while (budget.usedBytes > 0) await new Promise(setImmediate)
  assert.deepEqual(
    logLines.filter((line) => !line.includes('"level":"info"')),
    [],
  )
})
