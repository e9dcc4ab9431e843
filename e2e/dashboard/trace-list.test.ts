import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { placeOf } from '../lib/place-of.ts'
import { openDashboard, shareService } from './lib.ts'
import { manyRuns } from './airline-runs.ts'

const start = shareService()

const DAY_MS = 86_400_000

const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
const table = (page: Page) => page.getByRole('table', { name: 'Traces' })
const rowWith = (page: Page, text: string) => table(page).getByRole('row').filter({ hasText: text })
/** That of the boxes has no text. */
const columns = (page: Page) => table(page).getByRole('columnheader').allTextContents()

test('runs of one name are told apart by what went in and came out', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  for (const run of manyRuns().slice(0, 40)) assert.equal((await service.client.postTrace(run)).status, 202)
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const [first, second] = (await walkFeed(service.client)) as [TraceRow, TraceRow]
  assert.equal(first.name, second.name)
  assert.notEqual(first.input_preview, second.input_preview)
  for (const { input_preview, output_preview } of [first, second]) {
    const row = rowWith(page, input_preview!)
    await row.getByText(output_preview!, { exact: true }).first().waitFor()
    assert.equal(await row.count(), 1)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('listitem').getByText(first.input_preview!, { exact: true }).waitFor()
  assert.deepEqual(problems, [])
})

const WITH_STARTS = '/app/traces?columns=status,name,input,output,started_at,created_at'

test('a failure shows its error, a flag is shown where it says more, and both times are labelled', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const error = { type: 'TimeoutError', message: 'the carrier did not answer' }
  const track = { name: 'track', type: 'tool', status: 'error', error, started_at: ago(3 * DAY_MS) }
  const ask = { name: 'ask', type: 'llm', messages: [said('user', 'Where is it?'), said('assistant', 'In Oslo.')] }
  await service.client.postTrace({ name: 'failed run', steps: [ask, track] })
  const { id } = (await service.client.postTrace({ name: 'flagged run', steps: [ask] })).json<{ id: string }>()
  const headers = { 'content-type': 'application/json' }
  await service.client.call({ method: 'PATCH', path: `/v1/traces/${id}`, headers, body: '{"flagged":true}' })

  const { page, problems } = await openDashboard(browser, service, WITH_STARTS)
  const failed = rowWith(page, 'failed run')
  const shown = failed.getByText('TimeoutError: the carrier did not answer')
  await shown.waitFor()
  assert.match((await shown.getAttribute('class')) ?? '', /text-fail/)
  assert.equal(await failed.getByText('Flagged', { exact: true }).count(), 0)
  assert.equal(await rowWith(page, 'flagged run').getByText('Flagged', { exact: true }).count(), 1)
  await failed.getByText('3 d ago').waitFor()
  const hints = await failed.locator('time').evaluateAll((times) => times.map((time) => time.getAttribute('title')))
  assert.equal(hints.length, 2)
  for (const hint of hints) assert.match(hint ?? '', /^Received .+\nStarted /)
  assert.equal(await rowWith(page, 'flagged run').locator('time').count(), 1)
  assert.deepEqual((await columns(page)).slice(0, 5), ['', 'Status', 'Name', 'Started', 'Received'])

  // From 1,700 pixels on, what was said is beside the name, no longer below it.
  const input = rowWith(page, 'flagged run').getByText('Where is it?')
  const isBelowName = async () => {
    const name = await placeOf(rowWith(page, 'flagged run').getByRole('link', { name: 'flagged run' }))
    return (await placeOf(input)).y >= name.y + name.height
  }
  for (const [width, isBelow] of [
    [1699, true],
    [1700, false],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await eventually(`the input of a run in a window of ${width} px`, async () => (await isBelowName()) === isBelow)
  }
  assert.deepEqual(problems, [])
})

test('columns and lines are in the address, also after a filter, and metadata that varies is offered', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  for (const n of [1, 2, 3]) {
    const metadata = { domain: 'airline', 'task, id': n, trial: 0, policy: 'x'.repeat(300), tools: { list: [n] } }
    await service.client.postTrace({
      name: `run ${n}`,
      metadata,
      steps: [{ name: 'a', messages: [said('user', `ask ${n}`)] }],
    })
  }
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await rowWith(page, 'run 3').waitFor()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'task, id' }).click()
  assert.equal(await page.getByRole('menuitemcheckbox', { name: 'domain' }).count(), 0, 'it is the same everywhere')
  for (const name of ['Models', 'Duration', 'Metadata']) await page.getByRole('menuitemcheckbox', { name }).click()
  await page.getByRole('menuitemradio', { name: 'One' }).click()
  await page.keyboard.press('Escape')
  const chosen = [
    '',
    'Status',
    'Name',
    'Input',
    'Output',
    'Received',
    'Steps',
    'Tokens',
    'Cost',
    'task, id',
    'Metadata',
  ]
  assert.deepEqual(await columns(page), chosen)
  await rowWith(page, 'run 2').getByRole('button', { name: '2', exact: true }).click()
  await page.getByRole('menuitem', { name: 'task, id 2' }).click()
  await rowWith(page, 'run 3').waitFor({ state: 'detached' })
  assert.match(page.url(), /columns=.+&lines=1/)
  assert.deepEqual(await columns(page), chosen)

  // All metadata by keys: the row, then its button.
  await page.keyboard.press('j')
  await page.locator('a:focus').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu', { name: 'Filter by a value' })
  for (const value of ['domain airline', 'task, id 2', 'trial 0', 'tools {"list":[2]}'])
    await menu.getByRole('menuitem', { name: value }).waitFor()
  await page.keyboard.press('Escape')

  // Another reader sees the same by the address, this one also without it.
  const other = await openDashboard(browser, service, page.url().slice(service.url.length))
  await rowWith(other.page, 'run 2').waitFor()
  assert.deepEqual(await columns(other.page), chosen)
  await page.goto(`${service.url}/app/traces`)
  await rowWith(page, 'run 3').waitFor()
  assert.deepEqual(await columns(page), chosen)
  assert.deepEqual([...problems, ...other.problems], [])
})

