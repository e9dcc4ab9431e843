import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TraceFeed, TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { Client } from './client.ts'

const PAUSE_MS = 5

/** Resolves once so many traces are listed. Polls faster than `eventually`, to catch a moment within an import. */
export async function hasListed(client: Client, count: number): Promise<void> {
  const listed = async () => (await client.get(`/v1/traces?limit=${count}`)).json<TraceFeed>().traces.length
  while ((await listed()) < count) await sleep(PAUSE_MS)
}

/** Every row of the list of traces, by cursor. */
export async function walkFeed(
  client: Client,
  query: Readonly<Record<string, string>> = {},
  betweenPages: () => Promise<void> = async () => undefined,
): Promise<TraceRow[]> {
  const rows: TraceRow[] = []
  let cursor: string | null = null
  do {
    const parameters = new URLSearchParams({ limit: '1000', ...query, ...(cursor === null ? {} : { cursor }) })
    const answer = await client.get(`/v1/traces?${parameters}`)
    assert.equal(answer.status, 200, answer.text)
    const page = answer.json<TraceFeed>()
    rows.push(...page.traces)
    cursor = page.next_cursor
    if (cursor !== null) await betweenPages()
  } while (cursor !== null)
  return rows
}
