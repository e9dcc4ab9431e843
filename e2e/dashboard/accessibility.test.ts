import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { discover } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import { launchBrowser } from '../lib/browser.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { openDashboard } from './lib.ts'

const JSON_BODY = { 'content-type': 'application/json' }

/**
 * Creates data for every screen. Resolves with the screens' paths, and a heading or name that is shown once each has
 * loaded.
 */
async function fill(service: Service): Promise<readonly (readonly [path: string, loaded: string])[]> {
  const { client } = service
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await client.call({ method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json<T>()
  }
  const random = createRandom(1)
  for (let n = 0; n < 40; n++) await post('/v1/traces', topicTrace(n % 2, random, n % 5 === 0))
  const { id: traceId } = await post<{ id: string }>('/v1/traces', {
    name: 'look it up',
    session_id: 'trip 1',
    user_id: 'ana',
    metadata: { env: 'prod' },
    steps: [
      { name: 'search', type: 'retrieval', status: 'error', error: { type: 'Timeout', message: 'too late' } },
      {
        name: 'answer',
        type: 'llm',
        model: 'gpt-4o',
        token_usage: { input: 10, output: 5 },
        messages: [{ role: 'user', content: [{ type: 'text', text: '## Hello\n\n[a link](https://example.org)' }] }],
      },
    ],
  })
  await post('/v1/metrics', { name: 'solved', kind: 'boolean' })
  await post('/v1/metrics/events', { name: 'solved', trace_id: traceId, passed: true })
  const source = { kind: 'metric', metric: 'solved' }
  const condition = { aggregation: 'pass_rate', window_seconds: 3600, comparison: 'lt', threshold: 0.5 }
  const monitor = await post<{ id: string }>('/v1/monitors', { name: 'Too few', source, ...condition })
  const { projects } = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>()
  const webhooks = `/v1/projects/${projects[0]!.id}/webhooks`
  const webhook = await post<{ id: string }>(webhooks, { url: 'http://127.0.0.1:9/hook', events: ['trace.committed'] })
  await discover(client, { k_max: 4 })
  return [
    ['/app/traces', 'look it up'],
    ['/app/traces?lines=1&columns=status,name,input,output,cost_usd,meta:env,metadata', 'look it up'],
    [`/app/traces/${traceId}`, 'answer'],
    [`/app/traces/${traceId}?tab=conversation`, 'Hello'],
    [`/app/traces/${traceId}?tab=json`, 'Copy JSON'],
    ['/app/sessions', 'trip 1'],
    ['/app/sessions/trip%201', 'too late'],
    ['/app/users/ana', 'Failed traces'],
    ['/app/metrics', 'solved'],
    ['/app/metrics/solved', 'solved'],
    ['/app/monitors', 'Too few'],
    [`/app/monitors/${monitor.id}`, 'Too few'],
    ['/app/clusters', 'Discover clusters'],
    ['/app/webhooks', '127.0.0.1:9/hook'],
    [`/app/webhooks/${webhook.id}`, '127.0.0.1:9/hook'],
    ['/app/settings', 'Keys'],
    ['/app/nowhere', 'This page does not exist'],
  ]
}

/** The violations that axe reports for the current page, as lines. */
async function violations(page: Page): Promise<readonly string[]> {
  const { violations: found } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  )) as AxeResults
  return found.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  )
}

test('no screen has an axe violation, in light and dark, wide and narrow', async (context) => {
  const browser = await launchBrowser()
  if (typeof browser === 'string') return context.skip(browser)
  context.after(() => browser.close())
  await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1' } })
  const screens = await fill(service)
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const found: string[] = []
  const looks = [
    { width: 1440, height: 900, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'dark' },
  ] as const
  for (const { width, height, colorScheme } of looks) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const [path, loaded] of screens) {
      await page.goto(service.url + path)
      await page.getByText(loaded).filter({ visible: true }).first().waitFor()
      await page.evaluate(axe.source)
      for (const line of await violations(page)) found.push(`${path} at ${width} in ${colorScheme}: ${line}`)
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (Number(tooWide) > 0) found.push(`${path} at ${width} is ${tooWide} px too wide`)
    }
  }
  assert.deepEqual(found, [])
  assert.deepEqual(problems, [])
})
