import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { Service } from '../lib/service.ts'
import { openTail } from '../lib/tail.ts'

/** A busy machine has some seconds for what follows the grace of streams, which is a share of this. */
const PATIENT = { SPOOR_SHUTDOWN_TIMEOUT_SECONDS: '30' }

test('SIGTERM under load: running requests are answered, acknowledged data exists, and it ends with code 0', async () => {
  await using service = await Service.start({ environment: PATIENT })
  const { client } = service
  const { id: streamed } = (await client.postTrace({ name: 'streamed' })).json<{ id: string }>()
  const acknowledged = new Set<string>([streamed])
  const faults: string[] = []
  let stopping = false
  let unanswered = 0
  const writer = async (number: number) => {
    for (let n = 0; ; n++) {
      const body = {
        name: `${number}-${n}`,
        steps: Array.from({ length: 5 }, () => ({ name: 's', metadata: { t: 'x'.repeat(500) } })),
      }
      try {
        const answer = await client.postTrace(body)
        if (answer.status === 202) acknowledged.add(answer.json<{ id: string }>().id)
        else if (answer.status === 503 && stopping) return
        else faults.push(`${answer.status} ${answer.text}`)
      } catch (error) {
        // A connection that was idle or new when the service stopped listening; accepted requests are answered.
        if (!stopping) faults.push(String(error))
        else if (/ECONNREFUSED|ECONNRESET|hang up/.test(String(error))) unanswered += 1
        else faults.push(String(error))
        return
      }
    }
  }
  const writers = Array.from({ length: 16 }, (_, number) => writer(number))
  const tail = await openTail(service.url, service.key, { 'last-event-id': '0' })
  const stream = slowStream(service, streamed)
  await eventually('all are active', () => faults.length > 0 || acknowledged.size > 50)
  stopping = true
  const exit = await service.stop()
  await Promise.all(writers)
  await tail.ended
  const verdicts = await stream.ended
  assert.deepEqual(faults, [])
  assert.deepEqual(exit, { code: 0, signal: null }, service.log)
  assert.ok(unanswered <= writers.length)

  await service.start()
  const there = new Set((await walkFeed(service.client)).map(({ id }) => id))
  assert.deepEqual(
    [...acknowledged].filter((id) => !there.has(id)),
    [],
  )
  const { steps } = (await service.client.get(`/v1/traces/${streamed}`)).json<{ steps: { id: string }[] }>()
  const ids = new Set(steps.map(({ id }) => id))
  assert.ok(verdicts.length > 0)
  assert.deepEqual(
    verdicts.filter((id) => !ids.has(id)),
    [],
    'a step with a verdict is lost',
  )
})

/** A client that would send lines for ever. */
function slowStream(service: Service, traceId: string): { readonly ended: Promise<readonly string[]> } {
  const headers = { 'x-api-key': service.key, 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson' }
  const outgoing = request(`${service.url}/v1/traces/${traceId}/steps`, { method: 'POST', agent: false, headers })
  let text = ''
  let n = 0
  const timer = setInterval(() => outgoing.write(`{"name":"line ${n++}"}\n`), 20)
  const ended = new Promise<void>((resolve) => {
    outgoing.on('error', () => resolve())
    outgoing.on('close', () => resolve())
    outgoing.on('response', (incoming) => {
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()))
      incoming.on('error', () => resolve())
      incoming.on('close', () => resolve())
    })
  })
  return {
    ended: ended.then(() => {
      clearInterval(timer)
      outgoing.destroy()
      return [...text.matchAll(/"step_id":"(st_\w{26})"/g)].map((match) => match[1] as string)
    }),
  }
}

test('SIGTERM without work ends the service, SIGINT too, and a second signal changes nothing', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    await using service = await Service.start()
    const { pid } = service
    process.kill(pid, signal)
    assert.deepEqual(await service.stop(), { code: 0, signal: null })
  }
})
