import assert from 'node:assert/strict'
import type { Cluster, ClusterList, DiscoveryAccepted, DiscoveryJob } from '@spoor/contract/schemas/cluster'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'

/** Requests a discovery and resolves with its id. */
export async function askForDiscovery(client: Client, parameters: object = {}): Promise<string> {
  const answer = await client.call({
    method: 'POST',
    path: '/v1/clusters/discover',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  })
  assert.equal(answer.status, 202, answer.text)
  return answer.json<DiscoveryAccepted>().job_id
}

export async function readJob(client: Client, id: string): Promise<DiscoveryJob> {
  const answer = await client.get(`/v1/clusters/discover/${id}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<DiscoveryJob>()
}

/** Resolves when it has succeeded or failed. */
export async function jobEnd(client: () => Client, id: string): Promise<DiscoveryJob> {
  let job = await readJob(client(), id)
  await eventually(`discovery ${id} ends`, async () => {
    job = await readJob(client(), id)
    return job.finished_at !== null
  })
  return job
}

export async function discover(client: Client, parameters: object = {}): Promise<DiscoveryJob> {
  const job = await jobEnd(() => client, await askForDiscovery(client, parameters))
  assert.equal(job.status, 'succeeded', JSON.stringify(job))
  return job
}

export async function listClusters(client: Client, query = ''): Promise<readonly Cluster[]> {
  const answer = await client.get(`/v1/clusters${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<ClusterList>().clusters
}
