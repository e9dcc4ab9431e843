import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTail } from './tail.ts'
import { Service } from './service.ts'

test('starts, answers, restarts on the same directory with the same key, and stops by SIGTERM with code 0', async () => {
  await using service = await Service.start()
  const made = await service.client.postTrace({ name: 'run', steps: [{ name: 'a' }] })
  assert.equal(made.status, 202, made.text)
  const { id } = made.json<{ id: string }>()
  await service.restart()
  assert.equal((await service.client.get(`/v1/traces/${id}`)).status, 200)
  const tail = await openTail(service.url, service.key, { 'last-event-id': '0' })
  await tail.until(({ events }) => events.length === 1)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
  await tail.ended
})
