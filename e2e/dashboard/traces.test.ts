import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { FILTER_VALUES_MAX } from '@spoor/contract/limits'
import type { Page } from 'playwright-core'
import type { Place } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { SignedInPage } from '../lib/signed-in-page.ts'
import { placeOf } from '../lib/place-of.ts'
import { manyRuns } from './airline-runs.ts'
import { openDashboard, shareService } from './lib.ts'

const HOSTILE = '<img src=x onerror=alert(1)> \u202Etxt.exe'

const start = shareService()

/** The names of listed traces, without the header. */
const names = (page: Page) => page.getByRole('table', { name: 'Traces' }).getByRole('link').allTextContents()

/** Used globals of the page: tests are typed without those of browsers. */
interface Globals {
  readonly document: { querySelectorAll(selector: string): Iterable<{ readonly textContent: string }> }
}

/** A function, not text, because the page's policy forbids eval. */
async function until(page: Page, expected: readonly string[]): Promise<void> {
  await page.waitForFunction((wanted) => {
    const { document } = globalThis as unknown as Globals
    const links = Array.from(document.querySelectorAll('[role=table] a'), ({ textContent }) => textContent)
    return JSON.stringify(links) === wanted
  }, JSON.stringify(expected))
}

const post = async (service: Place, trace: object) => {
  const answer = await service.client.postTrace(trace)
  assert.equal(answer.status, 202, answer.text)
}

test('the first trace appears automatically; later ones are counted while the list is in use, and appear when it is not', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { page, problems } = await openDashboard(browser, service, '/app')
  await page.getByRole('heading', { name: 'No traces yet' }).waitFor()
  assert.match(await page.getByRole('tabpanel').innerText(), /npm run demo/)
  await page.getByRole('tab', { name: 'curl' }).click()
  assert.match(await page.getByRole('tabpanel').innerText(), new RegExp(`${service.url}/v1/traces`))
  await page.getByRole('button', { name: 'Live: Live' }).waitFor()
  await post(service, { name: 'first' })
  await until(page, ['first'])

  await page.keyboard.press('j')
  for (const name of ['second', 'third']) await post(service, { name })
  await page.getByRole('button', { name: '2 new traces' }).waitFor()
  assert.deepEqual(await names(page), ['first'])
  const pill = await placeOf(page.getByRole('button', { name: '2 new traces' }))
  const table = await placeOf(page.getByRole('table', { name: 'Traces' }))
  assert.ok(pill.y + pill.height < table.y, 'it covers no row')
  await page.getByRole('button', { name: '2 new traces' }).click()
  await until(page, ['third', 'second', 'first'])
  await page.keyboard.press('Escape')
  await page.mouse.move(5, 5)
  await post(service, { name: 'fourth' })
  await until(page, ['fourth', 'third', 'second', 'first'])

  await page.getByRole('button', { name: 'Live: Live' }).click()
  await page.getByRole('button', { name: 'Live: Paused' }).waitFor()
  await post(service, { name: 'fifth' })
  await page.getByRole('button', { name: '1 new trace' }).waitFor()
  await page.keyboard.press('n')
  await until(page, ['fifth', 'fourth', 'third', 'second', 'first'])
  assert.match(page.url(), /live=false/)
  assert.deepEqual(problems, [])
})

test('a phrase leads to its step, and a pasted id opens what it names', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const messages = [{ role: 'tool', content: [{ type: 'data', data: { note: 'the gate has moved to B42' } }] }]
  const steps = [{ name: 'look up' }, { name: 'tell', messages }, { name: 'end' }]
  const answer = await service.client.postTrace({ name: 'delayed flight', session_id: 'chat-77', steps })
  const { id, step_ids } = answer.json<{ id: string; step_ids: string[] }>()
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await until(page, ['delayed flight'])
  const search = page.getByLabel('Search text, or paste an id')
  await search.fill('gate MOVED')
  await page.getByText('the gate has moved to B42').waitFor()
  assert.deepEqual(await page.locator('mark').allTextContents(), ['gate', 'moved'])
  await page.getByRole('table', { name: 'Traces' }).getByRole('link').click()
  await page.waitForURL((url) => url.searchParams.get('step') === step_ids[1] && url.searchParams.get('q') === 'gate')
  await page.getByRole('complementary', { name: 'Details' }).getByText('the gate has moved to B42').waitFor()

  for (const [text, expected] of [
    [id, `/traces/${id}`],
    [step_ids[2] as string, `/traces/${id}?step=${step_ids[2]}`],
    ['chat-77', '/sessions/chat-77'],
  ] as const) {
    await page.goto(`${service.url}/app/traces`)
    await until(page, ['delayed flight'])
    await search.fill(text)
    await search.press('Enter')
    await page.waitForURL(`**/app/p/*${expected}*`)
  }
  assert.deepEqual(problems, [])
})

