import assert from 'node:assert/strict'
import type { ClickHouseServer } from './clickhouse-server.ts'

/** The rows of a query, or none for a statement without a result. */
export async function askServer(
  { url, user, password }: ClickHouseServer,
  sql: string,
): Promise<readonly (readonly unknown[])[]> {
  const answer = await fetch(`${url}/?default_format=JSONCompact&output_format_json_quote_64bit_integers=0`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
    body: sql,
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text === '' ? [] : (JSON.parse(text) as { data: unknown[][] }).data
}
