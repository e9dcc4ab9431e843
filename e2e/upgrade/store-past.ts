import type { Job } from '@spoor/contract/schemas/deletion'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { upload } from '../lib/media/media.ts'
import { createProject, type TestProject } from '../lib/projects.ts'
import { commit, create, read, said, send } from './store-calls.ts'

/** How far back the clock of the service is that takes this data. */
export const PAST_DAYS = 40
const RETENTION = { days: 30, media_days: 7 }
const USER = 'former-user'

/** A project whose retention deletes traces and media, and whose user is deleted. */
export interface PastProject extends TestProject {
  readonly deletionId: string
}

/** On a service whose clock is behind. Resolves when no answer has the traces of the user. */
export async function fillPast(admin: Client): Promise<PastProject> {
  const project = await createProject(admin, 'kept for 30 days')
  const client = admin.as(project.key)
  await create(client, '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 10 })
  const add = async (name: string, userId: string) => {
    const steps = [{ name: 's', messages: [said('user', `a text of ${name}`)] }]
    const id = await commit(client, { name, user_id: userId, steps })
    await create(client, '/v1/metrics/events', { name: 'reward', trace_id: id, value: 2, comment: 'of the past' })
    return id
  }
  await add('expired', 'user')
  const flagged = await add('flagged', 'user')
  await send(client, 'PATCH', `/v1/traces/${flagged}`, { flagged: true, reason: 'kept' }, 200)
  await upload(client, { trace_id: flagged, kind: 'file' }, { content: 'removed after a week', filename: 'old.txt' })
  const ofUser = await add('of a user', USER)
  await upload(client, { trace_id: ofUser, kind: 'file' }, { content: 'of the user', filename: 'own.txt' })
  const { job_id: deletionId } = await send<{ job_id: string }>(client, 'DELETE', `/v1/users/${USER}`, null, 202)
  await eventually('no answer has the user', async () => {
    return (await read<Job>(client, `/v1/jobs/${deletionId}`)).result !== null
  })
  client.close()
  return { ...project, deletionId }
}

export async function limitPast(admin: Client, { id }: PastProject): Promise<void> {
  await send(admin, 'PATCH', `/v1/projects/${id}`, { retention: RETENTION }, 200)
}

/**
 * Resolves when the retention has deleted what is too old, and the bytes of the user have left the disk: a minute after
 * the start of the service.
 */
export async function endOfPast(admin: Client, { key, deletionId }: PastProject): Promise<void> {
  const client = admin.as(key)
  await eventually('the old trace and the media are deleted', async () => {
    const { traces } = await read<{ traces: { attachment_count: number }[] }>(client, '/v1/traces')
    return traces.length === 1 && traces[0]?.attachment_count === 0
  })
  await eventually('the user has left the disk', async () => {
    return (await read<Job>(client, `/v1/jobs/${deletionId}`)).status === 'succeeded'
  })
  client.close()
}