test('several traces are selected by keys and boxes, then flagged, scored and deleted', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const headers = { 'content-type': 'application/json' }
  const metric = JSON.stringify({ name: 'solved', kind: 'boolean' })
  await service.client.call({ method: 'POST', path: '/v1/metrics', headers, body: metric })
  for (const name of ['first', 'second', 'third']) await post(service, { name })
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await until(page, ['third', 'second', 'first'])
  const bar = page.getByRole('region', { name: 'Selected traces' })
  const list = async (filter: string) => {
    const { traces } = (await service.client.get(`/v1/traces?${filter}`)).json<{ traces: { name: string }[] }>()
    return traces.map(({ name }) => name)
  }
  for (const key of ['j', 's', 'j', 's']) await page.keyboard.press(key)
  await bar.getByText('2 traces selected').waitFor()
  await bar.getByRole('button', { name: 'Flag' }).click()
  await page.getByText('2 traces flagged').first().waitFor()
  await bar.waitFor({ state: 'detached' })
  assert.deepEqual(await list('flagged=true'), ['third', 'second'])

  await page.getByLabel('Select all loaded traces').check()
  await bar.getByText('3 traces selected').waitFor()
  await page.getByLabel('Select second').uncheck()
  await bar.getByRole('button', { name: 'Score…' }).click()
  await page.getByLabel('Score', { exact: true }).selectOption('Failed')
  await page.getByRole('button', { name: 'Score 2 traces' }).click()
  await page.getByText('2 traces scored').first().waitFor()
  assert.deepEqual(await list('without_metric=solved'), ['second'])

  // What is gone meanwhile is reported, and the others are deleted until this is undone.
  await page.getByLabel('Select first').check()
  await page.getByLabel('Select third').check()
  const gone = (await service.client.get('/v1/traces?name=first')).json<{ traces: { id: string }[] }>().traces[0]?.id
  await service.client.call({ method: 'DELETE', path: `/v1/traces/${gone}` })
  await bar.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByText(/^1 of 2 traces deleted\. /)
    .first()
    .waitFor()
  await until(page, ['second'])
  assert.deepEqual(await list(''), ['second'])
  const deletion = page.getByRole('listitem').filter({ hasText: '1 of 2 traces deleted' })
  await deletion.getByRole('button', { name: 'Undo' }).click()
  await until(page, ['third', 'second'])
  assert.deepEqual(await list('flagged=true'), ['third', 'second'])
  assert.deepEqual(problems, [])
})

