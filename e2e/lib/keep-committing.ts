import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import { walkFeed } from './feed.ts'

/** Does not compress. */
export function noise(bytes: number): string {
  return randomBytes(bytes).toString('base64')
}

export async function commit(client: Client, words = 'some words'): Promise<string> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: words }] }]
  const answer = await client.postTrace({ name: 'run', steps: [{ name: 'step', messages }] })
  assert.equal(answer.status, 202, answer.text)
  return answer.json<{ id: string }>().id
}

/** Between commits: a backup takes seconds, and tests read each trace several times. */
const PAUSE_MS = 100

/** Commits one trace after the other, with pauses, until it is stopped. */
export function keepCommitting(client: Client) {
  const acknowledged: string[] = []
  const stopping = new AbortController()
  const running = (async () => {
    for (; !stopping.signal.aborted; await sleep(PAUSE_MS)) acknowledged.push(await commit(client, noise(2000)))
  })()
  return {
    acknowledged,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

export async function readEverything(client: Client): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { id } of await walkFeed(client, { limit: '100' }))
    found.set(id, (await client.get(`/v1/traces/${id}`)).text)
  return found
}
