import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from './client.ts'
import type { TailEvent, TailOptions } from './tail.ts'

type Connection = { readonly text: string; readonly ends: 'closed' | 'reset' | 'silent' } | number

/** The events of a tail over these connections, and the positions that it requested. */
async function follow(connections: Connection[], events: number, options: TailOptions = {}) {
  const asked: (string | null)[] = []
  const client = createClient({
    url: 'http://spoor.test',
    apiKey: 'key',
    wait: async () => undefined,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      asked.push(request.headers.get('last-event-id'))
      const connection = connections.shift() ?? 500
      if (typeof connection === 'number') return new Response('', { status: connection })
      return new Response(bodyOf(connection, init?.signal ?? undefined))
    },
  })
  const seen: TailEvent[] = []
  for await (const event of client.traces.tail(options)) if (seen.push(event) === events) break
  return { asked, seen }
}

function bodyOf({ text, ends }: Exclude<Connection, number>, signal: AbortSignal | undefined): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (ends === 'closed') controller.close()
      if (ends === 'silent') signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    pull(controller) {
      if (ends === 'reset') controller.error(new TypeError('reset'))
    },
  })
}

function committed(position: number): string {
  return `id: ${position}\nevent: trace.committed\ndata: {"id":"tr_${position}","committed_at":""}\n\n`
}

function positionsOf(events: readonly TailEvent[]): string[] {
  return events.map(({ position }) => position)
}

test('a tail continues after its last event, whatever ends the connection', async () => {
  const connections: Connection[] = [
    { text: `retry: 3000\n\n${committed(3)}`, ends: 'closed' },
    503,
    { text: `retry: 3000\n\n${committed(5)}id: 6\nevent: trace.comm`, ends: 'reset' },
    { text: committed(6), ends: 'silent' },
    { text: committed(9), ends: 'silent' },
  ]
  const { asked, seen } = await follow(connections, 4, { after: '2', silenceMs: 1 })
  assert.deepEqual(positionsOf(seen), ['3', '5', '6', '9'])
  assert.deepEqual(asked, ['2', '3', '3', '5', '6'])
  assert.deepEqual(seen[0], { type: 'trace.committed', position: '3', data: { id: 'tr_3', committed_at: '' } })
})

test('a tail from now on knows its position before the first trace', async () => {
  const start = 'retry: 3000\nid: 40\n\n'
  const connections: Connection[] = [
    { text: start, ends: 'reset' },
    { text: start + committed(42), ends: 'closed' },
  ]
  const { asked, seen } = await follow(connections, 1)
  assert.deepEqual(positionsOf(seen), ['42'])
  assert.deepEqual(asked, [null, '40'])
})

test('a gap that the service reports is an event', async () => {
  const gap = 'id: 8\nevent: gap\ndata: {"from":1,"to":8}\n\nevent: later\ndata: {}\n\n'
  const { seen } = await follow([{ text: gap + committed(9), ends: 'closed' }], 2, { after: '1' })
  assert.deepEqual(seen[0], { type: 'gap', position: '8', data: { from: 1, to: 8 } })
  assert.deepEqual(positionsOf(seen), ['8', '9'])
})

test('a tail that is refused for good ends with the error', async () => {
  await assert.rejects(follow([401], 1), { status: 401 })
})

test('a signal ends a tail without an error', async () => {
  const abort = new AbortController()
  const following = follow([{ text: committed(1), ends: 'silent' }], 2, { after: '0', signal: abort.signal })
  setImmediate(() => abort.abort())
  assert.ok((await following).seen.length <= 1)
  assert.deepEqual((await follow([], 1, { signal: AbortSignal.abort() })).seen, [])
})
