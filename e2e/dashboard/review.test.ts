import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Client } from '../lib/client.ts'
import { createKey, firstProjectId } from '../lib/projects.ts'
import { openDashboard, settled, shareService } from './lib.ts'

const start = shareService()

const TRACES = 10
const LIST = '/app/traces?name=refund'

interface Event {
  readonly trace_id: string
  readonly passed: boolean | null
  readonly value: number | string | null
  readonly source: string | null
  readonly comment: string | null
}

async function post<T>(client: Client, path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
  return answer.json<T>()
}

/** Ten traces to review between others, oldest first, and three metrics. */
async function fill(client: Client): Promise<readonly string[]> {
  const ids: string[] = []
  for (let n = 0; n < TRACES; n++) {
    const { id } = await post<{ id: string }>(client, '/v1/traces', { name: 'refund', steps: [{ name: `step ${n}` }] })
    ids.push(id)
    await post(client, '/v1/traces', { name: 'other', steps: [{ name: 's' }] })
  }
  await post(client, '/v1/metrics', { name: 'solved', kind: 'boolean' })
  await post(client, '/v1/metrics', { name: 'tone', kind: 'enum', options: [{ value: 'kind' }, { value: 'rude' }] })
  await post(client, '/v1/metrics', { name: 'stars', kind: 'numeric', min: 0, max: 5 })
  return ids
}

async function eventsOf(client: Client, name: string): Promise<readonly Event[]> {
  return (await client.get(`/v1/metrics/events?name=${name}&limit=100`)).json<{ events: Event[] }>().events
}

const traceOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''

async function violations(page: Page): Promise<readonly unknown[]> {
  await settled(page)
  await page.evaluate(axe.source)
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]))',
  )
}

async function review(page: Page, metric: string): Promise<void> {
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('menuitem', { name: metric }).click()
  await shown(page)
}

/** Waits until the trace is shown: before that, it cannot be scored. */
async function shown(page: Page): Promise<void> {
  await page.locator('[aria-label=Score][aria-busy=false]').waitFor()
}

/** Presses a key and waits for the next trace. */
async function scoreAndGoOn(page: Page, press: () => Promise<void>): Promise<void> {
  const before = page.url()
  await press()
  await page.waitForURL((url) => url.href.split('?')[0] !== before.split('?')[0], { waitUntil: 'commit' })
  await shown(page)
}

