import assert from 'node:assert/strict'
import { type Client, createClient } from './client.ts'
import { clockBehind } from './clock-behind.ts'
import { runSpoor } from './command.ts'
import type { Service } from './service.ts'

export interface TestProject {
  readonly id: string
  readonly keyId: string
  readonly key: string
}

const ALL_SCOPES = ['ingest', 'read', 'media:sign', 'manage'] as const

/** Another project with its own key. `admin` is the client of the first project. */
export async function createProject(admin: Client, name: string): Promise<TestProject> {
  const { id } = await create<{ id: string }>(admin, '/v1/projects', { name })
  const made = await createKey(admin, id, { scopes: ALL_SCOPES })
  return { id, keyId: made.id, key: made.secret }
}

/** What a page or a client needs of a service. */
export type Place = Pick<Service, 'url' | 'key' | 'client' | 'log'>

/** A new project of a service that several tests share, with a key of every scope but `admin`. */
export async function newPlace(service: Service): Promise<Place> {
  const { url } = service
  // With connections of its own: the service closes idle ones, and the test before may have been long.
  const { key } = await createProject(createClient(url, service.key), 'own')
  return {
    url,
    key,
    client: createClient(url, key),
    get log() {
      return service.log
    },
  }
}

export async function createKey(
  admin: Client,
  projectId: string,
  key: { readonly scopes: readonly string[]; readonly expires_at?: string },
): Promise<{ readonly id: string; readonly secret: string }> {
  return create(admin, `/v1/projects/${projectId}/keys`, { name: 'test', ...key })
}

/** The secret of a key of a service on this machine that has expired: made by a command whose clock is a day behind. */
export async function createExpiredKey(dataDir: string, projectId: string): Promise<string> {
  const args = ['keys', 'create', '--project', projectId, '--name', 'expired', '--scopes', 'ingest,read,manage']
  const made = await runSpoor(dataDir, [...args, '--expires', '1h', '--json'], clockBehind(1))
  assert.equal(made.code, 0, made.error)
  return (JSON.parse(made.out) as { secret: string }).secret
}

export async function firstProjectId(admin: Client): Promise<string> {
  const { projects } = (await admin.get('/v1/projects')).json<{ projects: { id: string }[] }>()
  assert.ok(projects[0])
  return projects[0].id
}

async function create<T>(admin: Client, path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const answer = await admin.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
  assert.equal(answer.status, 201, answer.text)
  return answer.json<T>()
}