test('latest values of metrics are columns; a list is sorted and bounded by cost', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const post = (path: string, body: object) =>
    service.client.call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/v1/metrics', { name: 'quality, of 5', kind: 'numeric' })
  await post('/v1/metrics', { name: 'correct', kind: 'boolean' })
  for (const n of [1, 3, 2]) {
    const steps = [{ name: 'ask', type: 'llm', model: 'gpt-4o', token_usage: { input: n * 100_000 } }]
    const { id } = (await service.client.postTrace({ name: `run ${n}`, steps })).json<{ id: string }>()
    await post('/v1/metrics/events', {
      name: 'quality, of 5',
      trace_id: id,
      value: 1,
      at: new Date(Date.now() - DAY_MS).toISOString(),
    })
    await post('/v1/metrics/events', { name: 'quality, of 5', trace_id: id, value: n + 0.5 })
    if (n !== 3) await post('/v1/metrics/events', { name: 'correct', trace_id: id, passed: n === 1 })
  }
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await rowWith(page, 'run 3').waitFor()
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const name of ['quality, of 5', 'correct']) await page.getByRole('menuitemcheckbox', { name }).click()
  await page.keyboard.press('Escape')
  // Each column is another request.
  await rowWith(page, 'run 3').getByText('3.5', { exact: true }).waitFor()
  await rowWith(page, 'run 1').getByText('Passed').waitFor()
  const cells = async (name: string) => (await rowWith(page, name).getByRole('cell').allInnerTexts()).join(' | ')
  assert.match(await cells('run 1'), /1\.5.+Passed/)
  assert.match(await cells('run 2'), /2\.5.+Failed/)
  assert.doesNotMatch(await cells('run 3'), /Passed|Failed/)

  await table(page).getByRole('columnheader', { name: 'Cost' }).getByRole('button').click()
  await page.waitForURL(/sort=cost_usd/)
  const order = async () =>
    (await table(page).getByRole('row').allInnerTexts()).flatMap((row) => /run \d/.exec(row) ?? [])
  await eventually('dearest first', async () => (await order()).join() === 'run 3,run 2,run 1')
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.keyboard.type('cost at least')
  await page.keyboard.press('Enter')
  await page.keyboard.type('$0.4')
  await page.getByRole('option', { name: '$0.4' }).waitFor()
  await page.keyboard.press('Enter')
  await rowWith(page, 'run 1').waitFor({ state: 'detached' })
  assert.deepEqual(await order(), ['run 3', 'run 2'])
  assert.match(page.url(), /min_cost_usd=0\.4/)
  // The neighbours are those of this list.
  await rowWith(page, 'run 3').getByRole('link', { name: 'run 3' }).click()
  await page.getByRole('heading', { name: 'run 3', level: 1 }).waitFor()
  await page.keyboard.press(']')
  await page.getByRole('heading', { name: 'run 2', level: 1 }).waitFor()
  assert.deepEqual(problems, [])
})

test('each form has sort keys of its own, and ignores those of the other', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const begun = (name: string, hour: number) => ({ name, started_at: `2026-01-01T0${hour}:00:00.000Z` })
  await service.client.postTrace({ name: 'two steps', steps: [begun('third', 3), begun('first', 1)] })
  await service.client.postTrace({ name: 'one step', steps: [begun('second', 2)] })
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await rowWith(page, 'one step').waitFor()
  await table(page).getByRole('columnheader', { name: 'Steps' }).getByRole('button').click()
  const listed = async (of: string) =>
    (await page.getByRole('table', { name: of }).getByRole('link').allInnerTexts()).map((text) => text.trim()).join()
  await eventually('most steps first', async () => (await listed('Traces')) === 'two steps,one step')

  await page.keyboard.press('2')
  const steps = page.getByRole('table', { name: 'Steps' })
  await steps.getByRole('link').nth(2).waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  const href = await page.getByRole('menuitem', { name: 'CSV' }).getAttribute('href')
  const exported = await page.context().request.get(service.url + href)
  assert.equal(exported.status(), 200, await exported.text())
  await page.keyboard.press('Escape')
  const head = steps.getByRole('columnheader', { name: 'Started' })
  await head.getByRole('button').click()
  await page.waitForURL(/sort=started_at/)
  await eventually('the latest start first', async () => (await listed('Steps')) === 'third,second,first')
  assert.equal(await head.getAttribute('aria-sort'), 'descending')

  // It is saved with a view, and a trace opened from it has the traces of the list beside it.
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: /Save/ }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('by start')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'by start', level: 1 }).waitFor()
  await steps.getByRole('link', { name: 'second' }).click()
  await page.getByRole('heading', { name: 'one step', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Next trace' }).click()
  await page.getByRole('heading', { name: 'two steps', level: 1 }).waitFor()
  await page.goto(`${service.url}/app/traces?sort=started_at`)
  await eventually('newest first', async () => (await listed('Traces')) === 'one step,two steps')
  assert.deepEqual(problems, [])
})

