import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { eventually } from '../lib/eventually.ts'
import { filesHolding } from '../lib/files-holding.ts'
import { Service } from '../lib/service.ts'
import { Subscriptions } from './subscriptions.ts'

const MARK = 'vuaszwxh'
const FORMATS = ['json', 'slack', 'discord', 'pagerduty'] as const

/** How a receiver answers, by the first part of its path. Most repeat the address. */
const ANSWERS: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  accept: (_request, response) => response.writeHead(204).end(),
  redirect: ({ url }, response) => response.writeHead(301, { location: `https://127.0.0.1${url}` }).end(`see ${url}`),
  refuse: ({ url }, response) => response.writeHead(500, { 'x-path': url ?? '' }).end(JSON.stringify({ url })),
  gone: ({ url }, response) => response.writeHead(410, `Gone ${url}`).end(),
  hang: ({ url }, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write(url)
    setTimeout(() => response.destroy(), 50)
  },
  garble: ({ url, socket }) => socket.end(`HTTP/1.1 two hundred ${url}\r\n\r\n`),
}

async function receiver(context: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => ANSWERS[request.url?.split('/')[1] ?? '']?.(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Detail {
  readonly attempts: readonly { readonly request: { readonly url: string } }[]
}

test('neither disk nor log holds path or query of a webhook, whatever its receiver answers; the API shows them', async (context) => {
  const origin = await receiver(context)
  await using service = await Service.start({
    environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1', SPOOR_LOG_LEVEL: 'trace' },
  })
  const subscriptions = await Subscriptions.of(() => service.client)
  const bases = [...Object.keys(ANSWERS).map((answer) => `${origin}/${answer}`), 'http://127.0.0.1:1']
  const made: { readonly id: string; readonly url: string }[] = []
  for (const base of bases) {
    for (const format of FORMATS) {
      const url = `${base}/path-${MARK}?query=${MARK}`
      const secret = 'a secret of sixteen'
      const id = await subscriptions.create({ url, format, secret, events: ['trace.committed'] })
      made.push({ id, url })
      await subscriptions.post(`/${id}/ping`, {}, 202)
    }
  }
  await service.client.postTrace({ name: 'a run' })
  const attempted = async (id: string, most: number) => {
    const deliveries = await subscriptions.deliveries(id)
    return deliveries.length >= most && deliveries.every(({ attempt_count: count }) => count > 0)
  }
  for (const { id, url } of made) {
    await eventually(`attempts to ${url}`, () => attempted(id, url.includes('/gone/') ? 1 : 2))
    assert.equal((await subscriptions.read<{ url: string }>(`/${id}`)).url, url)
    for (const { id: deliveryId } of await subscriptions.deliveries(id)) {
      const { attempts } = await subscriptions.read<Detail>(`/${id}/deliveries/${deliveryId}`)
      assert.ok(attempts.every(({ request }) => request.url === url))
    }
  }
  for (const { id } of made) await subscriptions.patch(id, { url: `${origin}/accept/moved-${MARK}`, enabled: true })
  await service.client.postTrace({ name: 'another run' })
  for (const { id } of made) await eventually('attempts at the new address', () => attempted(id, 2))

  assert.deepEqual(filesHolding(service.dataDir, MARK), [], 'while it runs')
  await service.stop()
  assert.deepEqual(filesHolding(service.dataDir, MARK), [], 'after it has stopped')
  assert.ok(
    !service.log.includes(MARK),
    service.log.split('\n').find((line) => line.includes(MARK)),
  )
  await service.start()
  const { url } = await subscriptions.read<{ url: string }>(`/${made[0]?.id}`)
  assert.equal(url, `${origin}/accept/moved-${MARK}`)
})
