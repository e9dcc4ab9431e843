import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { idAtTime } from '../../packages/server/src/lib/ids/ids.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import type { Client } from '../lib/client.ts'
import { createKey, firstProjectId } from '../lib/projects.ts'
import { createRandom } from '../lib/random.ts'
import { row, type Task } from './hands.ts'

const scored = async (client: Client) =>
  (await client.get('/v1/metrics/events?name=solved&limit=1000')).json<{ events: object[] }>().events.length

/** Waits until the trace can be scored, presses the key of a score, and waits for the next trace. */
async function score(page: Page, press: () => Promise<void>): Promise<void> {
  await page.locator('[aria-label=Score][aria-busy=false]').waitFor()
  const { pathname } = new URL(page.url())
  await press()
  await page.waitForURL((url) => url.pathname !== pathname, { waitUntil: 'commit' })
}

/** Of an hour ago, so that the first rows of the list stay where they are. */
async function importTopic(client: Client, topic: number, count: number): Promise<void> {
  const random = createRandom(topic)
  const from = Date.now() - 3_600_000
  const imports = Array.from({ length: count }, (_, n) => {
    const id = idAtTime('tr', from + n)
    const body = JSON.stringify({ id, from: 0, flagged: false, flag_reason: null, trace: topicTrace(topic, random) })
    return client.call({
      method: 'PUT',
      path: `/v1/traces/${id}`,
      headers: { 'content-type': 'application/json' },
      body,
    })
  })
  for (const { status, text } of await Promise.all(imports)) assert.equal(status, 202, text)
}

async function deleteTopic(client: Client, topic: number): Promise<void> {
  const { traces } = (await client.get(`/v1/traces?meta_key=topic&meta_value=${topic}&limit=100`)).json<{
    traces: { id: string }[]
  }>()
  const deleted = traces.map(({ id }) => client.call({ method: 'DELETE', path: `/v1/traces/${id}` }))
  assert.deepEqual(new Set((await Promise.all(deleted)).map(({ status }) => status)), new Set([204]))
}

/** They change runs, or what the list shows of them, so they come behind those that only read. */
export const CHANGING_TASKS: readonly Task[] = [
  {
    what: 'list the slowest runs of the last 24 hours',
    most: 3,
    run: async (hands, page) => {
      await hands.press('t')
      await hands.click(page.getByRole('button', { name: 'Last 24 hours' }))
      await hands.click(page.getByRole('columnheader', { name: 'Duration' }).getByRole('button'))
      await page.waitForURL(/range=24h.*sort=duration_ms|sort=duration_ms.*range=24h/)
      const first = page.getByRole('table', { name: 'Traces' }).getByRole('row').nth(1)
      await first.getByRole('link', { name: 'slow search' }).waitFor()
    },
  },
  {
    what: 'show two more columns',
    most: 4,
    run: async (hands, page) => {
      await hands.click(page.getByRole('button', { name: 'Columns' }))
      for (const name of ['version', 'solved']) await hands.click(page.getByRole('menuitemcheckbox', { name }))
      await hands.press('Escape')
      for (const name of ['version', 'solved']) await page.getByRole('columnheader', { name }).waitFor()
    },
  },
  {
    what: 'score ten runs',
    most: 12,
    run: async (hands, page, { client }) => {
      const before = await scored(client)
      await hands.click(page.getByRole('button', { name: 'Review' }))
      await hands.click(page.getByRole('menuitem', { name: 'solved' }))
      for (let n = 0; n < 10; n++) await score(page, () => hands.press('1'))
      assert.equal(await scored(client), before + 10)
    },
  },
  {
    what: 'follow a running agent',
    most: 1,
    run: async (hands, page, { client }) => {
      const started_at = new Date().toISOString()
      const run = { name: 'running agent', started_at, steps: [{ name: 'plan', started_at }] }
      const { id } = (await client.postTrace(run)).json<{ id: string }>()
      await hands.click(row(page, 'running agent'))
      await page.getByText('running', { exact: true }).first().waitFor()
      await client.append(id, `${JSON.stringify({ name: 'came later', started_at })}\n`)
      await page.getByRole('treeitem', { name: 'came later' }).waitFor()
    },
  },
  {
    what: 'make a monitor and watch it fire',
    most: 5,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Monitors' }))
      await hands.click(page.getByRole('button', { name: 'New monitor' }))
      const form = page.getByRole('dialog', { name: 'New monitor' })
      await hands.type(form.getByLabel('Name'), 'Some fail')
      await hands.type(form.getByLabel('Threshold', { exact: true }), '0.01')
      await form.getByText(/^Would |^No data/).waitFor()
      await hands.press('Enter')
      await page.getByRole('heading', { name: 'Some fail', level: 1 }).waitFor()
      await page.getByRole('main').getByText('Fired', { exact: true }).first().waitFor()
    },
  },
  {
    what: 'revoke a key',
    most: 3,
    run: async (hands, page, { client }) => {
      const { secret } = await createKey(client, await firstProjectId(client), { scopes: ['read'] })
      const status = async () => (await client.as(secret).get('/v1/traces?limit=1')).status
      assert.equal(await status(), 200)
      await hands.click(page.getByRole('link', { name: 'Settings' }))
      await hands.click(page.getByRole('button', { name: 'Revoke test' }))
      await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Revoke' }))
      await page.getByRole('button', { name: 'Revoke test' }).waitFor({ state: 'detached' })
      assert.equal(await status(), 401)
    },
  },
  {
    what: 'discover clusters again, and see which are new, which have shifted and which have ended',
    most: 4,
    run: async (hands, page, { client }) => {
      // No other trace is in its cluster, so it ends, whether or not its members were removed before.
      await deleteTopic(client, 1)
      // So many that the share of the other topic falls to a third.
      await importTopic(client, 4, 100)
      await hands.click(page.getByRole('link', { name: 'Clusters' }))
      await hands.click(page.getByRole('button', { name: 'Discover clusters' }).first())
      await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Run discovery' }))
      await page.getByText(/Found \d+ clusters/).waitFor()
      const table = page.getByRole('table', { name: 'Clusters of the last run' })
      await table.getByText('new', { exact: true }).filter({ visible: true }).first().waitFor()
      const stays = table.getByRole('row').filter({ hasText: 'weather forecast' })
      await stays
        .getByText(/^shrunk/)
        .filter({ visible: true })
        .first()
        .waitFor()
      await hands.click(page.getByText('2 runs stored'))
      await page.getByText(/^Not found by the last run: .*translate/).waitFor()
      const cells = page.getByRole('region', { name: 'Runs' }).getByRole('row').nth(1).getByRole('cell')
      const [created, shifted, ended] = (await cells.allInnerTexts()).slice(3).map(Number)
      for (const count of [created, shifted, ended])
        assert.ok(Number(count) > 0, `${created} new, ${shifted} shifted, ${ended} ended`)
    },
  },
]