test('columns that no trace has a value for are not there; one that was shown stays', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await service.client.postTrace({ name: 'bare', session_id: 'short' })
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await rowWith(page, 'bare').waitFor()
  const bare = ['', 'Status', 'Name', 'Received', 'Steps', 'Input', 'Output']
  assert.deepEqual(await columns(page), bare)
  // The menu says so beside those that are chosen.
  await page.getByRole('button', { name: 'Columns' }).click()
  const chosen = page.getByRole('menuitemcheckbox', { checked: true })
  await chosen.first().waitFor()
  const empty = chosen.filter({ hasText: 'empty' }).locator('bdi')
  assert.deepEqual(await empty.allTextContents(), ['Duration', 'Tokens', 'Cost', 'Models'])
  await page.keyboard.press('Escape')
  const steps = [{ name: 'ask', type: 'llm', model: 'gpt-4o', token_usage: { input: 1000 } }]
  const dear = (await service.client.postTrace({ name: 'dear', steps })).json<{ id: string }>()
  await rowWith(page, 'dear').waitFor()
  const filled = [...bare.slice(0, 5), 'Tokens', 'Cost', 'Models', ...bare.slice(5)]
  assert.deepEqual(await columns(page), filled)
  await service.client.call({ method: 'DELETE', path: `/v1/traces/${dear.id}` })
  await service.client.postTrace({ name: 'later' })
  await rowWith(page, 'later').waitFor()
  await rowWith(page, 'dear').waitFor({ state: 'detached' })
  assert.deepEqual(await columns(page), filled)
  await page.reload()
  await rowWith(page, 'later').waitFor()
  assert.deepEqual(await columns(page), bare)
  await page.goto(`${service.url}/app/sessions`)
  await page.getByRole('link', { name: 'short' }).waitFor()
  const heads = await page.getByRole('table', { name: 'Sessions' }).getByRole('columnheader').allTextContents()
  assert.deepEqual(
    heads.filter((head) => head !== 'Traces over time'),
    ['Session', 'Traces', 'Failed', 'Steps', 'Last trace'],
  )
  assert.deepEqual(problems, [])
})

test('in another order, the list of sessions has the same columns', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const steps = [{ name: 'ask', type: 'llm', model: 'gpt-4o', token_usage: { input: 1000 } }]
  await service.client.postTrace({ name: 'dear', session_id: 'dear', user_id: 'ana', steps })
  // A page of sessions without steps.
  for (let n = 0; n < 50; n++) await service.client.postTrace({ name: 'run', session_id: `plain ${n}` })
  const { page, problems } = await openDashboard(browser, service, '/app/sessions?sort=cost_usd')
  const sessions = page.getByRole('table', { name: 'Sessions' })
  await sessions.getByRole('link', { name: 'dear' }).waitFor()
  const heads = () => sessions.getByRole('columnheader').allTextContents()
  const filled = await heads()
  assert.ok(filled.includes('Cost') && filled.includes('Users'), filled.join())
  for (const first of [/^dear/, /^plain/]) {
    await sessions.getByRole('columnheader', { name: 'Steps' }).getByRole('button').click()
    await page.waitForURL(/sort=step_count/)
    await sessions.getByRole('row').nth(1).getByRole('link', { name: first }).waitFor()
  }
  assert.deepEqual(await heads(), filled)
  assert.deepEqual(problems, [])
})

test('nothing moves when rows come', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  for (let n = 0; n < 30; n++) await service.client.postTrace({ name: `run ${n}` })
  const { page } = await openDashboard(browser, service, '/app/traces')
  await rowWith(page, 'run 29').waitFor()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/v1/traces?*', async (route) => {
    await released
    await route.continue()
  })
  await page.addInitScript(
    'globalThis.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) moved += value })' +
      ".observe({ type: 'layout-shift', buffered: true })",
  )
  await page.reload()
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  const headerAt = await placeOf(page.getByText('Received', { exact: true }))
  release()
  await rowWith(page, 'run 29').waitFor()
  assert.deepEqual(await placeOf(page.getByText('Received', { exact: true })), headerAt)
  assert.ok(Number(await page.evaluate('moved')) < 0.02, String(await page.evaluate('moved')))
})