test('ten traces of a filtered list are scored by ten keys; options, numbers and comments too', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const ids = await fill(service.client)
  const { page, problems } = await openDashboard(browser, service, LIST)
  await page.getByRole('link', { name: 'refund' }).first().waitFor()

  await review(page, 'solved')
  const seen: string[] = []
  for (let n = 0; n < TRACES; n++) {
    seen.push(traceOf(page))
    const key = n % 3 === 0 ? '2' : '1'
    if (n < TRACES - 1) await scoreAndGoOn(page, () => page.keyboard.press(key))
    else await page.keyboard.press(key)
  }
  await page.getByText('No more traces of the list without solved.', { exact: true }).waitFor()
  assert.deepEqual(seen, ids.toReversed(), 'in the order of the list')
  const scored = await eventsOf(service.client, 'solved')
  assert.deepEqual(
    Object.fromEntries(scored.map(({ trace_id, passed }) => [trace_id, passed])),
    Object.fromEntries(seen.map((id, n) => [id, n % 3 !== 0])),
  )
  assert.deepEqual([...new Set(scored.map(({ source }) => source))], ['human'])
  const bar = page.getByRole('region', { name: 'Score' })
  await bar.getByText('10 scored').waitFor()
  await bar.getByText('failed', { exact: true }).waitFor()
  assert.deepEqual(await violations(page), [])

  // Back in the list nothing is left to score, and the filter says so.
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('menuitem', { name: 'solved' }).click()
  await page.getByText('Every trace of this list has a score of solved.', { exact: true }).waitFor()
  await page.goto(`${service.url}${LIST}&without_metric=solved`)
  await page.getByRole('heading', { name: 'No results' }).waitFor()

  // Options by their digits; one is skipped, one gets a comment, and the last is corrected by a later event.
  await page.goto(service.url + LIST)
  await page.getByRole('link', { name: 'refund' }).first().waitFor()
  await review(page, 'tone')
  const [first, second, third] = ids.toReversed()
  await scoreAndGoOn(page, () => page.keyboard.press('0'))
  assert.equal(traceOf(page), second)
  await page.keyboard.press('c')
  await page.keyboard.type('very short')
  await page.keyboard.press('Enter')
  await scoreAndGoOn(page, () => page.keyboard.press('2'))
  assert.equal(traceOf(page), third)
  await scoreAndGoOn(page, () => page.keyboard.press('u'))
  assert.equal(traceOf(page), second)
  await bar.getByText('rude', { exact: true }).last().waitFor()
  await scoreAndGoOn(page, () => page.keyboard.press('1'))
  assert.equal(traceOf(page), third)
  assert.deepEqual(
    (await eventsOf(service.client, 'tone')).map(({ trace_id, value, comment }) => [trace_id, value, comment]),
    [
      [second, 'kind', null],
      [second, 'rude', 'very short'],
    ],
  )

  // The field of a number has the focus on each trace; the bar is still open after a reload.
  await bar.getByRole('combobox', { name: 'Metric' }).selectOption('stars')
  await page.reload()
  const field = bar.getByRole('textbox', { name: 'Value of stars' })
  await field.waitFor()
  await field.fill('6')
  await field.press('Enter')
  await page.getByText('must be at least 0 and at most 5').first().waitFor()
  await field.fill('4,5')
  await scoreAndGoOn(page, () => page.keyboard.press('Enter'))
  await page.waitForFunction('document.activeElement?.getAttribute("aria-label") === "Value of stars"')
  await page.keyboard.type('3')
  await scoreAndGoOn(page, () => page.keyboard.press('Enter'))
  assert.deepEqual(
    (await eventsOf(service.client, 'stars')).map(({ trace_id, value }) => [trace_id, value]),
    [
      [first, 3],
      [third, 4.5],
    ],
  )

  // A score is removed, and restored by the message that says so.
  await page.goto(`${service.url}/app/traces/${third}`)
  const removed = page.getByRole('button', { name: 'Remove the score stars' })
  await page.getByRole('button', { name: 'Summary' }).click()
  await removed.click()
  await page.getByText('Score stars removed').first().waitFor()
  await removed.waitFor({ state: 'detached' })
  assert.deepEqual(
    (await eventsOf(service.client, 'stars')).map(({ trace_id }) => trace_id),
    [first],
  )
  await page.getByRole('button', { name: 'Undo' }).click()
  await removed.waitFor()
  assert.equal((await eventsOf(service.client, 'stars')).length, 2)
  assert.deepEqual(problems, [])
})

test('a view is saved, opened in another browser, renamed, replaced and deleted', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await fill(service.client)
  const { page, problems } = await openDashboard(browser, service, `${LIST}&sort=step_count&range=24h`)
  const views = (of: Page) => of.getByRole('button', { name: 'Views' }).click()
  const choose = async (of: Page, item: string) => {
    await views(of)
    await of.getByRole('menuitem', { name: item }).click()
  }
  const save = async (of: Page, name: string) => {
    const dialog = of.getByRole('dialog')
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByRole('button', { name: 'Save' }).click()
  }
  await choose(page, 'Save as new view…')
  await save(page, 'Refunds')
  await page.getByRole('heading', { name: 'Refunds', level: 1 }).waitFor()
  await page.waitForFunction('document.title === "Refunds · Spoor"')

  const other = await openDashboard(browser, service, '/app/traces')
  await views(other.page)
  await other.page.getByRole('menuitemradio', { name: 'Refunds' }).click()
  await other.page.getByRole('heading', { name: 'Refunds', level: 1 }).waitFor()
  assert.deepEqual(await violations(other.page), [])
  const { searchParams } = new URL(other.page.url())
  assert.deepEqual(
    ['name', 'sort', 'range'].map((name) => searchParams.get(name)),
    ['refund', 'step_count', '24h'],
  )

  // A name that is taken, then another one; the filters that were changed replace those of the view.
  await other.page.keyboard.press('e')
  await other.page.getByText('changed', { exact: true }).waitFor()
  await choose(other.page, 'Save as new view…')
  await save(other.page, 'Refunds')
  await other.page.getByRole('alert').filter({ hasText: 'another view of this name' }).waitFor()
  await other.page.keyboard.press('Escape')
  await choose(other.page, 'Rename…')
  await save(other.page, 'Failed refunds')
  await other.page.getByRole('heading', { name: 'Failed refunds', level: 1 }).waitFor()
  await choose(other.page, 'Replace by these filters')
  await other.page.getByText('changed', { exact: true }).waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Failed refunds', level: 1 }).waitFor()
  await page.getByText('changed', { exact: true }).waitFor()

  await choose(other.page, 'Delete…')
  await other.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await other.page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor()
  await views(page)
  await page.getByText('No saved views yet', { exact: true }).waitFor()
  assert.deepEqual([...problems, ...other.problems], [])
})

