import type { Client } from '../lib/client.ts'

/** Throws if the answer has another status. The answer of `204` is null. */
export async function send<T = unknown>(
  client: Client,
  method: string,
  path: string,
  body: object | null,
  status: number,
): Promise<T> {
  const sent = body === null ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await client.call({ method, path, ...sent })
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return (status === 204 ? null : answer.json<T>()) as T
}

export function create<T = { id: string }>(client: Client, path: string, body: object): Promise<T> {
  return send<T>(client, 'POST', path, body, 201)
}

export async function read<T = unknown>(client: Client, path: string): Promise<T> {
  return send<T>(client, 'GET', path, null, 200)
}

/** Returns the id of the trace. */
export async function commit(client: Client, body: object): Promise<string> {
  return (await send<{ id: string }>(client, 'POST', '/v1/traces', body, 202)).id
}

export function said(role: string, text: string): object {
  return { role, content: [{ type: 'text', text }] }
}
