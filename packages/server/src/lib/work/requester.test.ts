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

test('work is for whom it was begun, across its awaits; the service otherwise', async () => {
  const seen = await onBehalfOf(PROJECT, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return currentRequester()
  })
  assert.equal(seen, PROJECT)
  assert.equal(currentRequester().kind, 'service')
  assert.equal(onBehalfOf(PROJECT, () => onBehalfOfService(currentRequester)).kind, 'service')
})

test('what a request sets a timer for is for the service', async () => {
  const { promise, resolve } = Promise.withResolvers<Requester>()
  onBehalfOf(PROJECT, () => systemTimers.after(0, () => resolve(currentRequester())))
  assert.equal((await promise).kind, 'service')
})

test('elements that are asked for from elsewhere are made for whom the stream was begun, and so is its end', async () => {
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
