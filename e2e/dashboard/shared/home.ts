import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../lib/eventually.ts'
import { openDashboard, shareService } from '../lib.ts'

const start = shareService()

const RUNS = [
  { name: 'search', status: 'ok' },
  { name: 'search', status: 'error' },
  { name: 'refund', status: 'error' },
].map(({ name, status }) => ({
  name,
  status,
  steps: [
    {
      name: 'look up',
      type: 'tool',
      started_at: '2026-11-20T08:00:00.000Z',
      ended_at: '2026-11-20T08:00:07.000Z',
      ...(status === 'error' ? { status, error: { type: 'TimeoutError', message: 'too late' } } : {}),
    },
  ],
}))

const names = (page: Page) => page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()

test('a project starts with pinned views, which are added, moved, resized and removed', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await service.client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
  }
  for (const run of RUNS) await post('/v1/traces', run)
  const tiles = async () => {
    const { dashboards } = (await service.client.get('/v1/dashboards')).json<{
      dashboards: { tiles: { w: number; view?: { name: string } }[] }[]
    }>()
    return dashboards[0]?.tiles.map(({ w, view }) => `${view?.name} ${w}`) ?? []
  }
  const { page, problems } = await openDashboard(browser, service, '/app')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  const first = ['Runs', 'Failures by type of error', 'Cost by model', 'p95 by step', 'Slowest tools']
  const order = (expected: readonly string[]) =>
    eventually(`the order is ${expected.join()}`, async () => (await names(page)).join() === expected.join())
  await order(first)
  const tile = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
  await tile('Failures by type of error').getByText('TimeoutError').first().waitFor()
  await tile('Slowest tools').getByRole('button', { name: 'look up 7.00 s' }).waitFor()

  // A title leads to the chart with its filters, and what is shown there can be pinned.
  await tile('Failures by type of error').getByRole('link').click()
  await page.waitForURL(/\/traces\?.*status=error/)
  await page.getByRole('region', { name: 'Groups' }).getByRole('button', { name: 'TimeoutError' }).waitFor()
  await page.getByRole('button', { name: 'Cost by user' }).click()
  await page.getByRole('button', { name: 'Pin' }).click()
  await page.getByRole('menuitem', { name: 'Overview' }).click()
  await page.getByText('Pinned to “Overview”').first().waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await tile('Cost by user: failed').waitFor()

  // Arrow keys on the handle move a tile, which keeps the focus.
  const handle = page.getByRole('button', { name: 'Move Cost by user: failed' })
  await handle.focus()
  for (let step = 0; step < 5; step++) await handle.press('ArrowLeft')
  await order(['Cost by user: failed', ...first])
  assert.equal(await page.evaluate('document.activeElement?.ariaLabel'), 'Move Cost by user: failed')
  await page.getByRole('status').filter({ hasText: 'Moved to place 1 of 6' }).waitFor()
  // The pointer drags one over another.
  await page.getByRole('button', { name: 'Move Runs' }).dragTo(tile('Cost by user: failed'))
  await eventually('the order has changed', async () => (await names(page))[0] === 'Runs')
  const menu = async (name: string, item: string) => {
    await page.getByRole('button', { name: `More about ${name}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await menu('Runs', 'Full width')
  await menu('Runs', 'Rename')
  await page.getByRole('dialog').getByLabel('Name').fill('All runs')
  await page.keyboard.press('Enter')
  await tile('All runs').waitFor()
  await menu('Cost by model', 'Remove')
  await tile('Cost by model').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await tile('Cost by model').waitFor()
  await menu('p95 by step', 'Remove')
  const last = ['All runs', 'Cost by user: failed', 'Failures by type of error', 'Cost by model', 'Slowest tools']
  await eventually('the changes are saved', async () => {
    const saved = await tiles()
    return saved.join() === last.map((name, at) => `${name} ${at === 0 ? 12 : 6}`).join()
  })
  await page.reload()
  await tile('All runs').waitFor()
  await order(last)

  // A bucket leads to its runs.
  const chart = tile('All runs').getByRole('slider')
  await chart.press('Enter')
  await page.waitForURL(/\/traces\?.*at=/)
  await page.getByRole('region', { name: 'Traces' }).getByRole('link', { name: 'refund' }).first().waitFor()
  assert.deepEqual(problems, [])
})

test('a project has several dashboards', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await service.client.postTrace({ name: 'a run' })
  const { page, problems } = await openDashboard(browser, service, '/app/home')
  const menu = async (item: string) => {
    await page.getByRole('button', { name: 'More about this dashboard' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await menu('New dashboard')
  await page.getByRole('dialog').getByLabel('Name').fill('Failures')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Nothing is pinned yet' }).waitFor()
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Failures')
  await menu('Rename')
  await page.getByRole('dialog').getByLabel('Name').fill('Ours')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ours', level: 1 }).waitFor()
  await menu('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  assert.deepEqual(problems, [])
})
