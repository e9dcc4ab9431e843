import { discover, listClusters } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import type { Client } from '../lib/client.ts'
import { createProject, type TestProject } from '../lib/projects.ts'
import { createRandom } from '../lib/random.ts'
import { commit, send } from './store-calls.ts'

const TOPICS = 3
const OF_EACH = 10
const FAILING_TOPIC = 1

/** A project with clusters. Nothing comes after the discoveries, so that its clusters stay as they are. */
export async function fillTopics(admin: Client): Promise<TestProject> {
  const project = await createProject(admin, 'topics')
  const client = admin.as(project.key)
  const random = createRandom(20_261_130)
  for (let n = 0; n < TOPICS * OF_EACH; n++) {
    await commit(client, topicTrace(n % TOPICS, random, n % TOPICS === FAILING_TOPIC))
  }
  const { result } = await discover(client, { k_max: TOPICS })
  if (result?.clusters !== TOPICS) throw new Error(`the discovery found ${result?.clusters} clusters`)
  const selected = await discover(client, { k_max: TOPICS, filters: { status: 'ok' } })
  if (selected.selection_id === null) throw new Error('the discovery has no selection')
  const [largest] = await listClusters(client)
  await send(client, 'PATCH', `/v1/clusters/${largest?.id}`, { label: 'as a person calls it' }, 200)
  await send(client, 'PUT', '/v1/clusters/schedule', { enabled: false, every_hours: 48, k_max: 5 }, 200)
  client.close()
  return project
}
