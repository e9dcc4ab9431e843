import assert from 'node:assert/strict'
import { type Answer, type Client, createClient } from './client.ts'

export interface SignedIn {
  /** Sends the cookie with the origin of the service, like its page. */
  readonly client: Client
  /** `name=token`. */
  readonly cookie: string
  readonly setCookie: string
}

/** Signs in with the key of a client. */
export function askForSession(client: Client, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return client.as(null).call({
    method: 'POST',
    path: '/v1/session',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ key: client.key }),
  })
}

/** At one node, if the client has several: a cookie and an origin are those of one address. */
export async function signIn({ url, key }: Client): Promise<SignedIn> {
  const answer = await askForSession(createClient(url, key))
  assert.equal(answer.status, 201, answer.text)
  const [setCookie = '', ...others] = answer.headers['set-cookie'] ?? []
  assert.equal(others.length, 0)
  const [cookie = ''] = setCookie.split(';')
  return { client: createClient(url, null, { cookie, origin: url }), cookie, setCookie }
}
