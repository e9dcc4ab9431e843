import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../lib/client.ts'
import { eventually } from '../../lib/eventually.ts'
import { commitRuns, type Run } from '../../metrics/made-up-runs.ts'
import { openDashboard, shareService } from '../lib.ts'

const start = shareService()

const JSON_BODY = { 'content-type': 'application/json' }
/** Characters that are special in paths and HTML. */
const NAME = 'solved/<b>?#%20'

/** One metric event for each run. */
async function recordEvents(client: Client, runs: readonly Run[]): Promise<void> {
  const events = runs.map(({ traceId, reward, task }, index) => ({
    name: NAME,
    trace_id: traceId,
    passed: reward === 1,
    source: index % 2 === 0 ? 'code' : 'llm',
    comment: `task ${task} <img src=x onerror=alert(1)>`,
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
  await page.getByRole('link', { name: NAME }).waitFor()
}

test('a metric is defined, is a measure of the chart, and leads to the runs behind a bucket and a group', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const runs = await commitRuns(service.client)
  const { page, problems } = await openDashboard(browser, service, '/app/metrics')
  await page.getByRole('heading', { name: 'No metrics yet' }).waitFor()
  await defineInForm(page)
  await recordEvents(service.client, runs)
  await page.getByRole('button', { name: `More about ${NAME}` }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByLabel('Description').fill('Whether the run was solved')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByTitle(/Whether the run was solved/).waitFor()

  // The path of a metric, with its special characters, is that of its chart.
  await page.goto(`${service.url}/app/metrics/${encodeURIComponent(NAME)}?range=24h`)
  await page.waitForURL(/\/traces\?.*measure=metric/)
  const chart = page.getByRole('slider', { name: 'Pass rate' })
  await chart.waitFor()
  const solved = runs.filter(({ reward }) => reward === 1).length
  const groups = page.getByRole('region', { name: 'Groups' })
  const share = `${Number(((100 * solved) / runs.length).toFixed(1))}%`
  await groups.getByRole('row', { name: 'All' }).getByText(share, { exact: true }).waitFor()
  const listed = page.getByRole('region', { name: 'Traces that did not pass' })
  await eventually('all runs that did not pass are listed', async () => {
    return (await listed.getByRole('listitem').count()) === runs.length - solved
  })

  // With the keyboard to the latest bucket with runs.
  await chart.press('End')
  for (let step = 0; step < 60 && /no data/.test((await chart.getAttribute('aria-valuetext')) ?? ''); step++) {
    await chart.press('ArrowLeft')
  }
  await chart.press('Enter')
  await page.waitForURL(/[?&]at=/)
  await listed.getByRole('button', { name: 'Show the whole range' }).click()

  // Grouped by a typed metadata key and then by a second field, as a chart and as a table.
  await page.getByLabel('Group by').selectOption('Metadata …')
  await page.getByLabel('Metadata key, group by').fill('task_id')
  await page.getByLabel('Metadata key, group by').press('Enter')
  await page.getByText('7 of 7 groups drawn').waitFor()
  for (const task of [0, 1, 6]) {
    const own = runs.filter((run) => run.task === task)
    const rate = own.filter(({ reward }) => reward === 1).length / own.length
    const row = groups.getByRole('row').filter({ has: page.getByRole('button', { name: String(task), exact: true }) })
    await row.getByText(`${own.length}`, { exact: true }).waitFor()
    const shown = (await row.getByRole('cell').allTextContents())[1] ?? ''
    assert.ok(Math.abs(Number.parseFloat(shown) / 100 - rate) < 0.001, `${shown} of ${rate}`)
  }
  // A click on a legend entry draws its line alone, another one all.
  const entry = page.locator('figcaption').getByRole('button', { name: '3', exact: true })
  await entry.click()
  assert.equal(await entry.getAttribute('aria-pressed'), 'true')
  await entry.click()
  assert.equal(await entry.getAttribute('aria-pressed'), 'false')
  // The values of the bucket under the pointer are beside it, and go with it.
  const tooltip = chart.locator('xpath=following-sibling::*')
  assert.equal(await tooltip.count(), 0)
  await chart.hover()
  await tooltip.getByText(/traces$/).waitFor()
  await page.mouse.move(0, 0)
  await tooltip.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('columnheader', { name: '2', exact: true }).waitFor()
  // The runs of one group in one bucket: those that did not pass.
  const table = page.getByRole('table', { name: 'Pass rate' })
  const column = (await table.getByRole('columnheader').allTextContents()).indexOf('1')
  await table
    .locator('tbody tr')
    .locator(`td:nth-child(${column + 1})`)
    .getByRole('button')
    .first()
    .click()
  await page.waitForURL(/[?&]group=/)
  await listed.getByText('Group: 1').waitFor()
  // Until they are read, the rows before are shown.
  const failed = runs.filter(({ task, reward }) => task === 1 && reward !== 1)
  await eventually('the failed runs of the group are listed', async () => {
    return (await listed.getByRole('listitem').count()) === failed.length
  })
  await listed.getByRole('button', { name: 'Show the whole range' }).click()

  await page.getByRole('checkbox', { name: 'Draw 2' }).uncheck()
  await table.getByRole('columnheader', { name: '2', exact: true }).waitFor({ state: 'detached' })
  // Two fields: each pair is a group, and the name of one lists its runs.
  await page.getByLabel('Then by').selectOption('Status')
  await groups.getByRole('button', { name: '4 · ok' }).click()
  await listed.getByText('Group: 4 · ok').waitFor()
  await page.getByLabel('Then by').selectOption('None')
  // Ranked by rows, with the period before, as a table alone.
  await page.getByLabel('First groups').selectOption('Most traces')
  await page.waitForURL(/rank=count/)
  await page.getByLabel('Period before').check()
  await page.waitForURL(/before=true/)
  await page.getByLabel('Draw', { exact: true }).selectOption('Table only')
  await page.locator('figure').waitFor({ state: 'detached' })
  await groups.getByRole('button', { name: '0', exact: true }).waitFor()

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