test('filters, search, order and time are in the URL; rows are reached and opened by keys', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await post(service, {
    name: 'slow refund',
    metadata: { env: 'prod' },
    steps: [{ name: 'a', type: 'llm', model: 'm-1' }],
  })
  await post(service, { name: HOSTILE, status: 'error', metadata: { env: 'prod' } })
  await post(service, { name: 'quick refund', run_type: 'chat', metadata: { env: 'dev' } })
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await until(page, ['quick refund', HOSTILE, 'slow refund'])

  await page.getByRole('button', { name: 'Add filter' }).click()
  for (const typed of ['metadata', 'env', 'prod']) {
    await page.getByRole('combobox').fill(typed)
    await page.keyboard.press('Enter')
  }
  await until(page, [HOSTILE, 'slow refund'])
  await page.keyboard.press('/')
  await page.keyboard.type('REFUND')
  await until(page, ['slow refund'])
  assert.deepEqual(await page.locator('mark').allTextContents(), ['refund'])
  await page.getByRole('region', { name: 'Traces over time' }).getByText('1 ok', { exact: true }).waitFor()
  assert.match(decodeURIComponent(page.url()), /meta=\[\["env","prod"\]\]&q=REFUND$/)
  await page.reload()
  await until(page, ['slow refund'])
  await page.goto(`${service.url}/app/traces?meta=env&status=unknown&q=refund&order=up`)
  await until(page, ['quick refund', 'slow refund'])
  await page.goBack()
  await until(page, ['slow refund'])

  await page.getByRole('button', { name: 'm-1' }).click()
  await page.getByRole('menuitem', { name: 'Model m-1' }).click()
  await page.getByRole('button', { name: 'Remove filter: Model' }).waitFor()
  await page.getByLabel('Search text, or paste an id').fill('nothing')
  await page.getByRole('heading', { name: 'No results' }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('columnheader', { name: 'Received' }).getByRole('button').click()
  await until(page, ['slow refund', HOSTILE, 'quick refund'])
  assert.equal(await page.getByRole('columnheader', { name: 'Received' }).getAttribute('aria-sort'), 'ascending')

  // Times are typed in 24-hour form, or changed part by part.
  await page.getByRole('button', { name: /^Time range/ }).click()
  await page.getByLabel('From').fill('1 PM')
  await page.getByLabel('To', { exact: true }).fill('2029-12-31 23:59')
  await page.getByText('in 24-hour time').waitFor()
  await page.getByLabel('From').fill('2020-01-31 13:00:00')
  await page.getByLabel('From').press('Home')
  await page.getByLabel('From').press('ArrowUp')
  await page.getByLabel('To', { exact: true }).press('Enter')
  await page.waitForURL(/from=2021-01-31T/)
  await page.getByRole('button', { name: 'Time range: Jan 31, 13:00 – Dec 31, 23:59' }).waitFor()
  await until(page, ['slow refund', HOSTILE, 'quick refund'])

  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Session' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('columnheader', { name: 'Session' }).waitFor()

  const opened = await page.getByRole('link', { name: HOSTILE }).getAttribute('href')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator(`a[href="${opened}"]:focus`).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${opened}`)
  await page.goBack()

  await page.getByRole('slider').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Zoom out' }).waitFor()
  assert.match(page.url(), /order=asc&.*from=[^&]+&to=/)
  await until(page, ['slow refund', HOSTILE, 'quick refund'])
  assert.deepEqual(problems, [])
})

test('a session is listed by its filters, read as one conversation, and each turn leads to its step', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const said = (role: string, words: string) => ({ role, content: [{ type: 'text', text: words }] })
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'track', input: { parcel: 7 } }] }
  const history = [said('user', 'Where is it?'), call, said('tool', 'at the depot'), said('assistant', 'At the depot.')]
  const of = { session_id: 'parcel/7 ?', user_id: 'ana@example.org' }
  const ask = (messages: object[], more: object = {}) => ({
    name: 'ask',
    type: 'llm',
    model: 'gpt-4o',
    messages,
    ...more,
  })
  await post(service, { name: 'first', ...of, steps: [ask(history.slice(0, 2)), ask(history)] })
  const failed = { status: 'error', error: { type: 'Timeout', message: 'no answer' } }
  await post(service, { name: 'second', ...of, steps: [ask([...history, said('user', 'And now?')], failed)] })
  await post(service, { name: 'other', session_id: 'other', user_id: 'bob', steps: [ask([said('user', 'Hello')])] })

  const { page, problems } = await openDashboard(browser, service, '/app/sessions?status=error')
  const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('link')
  await rows.filter({ hasText: 'parcel/7 ?' }).waitFor()
  assert.equal(await rows.count(), 1)
  await page.getByRole('button', { name: 'Clear' }).click()
  await rows.filter({ hasText: 'other' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { level: 1, name: 'parcel/7 ?' }).waitFor()
  const turns = page.getByRole('list', { name: 'Conversation' })
  await turns.getByText('no answer').waitFor()
  for (const words of ['Where is it?', 'At the depot.', 'And now?'])
    assert.equal(await turns.getByText(words, { exact: true }).count(), 1, words)
  await turns.getByText('track', { exact: true }).click()
  await turns.getByRole('tree', { name: 'Arguments of track' }).waitFor()
  await turns.getByRole('link', { name: 'Step' }).last().click()
  await page.getByRole('heading', { level: 1, name: 'second' }).waitFor()
  await page.waitForURL(/step=st_/)

  await page.getByRole('link', { name: 'user ana@example.org' }).click()
  await page.getByRole('region', { name: 'Cost' }).getByRole('slider').waitFor()
  await page.getByRole('table', { name: 'Sessions' }).getByText('parcel/7 ?').waitFor()

  // Both lists are sorted by the heads of their columns, the highest first.
  for (const [path, title, most, fewest] of [
    ['sessions', 'Sessions', 'parcel/7 ?', 'other'],
    ['users', 'Users', 'ana@example.org', 'bob'],
  ] as const) {
    await page.goto(`${service.url}/app/${path}`)
    const table = page.getByRole('table', { name: title })
    const head = table.getByRole('columnheader', { name: 'Traces', exact: true })
    for (const [order, first] of [
      ['descending', most],
      ['ascending', fewest],
    ] as const) {
      await head.getByRole('button').click()
      await table.getByRole('row').nth(1).getByRole('link', { name: first, exact: true }).waitFor()
      assert.equal(await head.getAttribute('aria-sort'), order)
    }
    // The types of errors lead to the traces that failed by them.
    await table.getByRole('row').filter({ hasText: most }).getByRole('button', { name: 'Timeout 1' }).click()
    await page.waitForURL(/\/traces\?.*status=error.*error_type=Timeout/)
    await until(page, ['second'])
  }
  assert.deepEqual(problems, [])
})

test('each row of users and sessions has its traces over time on a wide screen', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  // More than a filter takes values.
  const ids = Array.from({ length: FILTER_VALUES_MAX + 1 }, (_, at) => `of ${at}/ü?`)
  for (const id of ids) await post(service, { name: 'run', user_id: id, session_id: id })
  const { page, problems } = await openDashboard(browser, service, '/app/users?name=run')
  for (const [path, title] of [
    ['/app/users?name=run', 'Users'],
    ['/app/sessions', 'Sessions'],
  ] as const) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(service.url + path)
    const table = page.getByRole('table', { name: title })
    const rows = table.getByRole('row').filter({ has: page.getByRole('link') })
    await rows
      .filter({ has: page.locator('svg rect') })
      .nth(FILTER_VALUES_MAX)
      .waitFor()
    assert.equal(await rows.count(), ids.length)
    await page.setViewportSize({ width: 390, height: 844 })
    await table.getByRole('columnheader', { name: 'Traces over time' }).waitFor({ state: 'hidden' })
  }
  assert.deepEqual(problems, [])
})

test('a long list loads more rows while scrolling, as cards on a narrow screen', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const runs = manyRuns()
  await Promise.all(runs.map((run) => service.client.postTrace(run)))
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const scroller = page.locator('[data-scroll-restoration-id]')
  const end = page.getByText(`End of list: ${runs.length} traces.`)
  for (const [role, width] of [
    ['row', 1440],
    ['listitem', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    await page.getByRole(role).getByRole('link').first().waitFor()
    while ((await end.count()) === 0) await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight))
    assert.ok((await page.getByRole(role).count()) < 60, 'rows that are not visible are not rendered')
    await scroller.evaluate((element) => (element.scrollTop = 0))
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    await page.reload()
  }
  assert.deepEqual(problems, [])
})

test('the list continues when the service is back, and ends with the session', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser } = started
  await using service = await Service.start({ environment: { SPOOR_PORT: String(await freePort()) } })
  await post(service, { name: 'before' })
  const { page } = await openDashboard(browser, service, '/app/traces')
  await until(page, ['before'])
  await page.getByRole('button', { name: 'Live: Live' }).waitFor()
  await service.restart()
  await post(service, { name: 'after' })
  await until(page, ['after', 'before'])
  await page.evaluate(() => fetch('/v1/session', { method: 'DELETE' }))
  await page.getByLabel('API key').waitFor()
})

test('a page whose scripts fail to load, or whose browser is too old, says so', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await post(service, { name: 'only' })
  const { page } = await SignedInPage.open(browser, service)
  const scripts = '**/assets/main-*.js'
  await page.route(scripts, (route) => route.abort())
  await page.goto(`${service.url}/app/traces`)
  const failure = page.getByRole('alert')
  await failure.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
  await failure.getByText('The dashboard needs Chrome ').waitFor()
  await page.unroute(scripts)
  await page.getByRole('button', { name: 'Reload' }).click()
  await until(page, ['only'])
  const needed = page.getByText('The dashboard needs Chrome ').filter({ visible: true })
  assert.equal(await needed.count(), 0)

  // A browser that runs no script and knows no `light-dark()`.
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.route('**/assets/*.css', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll('light-dark(', 'unknown(') })
  })
  await page.reload()
  await needed.waitFor()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
