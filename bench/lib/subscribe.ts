import type { ServiceUnderTest } from './service.ts'

export interface Subscribed {
  readonly projectId: string
  readonly webhookIds: readonly string[]
}

/** Subscribes each of the ports to every committed trace. */
export async function subscribe(service: ServiceUnderTest, ports: readonly number[]): Promise<Subscribed> {
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const { projects } = await call<{ projects: { id: string }[] }>('/v1/projects')
  const projectId = projects[0]!.id
  const webhookIds: string[] = []
  for (const port of ports) {
    const body = { url: `http://127.0.0.1:${port}/`, events: ['trace.committed'], secret: 'a secret of sixteen' }
    webhookIds.push((await call<{ id: string }>(`/v1/projects/${projectId}/webhooks`, body)).id)
  }
  return { projectId, webhookIds }
}

/** Resolves when nothing is pending: no events to dispatch and no deliveries. */
export async function waitUntilDelivered(service: ServiceUnderTest): Promise<void> {
  for (;;) {
    const metrics = await service.metrics()
    const behind = metrics.get('spoor_webhook_journal_behind')
    const pending = metrics.get('spoor_webhook_deliveries_pending')
    if (behind === 0 && pending === 0) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
