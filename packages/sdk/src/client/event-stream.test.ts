import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventStreamReader } from './event-stream.ts'

const STREAM =
  'retry: 3000\nid: 4\n\n: heartbeat\n\nid: 7\nevent: trace.committed\ndata: {"name":"Zürich"}\n\r\ndata: a\r\ndata:b\r\n\r\nid: 9\nevent: x\ndata: cut'
const EVENTS = [
  { type: 'message', id: '4', data: '' },
  { type: 'trace.committed', id: '7', data: '{"name":"Zürich"}' },
  { type: 'message', id: '7', data: 'a\nb' },
]

test('events are the same however the stream is cut into pieces', () => {
  const bytes = new TextEncoder().encode(STREAM)
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const reader = new EventStreamReader()
    const events = []
    for (let at = 0; at < bytes.length; at += size) events.push(...reader.read(bytes.subarray(at, at + size)))
    assert.deepEqual(events, EVENTS, `pieces of ${size}`)
  }
})