/** Signs the page in with a new key that has these scopes. */
async function signInAs(page: Page, client: Client, scopes: readonly string[]): Promise<void> {
  const { secret } = await createKey(client, await firstProjectId(client), { scopes })
  const status = await page.evaluate(
    `fetch('/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"key":"${secret}"}' }).then((answer) => answer.status)`,
  )
  assert.equal(status, 201)
}

test('a view is changed by its author or a key that manages: others are not offered it', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { id } = await post<{ id: string }>(service.client, '/v1/views', { name: 'Refunds', query: { name: 'refund' } })
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const offered = async () => {
    await page.goto(`${service.url}${LIST}&view=${id}`)
    await page.getByRole('heading', { name: 'Refunds', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitemradio', { name: 'Refunds' }).waitFor()
    return page.getByRole('menuitem').allTextContents()
  }
  const all = ['Save as new view…', 'Replace by these filters', 'Rename…', 'Delete…']
  assert.deepEqual(await offered(), all)
  await signInAs(page, service.client, ['read', 'ingest'])
  assert.deepEqual(await offered(), all.slice(0, 1))
  await signInAs(page, service.client, ['read', 'manage'])
  assert.deepEqual(await offered(), all)
  assert.deepEqual(problems, [])
})

test('a key that only reads sees views and scores, and no control that writes', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const [traceId] = await fill(service.client)
  await post(service.client, '/v1/views', { name: 'Refunds', query: { name: 'refund' } })
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  await signInAs(page, service.client, ['read'])
  await page.goto(service.url + LIST)
  await page.getByRole('link', { name: 'refund' }).first().waitFor()
  assert.equal(await page.getByRole('button', { name: 'Review' }).count(), 0)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitemradio', { name: 'Refunds' }).waitFor()
  assert.equal(await page.getByRole('menuitem').count(), 0)
  await page.goto(`${service.url}/app/traces/${traceId}`)
  await page.getByRole('heading', { name: 'refund', level: 1 }).waitFor()
  for (const name of ['Score', 'Flag', 'Mark failed']) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
  await page.keyboard.press('m')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Compare with…' }).waitFor()
  for (const name of ['Score', 'Flag', 'Mark failed', 'Delete']) {
    assert.equal(await page.getByRole('menuitem', { name }).count(), 0, name)
  }
  assert.equal(await page.getByRole('region', { name: 'Score' }).count(), 0)
  for (const [path, text] of [
    ['metrics', 'solved'],
    ['metrics/solved', 'Pass rate'],
    ['monitors', 'No monitors yet'],
    ['clusters', 'No clusters yet'],
    ['webhooks', 'No webhooks yet'],
  ] as const) {
    await page.goto(`${service.url}/app/${path}`)
    await page.getByText(text).filter({ visible: true }).first().waitFor()
    assert.equal(await page.getByRole('button', { name: /^(New|Create|Edit|Discover|Schedule)/ }).count(), 0, path)
  }
  assert.deepEqual(problems, [])
})
