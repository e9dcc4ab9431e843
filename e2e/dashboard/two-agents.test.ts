import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { SESSIONS } from '../../fixtures/demo-agent/questions.ts'
import { discover, listClusters } from '../clusters/discoveries.ts'
import { launchBrowser } from '../lib/browser.ts'
import { runDemo } from '../lib/demo-agent.ts'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'
import { openDashboard } from './lib.ts'

const AIRLINE_RUNS = new URL('../../../shared/data/airline-traces.jsonl', import.meta.url)
const SECRET = 'a secret of nobody else'
const DEMO_RUNS = SESSIONS.flatMap(({ questions }) => questions).length

interface Filled {
  readonly traces: number
  /** One run of each agent; the demo's is a failed one. */
  readonly airlineId: string
  readonly failedId: string
  readonly clusterId: string
  readonly monitorId: string
  readonly webhookId: string
}

/**
 * Creates runs of both agents. Those of the airline agent get metric events with their benchmark's reward, a monitor,
 * clusters and a webhook.
 */
async function fill(service: Service, receiver: Receiver): Promise<Filled> {
  const { client } = service
  const send = async <T>(path: string, body: unknown): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json<T>()
  }
  const subscriptions = await Subscriptions.of(() => client)
  const webhookId = await subscriptions.create({
    url: receiver.url,
    events: ['trace.committed', 'monitor.fired'],
    secret: SECRET,
  })
  const runs = readFileSync(AIRLINE_RUNS, 'utf8').trim().split('\n')
  const scored = await Promise.all(
    runs.map(async (run) => {
      const { metadata } = JSON.parse(run) as { metadata: { reward: number } }
      return { reward: metadata.reward, trace_id: (await client.postTrace(run)).json<{ id: string }>().id }
    }),
  )
  const demo = await runDemo(['--pace', '0'], { SPOOR_URL: service.url, SPOOR_API_KEY: service.key })
  assert.deepEqual([demo.code, demo.error], [0, ''])
  await send('/v1/metrics', { name: 'solved', kind: 'boolean' })
  await send('/v1/metrics', { name: 'reward', kind: 'numeric' })
  const events = scored.flatMap(({ reward, trace_id }) => [
    { name: 'solved', trace_id, passed: reward === 1 },
    { name: 'reward', trace_id, value: reward },
  ])
  await send('/v1/metrics/events', events)
  const { id: monitorId } = await send<{ id: string }>('/v1/monitors', {
    name: 'Too few are solved',
    source: { kind: 'metric', metric: 'solved' },
    aggregation: 'pass_rate',
    window_seconds: 3600,
    comparison: 'lt',
    threshold: 0.5,
  })
  await discover(client)
  const failed = (await client.get('/v1/traces?status=error&limit=1')).json<{ traces: { id: string }[] }>().traces
  const [cluster] = await listClusters(client)
  const traces = runs.length + DEMO_RUNS
  await eventually('the receiver has got all events', () => receiver.received().length >= traces + 1)
  return {
    traces,
    airlineId: scored[0]!.trace_id,
    failedId: failed[0]!.id,
    clusterId: cluster!.id,
    monitorId,
    webhookId,
  }
}

/** Each screen by its path, and the text that must be shown once it has loaded. */
function screens({ traces, airlineId, failedId, clusterId, monitorId, webhookId }: Filled) {
  type Shown = (page: Page) => Promise<unknown>
  const text =
    (wanted: string | RegExp): Shown =>
    (page) =>
      page.getByText(wanted).filter({ visible: true }).first().waitFor()
  const shown: readonly (readonly [path: string, shown: readonly Shown[]])[] = [
    ['/app/traces', [text(/^\d+ failed$/), text('extractive-bm25')]],
    ['/app/traces?name=airline%20agent', [text('airline agent'), text('gpt-4o')]],
    ['/app/traces?q=reservation', [text('airline agent')]],
    [`/app/traces/${airlineId}`, [text('airline agent'), (page) => page.getByRole('treeitem').nth(3).waitFor()]],
    [
      `/app/traces/${failedId}`,
      [(page) => page.getByRole('treeitem').getByText('failed').first().waitFor({ state: 'attached' })],
    ],
    ['/app/metrics', [text('solved'), text('reward')]],
    ['/app/metrics/solved', [(page) => page.getByRole('slider', { name: 'Pass rate' }).waitFor()]],
    ['/app/metrics/reward', [(page) => page.getByRole('slider', { name: 'Average' }).waitFor()]],
    ['/app/monitors', [text('Too few are solved')]],
    [
      `/app/monitors/${monitorId}`,
      [(page) => page.getByRole('main').getByText('Fired', { exact: true }).first().waitFor()],
    ],
    ['/app/clusters', [(page) => page.getByRole('application', { name: `Map of ${traces} traces` }).waitFor()]],
    [`/app/clusters/${clusterId}`, [(page) => page.getByRole('link', { name: 'View traces' }).waitFor()]],
    ['/app/webhooks', [text(/events\?of=spoor/)]],
    [`/app/webhooks/${webhookId}`, [text('monitor.fired'), text('trace.committed')]],
    ['/app/settings', [text('Keys')]],
  ]
  return shown
}

test('each screen over the runs of two agents, from a phone to a large monitor', async (context) => {
  const browser = await launchBrowser()
  if (typeof browser === 'string') return context.skip(browser)
  context.after(() => browser.close())
  if (!existsSync(AIRLINE_RUNS)) return context.skip('the runs of the airline agent are not beside the checkout')
  await using receiver = await Receiver.start(SECRET)
  await using service = await Service.start({
    environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1', SPOOR_MONITOR_INTERVAL_SECONDS: '1' },
  })
  const filled = await fill(service, receiver)
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  for (const [width, height] of [
    [390, 844],
    [2560, 1440],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const [path, shown] of screens(filled)) {
      await page.goto(service.url + path)
      for (const isShown of shown) await isShown(page)
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(tooWide, 0, `${path} at ${width}`)
    }
  }
  await page.goto(`${service.url}/app/traces?name=airline%20agent`)
  await page.getByText('gpt-4o').first().waitFor()
  await page.keyboard.press('w')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Failed traces').selectOption({ label: 'A boolean metric did not pass' })
  const handedOver = 'transfer_to_human_agents was called: 10 of 94 failed runs and 29 of 66 others.'
  await dialog.getByRole('listitem').filter({ hasText: handedOver }).getByRole('link').click()
  await page.waitForURL(/name=airline.*tool=transfer_to_human_agents/)
  await page.getByText('39 ok').waitFor()
  assert.deepEqual([...hosts], [new URL(service.url).host])
  assert.deepEqual(problems, [])
})
