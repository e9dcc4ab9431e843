import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createConnection } from 'node:net'
import { test } from 'node:test'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { toMediaUri } from '../../ports/media/media-uri.ts'
import { createStillWorld } from '../test-world/http-world.test-support.ts'
import { endWhenSlow } from './slow-readers.ts'
import { listen, sendTo } from '../test-world/transports.test-support.ts'

/** A response whose client takes the given bytes: 10 MB are written, and more is always ready. */
class Answer extends EventEmitter {
  destroyed = false
  writableLength = 1_000_000
  readonly socket = { bytesWritten: 10_000_000, writableLength: 10_000_000 }

  take(bytes: number): void {
    this.socket.writableLength -= bytes
  }

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function watched() {
  const answer = new Answer()
  const timers = new ManualTimers()
  let ended = 0
  endWhenSlow(answer as unknown as ServerResponse, timers, () => ended++)
  return { answer, timers, ended: () => ended }
}

test('a reader that takes a byte every five seconds is disconnected after a minute', () => {
  const { answer, timers, ended } = watched()
  for (let second = 0; second < 60; second += 5) {
    answer.take(1)
    timers.advance(5000)
  }
  assert.equal(answer.destroyed, false)
  timers.advance(5000)
  assert.deepEqual([answer.destroyed, ended(), timers.pending], [true, 1, 0])
})

test('a reader that takes 64 KB per minute stays connected', () => {
  const { answer, timers, ended } = watched()
  for (let minute = 0; minute < 100; minute++) {
    timers.advance(55_000)
    answer.take(64 * 1024)
    timers.advance(5000)
  }
  assert.deepEqual([answer.destroyed, ended()], [false, 0])
})

test('time in which the service has nothing ready does not count', () => {
  const { answer, timers } = watched()
  timers.advance(55_000)
  answer.writableLength = 0
  timers.advance(600_000)
  answer.writableLength = 1
  timers.advance(55_000)
  assert.equal(answer.destroyed, false)
  timers.advance(5000)
  assert.equal(answer.destroyed, true)
})

test('an answer that has ended is no longer checked', () => {
  const { answer, timers, ended } = watched()
  answer.emit('close')
  assert.deepEqual([timers.pending, ended()], [0, 0])
})

for (const what of ['a trace', 'its steps', 'an artifact']) {
  test(`${what} that the client does not read is disconnected and counted`, async () => {
    const { app, timers, instruments, ownProject, mediaService, traces } = createStillWorld()
    const port = await listen(app)
    const headers = { 'x-api-key': 'own', 'content-type': 'application/json' }
    const step = { name: 'x', messages: [{ role: 'user', content: 'y'.repeat(100_000) }] }
    const body = JSON.stringify({ name: 'long', steps: Array.from({ length: 150 }, () => step) })
    const { id } = (await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body })).json()
    assert.ok(traces.stepCount(id) > 0)
    const path = {
      'a trace': () => `/v1/traces/${id}`,
      'its steps': () => `/v1/traces/${id}/steps?limit=1000`,
      'an artifact': async () => `/v1/media/serve?uri=${encodeURIComponent(await upload())}`,
    }[what]
    assert.ok(path)
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.on('error', () => {}).pause()
    socket.write(`GET ${await path()} HTTP/1.1\r\nhost: x\r\nx-api-key: own\r\n\r\n`)
    const before = timers.pending
    while (timers.pending === before) await new Promise(setImmediate)
    const closed = once(socket, 'close')
    for (let waited = 0; waited < 120_000 && !/ended_total 1/.test(await instruments.print()); waited += 5000) {
      timers.advance(5000)
      await new Promise(setImmediate)
    }
    assert.match(await instruments.print(), /^spoor_slow_readers_ended_total 1$/m)
    socket.resume()
    await closed

    async function upload(): Promise<string> {
      async function* bytes() {
        for (let piece = 0; piece < 200; piece++) yield Buffer.alloc(100_000, piece)
      }
      async function* parts() {
        yield { type: 'field', name: 'trace_id', value: id } as const
        yield { type: 'field', name: 'kind', value: 'file' } as const
        yield { type: 'file', name: 'file', filename: 'x', contentType: 'text/plain', bytes: bytes() } as const
      }
      return toMediaUri(await mediaService.useCases.upload({ projectId: ownProject, parts: parts() }))
    }
  })
}
