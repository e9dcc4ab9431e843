import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId } from '@spoor/contract/ids'
import { currentRequester, forCurrentRequester, onBehalfOf, onBehalfOfService, type Requester } from './requester.ts'
import { systemTimers } from '../time/timers.ts'

const PROJECT: Requester = {
  kind: 'project',
  projectId: 'proj_a' as ProjectId,
  signal: new AbortController().signal,
}

test('work belongs to the requester that started it, across awaits; otherwise to the service', async () => {
  const seen = await onBehalfOf(PROJECT, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return currentRequester()
  })
  assert.equal(seen, PROJECT)
  assert.equal(currentRequester().kind, 'service')
  assert.equal(onBehalfOf(PROJECT, () => onBehalfOfService(currentRequester)).kind, 'service')
})

test('the callback of a timer belongs to the service, also when a request set it', async () => {
  const { promise, resolve } = Promise.withResolvers<Requester>()
  onBehalfOf(PROJECT, () => systemTimers.after(0, () => resolve(currentRequester())))
  assert.equal((await promise).kind, 'service')
})

test('the elements and the end of a stream belong to the requester that started it', async () => {
  const seen: Requester[] = []
  async function* pages() {
    try {
      for (let page = 0; page < 3; page++) {
        seen.push(currentRequester())
        yield page
      }
    } finally {
      seen.push(currentRequester())
    }
  }
  const stream = onBehalfOf(PROJECT, () => forCurrentRequester(pages()))
  const read: number[] = []
  for await (const page of stream) {
    read.push(page)
    if (page === 1) break
  }
  assert.deepEqual(read, [0, 1])
  assert.deepEqual(seen, [PROJECT, PROJECT, PROJECT])
})
