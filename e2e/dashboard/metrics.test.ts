import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import type { Client } from '../lib/client.ts'
import { Service } from '../lib/service.ts'
import { commitRuns, type Run } from '../metrics/made-up-runs.ts'
import { openDashboard } from './lib.ts'

const JSON_BODY = { 'content-type': 'application/json' }
/** Characters that are special in paths and HTML. */
const NAME = 'solved/<b>?#%20'

/** One metric event for each run, twenty minutes apart, the newest an hour ago. */
async function recordEvents(client: Client, runs: readonly Run[]): Promise<void> {
  const events = runs.map(({ traceId, reward, task }, index) => ({
    name: NAME,
    trace_id: traceId,
    passed: reward === 1,
    source: index % 2 === 0 ? 'code' : 'llm',
    comment: `task ${task} <img src=x onerror=alert(1)>`,
    metadata: { judge: `judge-${index % 3}` },
    at: new Date(Date.now() - 3_600_000 - index * 1_200_000).toISOString(),
  }))
  const body = JSON.stringify(events)
  const answer = await client.call({ method: 'POST', path: '/v1/metrics/events', headers: JSON_BODY, body })
  assert.equal(answer.status, 200, answer.text)
}

async function defineInForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create metric' }).click()
  const form = page.getByRole('dialog', { name: 'New metric' })
  await form.getByLabel('Name').fill('events')
  await form.getByRole('button', { name: 'Create metric' }).click()
  await form.getByRole('alert').filter({ hasText: 'reserved' }).waitFor()
  assert.equal(await form.getByLabel('Name').getAttribute('aria-invalid'), 'true')
  // A typed input is not discarded without a question.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await form.getByLabel('Name').fill(NAME)
  await form.getByRole('button', { name: 'Create metric' }).click()
  await page.getByRole('heading', { name: NAME, level: 1 }).waitFor()
}

test('a metric is defined, charted over time and by group, and followed to the traces of a bucket', async (context) => {
  const browser = await launchBrowser()
  if (typeof browser === 'string') return context.skip(browser)
  context.after(() => browser.close())
  await using service = await Service.start()
  const runs = await commitRuns(service.client)
  const { page, problems } = await openDashboard(browser, service, '/app/metrics')
  await page.getByRole('heading', { name: 'No metrics yet' }).waitFor()
  await defineInForm(page)
  await recordEvents(service.client, runs)
  await page.goto(`${page.url()}?range=24h`)

  // With the keyboard to the latest bucket with events.
  const chart = page.getByRole('slider', { name: 'Pass rate' })
  await chart.waitFor()
  const listed = page.getByRole('region', { name: 'Events' })
  await listed.getByText('End of list').waitFor()
  assert.equal(await listed.getByRole('listitem').count(), runs.length)
  await chart.press('End')
  for (let step = 0; step < 60 && /no data/.test((await chart.getAttribute('aria-valuetext')) ?? ''); step++) {
    await chart.press('ArrowLeft')
  }
  await chart.press('Enter')
  await page.waitForURL(/[?&]at=/)
  await listed.getByRole('button', { name: 'Show the whole range' }).waitFor()
  await listed.getByText('End of list').waitFor()
  const inBucket = await listed.getByRole('listitem').count()
  assert.ok(inBucket > 0 && inBucket <= 2, `${inBucket} events in half an hour`)
  await listed.getByRole('button', { name: 'Show the whole range' }).click()
  await listed
    .getByRole('listitem')
    .nth(runs.length - 1)
    .waitFor()

  await listed.getByLabel('Filter by value').selectOption('Failed')
  const failed = runs.filter(({ reward }) => reward !== 1).length
  await listed.getByRole('listitem').filter({ hasText: 'Passed' }).first().waitFor({ state: 'detached' })
  assert.equal(await listed.getByRole('listitem').count(), failed)

  // Grouped by a typed metadata key, as a chart and as a table.
  await page.getByLabel('Group by').selectOption('Metadata …')
  await page.getByLabel('Metadata key').fill('judge')
  await page.getByLabel('Metadata key').press('Enter')
  await page.getByText('3 of 3 groups drawn').waitFor()
  // A click on a legend entry draws its line alone, another one all.
  const entry = page.locator('figcaption').getByRole('button', { name: 'judge-1' })
  await entry.click()
  assert.equal(await entry.getAttribute('aria-pressed'), 'true')
  await entry.click()
  assert.equal(await entry.getAttribute('aria-pressed'), 'false')
  // The values of the bucket under the pointer are beside it, and go with it.
  const tooltip = chart.locator('xpath=following-sibling::*')
  assert.equal(await tooltip.count(), 0)
  await chart.hover()
  await tooltip
    .getByText(/judge-\d|no data/)
    .first()
    .waitFor()
  await page.mouse.move(0, 0)
  await tooltip.waitFor({ state: 'detached' })
  await chart.press('End')
  for (let step = 0; step < 60 && !/judge-1 \d/.test((await chart.getAttribute('aria-valuetext')) ?? ''); step++) {
    await chart.press('ArrowLeft')
  }
  const told = /judge-1 (\S+?)(?:,|$)/.exec((await chart.getAttribute('aria-valuetext')) ?? '')?.[1]
  assert.equal(await tooltip.locator('p', { hasText: 'judge-1' }).textContent(), `judge-1${told}`)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('columnheader', { name: 'judge-2' }).waitFor()
  // The events of one group in one bucket.
  const table = page.getByRole('table', { name: 'Pass rate' })
  const column = await table.getByRole('columnheader').allTextContents()
  const cells = table.locator('tbody tr').locator(`td:nth-child(${column.indexOf('judge-1') + 1})`)
  await cells.getByRole('button').first().click()
  await page.waitForURL(/[?&]group=/)
  await listed.getByText('Group: judge-1').waitFor()
  await listed.getByText('End of list').waitFor()
  assert.equal(await listed.getByRole('listitem').count(), 1)
  await listed.getByRole('button', { name: 'Show the whole range' }).click()

  await page.getByRole('checkbox', { name: 'Draw judge-2' }).uncheck()
  await page.getByRole('columnheader', { name: 'judge-2' }).waitFor({ state: 'detached' })
  // The name of a group lists its events of the whole range.
  await page.getByRole('region', { name: 'Groups' }).getByRole('button', { name: 'judge-2' }).click()
  await listed.getByText('Group: judge-2').waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Description').fill('Whether the run was solved')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Whether the run was solved').waitFor()

  const newest = listed.getByRole('link').first()
  const path = await newest.getAttribute('href')
  assert.match(path ?? '', /^\/app\/p\/proj_\w+\/traces\/tr_/)

  await page.getByRole('link', { name: 'Metrics' }).first().click()
  await page.getByRole('link', { name: NAME }).waitFor()
  // The range goes with the reader, in the address of each screen.
  await page.waitForURL(/\/metrics\?range=24h$/)
  await page.getByRole('link', { name: 'Sessions' }).first().click()
  await page.waitForURL(/\/sessions\?range=24h$/)
  await page.goBack()
  await page.getByRole('link', { name: 'Tokens' }).click()
  await page.waitForURL(/\/traces\?.*measure=total_tokens/)
  await page.getByRole('slider', { name: 'Tokens' }).waitFor()
  await page.getByRole('heading', { name: 'Traces, most tokens first' }).waitFor()
  await page.getByRole('link', { name: 'made-up agent' }).first().waitFor()
  assert.deepEqual(problems, [])
})
