import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import { upload } from './media/media.ts'

/** In every field that a client fills in. */
export const MARKER = 'zqxjkvmarker'
/** Nothing else in the store begins like it, so no compression cuts it. */
export const USER = 'wyhgbfplqn'

/** A trace of the user with a reason, a metric event of `reward` and a medium. Resolves with its id. */
export async function makeMarked(client: Client): Promise<string> {
  const messages: object[] = [{ role: 'user', content: [{ type: 'text', text: `${MARKER} message` }] }]
  const call = { type: 'tool_call', id: MARKER, name: MARKER, arguments: { secret: `${MARKER} argument` } }
  messages.push({ role: 'assistant', content: [call] })
  const steps = [
    { name: `${MARKER} step`, idempotency_key: `${MARKER} step`, messages, metadata: { [MARKER]: MARKER } },
  ]
  const body = {
    name: `${MARKER} name`,
    metadata: { a: `${MARKER} meta` },
    session_id: `${MARKER} session`,
    user_id: USER,
    steps,
  }
  const made = await client.postTrace(body, { 'idempotency-key': `${MARKER} key` })
  assert.equal(made.status, 202, made.text)
  const { id } = made.json<{ id: string }>()
  await send(client, 'PATCH', `/v1/traces/${id}`, { flagged: true, reason: `${MARKER} reason` }, 200)
  const event = { name: 'reward', trace_id: id, value: 1, comment: `${MARKER} comment`, idempotency_key: MARKER }
  await send(client, 'POST', '/v1/metrics/events', event, 201)
  await upload(client, { trace_id: id, kind: 'file' }, { content: `${MARKER} bytes`, filename: `${MARKER}.log` })
  return id
}

/** A request with a JSON body, and its answer with that status. */
export async function send(
  client: Client,
  method: string,
  path: string,
  body: object,
  status: number,
): Promise<{ id: string }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.call({ method, path, headers, body: JSON.stringify(body) })
  assert.equal(answer.status, status, answer.text)
  return answer.json<{ id: string }>()
}
