import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { placeOf } from '../lib/place-of.ts'
import { openDashboard, shareService } from './lib.ts'

const start = shareService()

async function send<T>(client: Client, method: string, path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.call({ method, path, headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
  return answer.json<T>()
}

interface Marked {
  readonly status: string
  readonly state: string
  readonly flag_reason: string | null
}

async function create(client: Client, name: string, ...patches: readonly object[]): Promise<string> {
  const { id } = await send<{ id: string }>(client, 'POST', '/v1/traces', { name, steps: [{ name: 'only' }] })
  for (const patch of patches) await send(client, 'PATCH', `/v1/traces/${id}`, patch)
  return id
}

async function stateOf(client: Client, id: string): Promise<Marked> {
  const { status, state, flag_reason } = (await client.get(`/v1/traces/${id}`)).json<Marked>()
  return { status, state, flag_reason }
}

const OK: Marked = { status: 'ok', state: 'committed', flag_reason: null }

/** The events of a metric as they are stored, newest first. */
async function eventsOf(client: Client): Promise<readonly { id: string; trace_id: string }[]> {
  return (await client.get('/v1/metrics/events?name=solved')).json<{ events: { id: string; trace_id: string }[] }>()
    .events
}

const message = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

const close = (page: Page, text: string) => message(page, text).getByRole('button', { name: 'Close' }).click()

/** Presses Undo in the message, and waits for the one that says that it has been done. */
async function undo(page: Page, text: string, done = 'restored'): Promise<void> {
  await message(page, text).getByRole('button', { name: 'Undo' }).click()
  await close(page, done)
}

test('a trace is flagged and marked at once, with a reason or without; undo puts back what was', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { client } = service
  const id = await create(client, 'refund')
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const more = async (name: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name }).click()
  }

  // Undo is reached by keys.
  await button('Flag').press('Enter')
  await button('Remove flag').waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.deepEqual(await stateOf(client, id), { ...OK, state: 'flagged' })
  await message(page, '1 trace flagged. Undo does not retract webhooks.').waitFor()
  await page.keyboard.press('F8')
  for (let n = 0; n < 2; n++) await page.keyboard.press('Tab')
  await button('Undo').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await button('Flag').waitFor()
  await close(page, 'restored')
  assert.deepEqual(await stateOf(client, id), OK)

  await more('Flag with a reason…')
  await page.getByRole('dialog').getByLabel('Reason').fill('odd')
  await page.getByRole('dialog').getByRole('button', { name: 'Flag' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const reason = (text: string) => page.getByRole('complementary', { name: 'Details' }).getByText(text, { exact: true })
  await page.getByRole('button', { name: 'Summary' }).click()
  await reason('odd').waitFor()
  const odd = { ...OK, state: 'flagged', flag_reason: 'odd' }
  assert.deepEqual(await stateOf(client, id), odd)

  await button('Remove flag').click()
  await reason('odd').waitFor({ state: 'detached' })
  assert.deepEqual(await stateOf(client, id), OK)
  await undo(page, '1 trace no longer flagged. Undo notifies webhooks again.')
  await reason('odd').waitFor()
  assert.deepEqual(await stateOf(client, id), odd)

  await more('Change the reason…')
  await page.getByRole('dialog').getByLabel('Reason').fill('')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await message(page, '1 trace changed').waitFor()
  await reason('odd').waitFor({ state: 'detached' })
  assert.deepEqual(await stateOf(client, id), { ...odd, flag_reason: null })
  await undo(page, '1 trace changed')
  await reason('odd').waitFor()

  await more('Mark failed with a reason…')
  await page.getByRole('dialog').getByLabel('Reason').fill('too dear')
  await page.getByRole('dialog').getByRole('button', { name: 'Mark failed' }).click()
  await reason('too dear').waitFor()
  await undo(page, '1 trace marked failed')
  await reason('odd').waitFor()
  assert.deepEqual(await stateOf(client, id), odd)

  // A failed trace whose flag was removed, and that becomes failed again.
  const failed = await create(client, 'failed', { status: 'error' }, { flagged: false })
  await page.goto(`${service.url}/app/traces/${failed}`)
  await button('Mark ok').click()
  await button('Mark failed').waitFor()
  assert.deepEqual(await stateOf(client, failed), OK)
  await undo(page, '1 trace marked ok')
  await button('Mark ok').waitFor()
  assert.deepEqual(await stateOf(client, failed), { ...OK, status: 'error' })

  // Two changes can be undone in the order in which they were made.
  const twice = await create(client, 'twice')
  await page.goto(`${service.url}/app/traces/${twice}`)
  await button('Flag').click()
  await button('Remove flag').waitFor()
  await button('Mark failed').click()
  await button('Mark ok').waitFor()
  await undo(page, '1 trace flagged')
  assert.deepEqual(await stateOf(client, twice), { ...OK, status: 'error' })
  await undo(page, '1 trace marked failed')
  assert.deepEqual(await stateOf(client, twice), OK)

  // The page does not know what others have changed meanwhile.
  await send(client, 'PATCH', `/v1/traces/${twice}`, { flagged: true, reason: 'theirs' })
  await button('Mark failed').click()
  await button('Mark ok').waitFor()
  await undo(page, '1 trace marked failed')
  assert.deepEqual(await stateOf(client, twice), { ...OK, state: 'flagged', flag_reason: 'theirs' })

  // For 20 seconds.
  await page.goto(`${service.url}/app/traces/${failed}`)
  await page.clock.install()
  await button('Flag').click()
  await button('Undo').waitFor()
  await page.clock.fastForward(18_000)
  assert.equal(await button('Undo').count(), 1)
  await page.clock.fastForward(3000)
  await button('Undo').waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('selected traces are flagged, marked and scored at once; undo puts back what each of them was', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { client } = service
  await send(client, 'POST', '/v1/metrics', { name: 'solved', kind: 'boolean' })
  const ids = [
    await create(client, 'plain'),
    await create(client, 'flagged', { flagged: true, reason: 'odd' }),
    await create(client, 'failed', { status: 'error', reason: 'too dear' }),
    await create(client, 'unflagged', { status: 'error' }, { flagged: false }),
  ]
  const states = () => Promise.all(ids.map((id) => stateOf(client, id)))
  const before = await states()
  assert.equal(new Set(before.map((state) => JSON.stringify(state))).size, 4)
  await send(client, 'POST', '/v1/metrics/events', { name: 'solved', trace_id: ids[0], passed: true })
  const events = await eventsOf(client)
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const bar = page.getByRole('region', { name: 'Selected traces' })
  const act = async (name: string) => {
    await page.getByLabel('Select all loaded traces').check()
    await bar.getByText('4 traces selected').waitFor()
    await bar.getByRole('button', { name }).click()
  }

  await act('Flag')
  await message(page, '4 traces flagged').waitFor()
  assert.deepEqual(
    (await states()).map(({ state }) => state),
    ids.map(() => 'flagged'),
  )
  await undo(page, '4 traces flagged', '4 traces restored')
  assert.deepEqual(await states(), before)

  await act('Mark failed')
  await message(page, '4 traces marked failed').waitFor()
  assert.deepEqual(
    (await states()).map(({ status }) => status),
    ids.map(() => 'error'),
  )
  await undo(page, '4 traces marked failed', '4 traces restored')
  assert.deepEqual(await states(), before)

  await act('Score…')
  await page.getByRole('button', { name: 'Score 4 traces' }).click()
  await message(page, '4 traces scored').waitFor()
  assert.equal((await eventsOf(client)).length, 5)
  await undo(page, '4 traces scored', '4 traces no longer scored')
  assert.deepEqual(await eventsOf(client), events)

  // Also from the screen of one of them.
  await act('Flag')
  await message(page, '4 traces flagged').waitFor()
  await page.getByRole('table', { name: 'Traces' }).getByRole('link', { name: 'plain' }).click()
  await page.getByRole('button', { name: 'Remove flag' }).waitFor()
  await undo(page, '4 traces flagged', '4 traces restored')
  await page.getByRole('button', { name: 'Flag', exact: true }).waitFor()
  assert.deepEqual(await states(), before)
  assert.deepEqual(problems, [])
})

test('undo removes the score that the bar recorded, on the next trace and on the last one', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { client } = service
  await send(client, 'POST', '/v1/metrics', { name: 'solved', kind: 'boolean' })
  const [first, second] = [await create(client, 'first'), await create(client, 'second')]
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const scored = async () => (await eventsOf(client)).map(({ trace_id }) => trace_id)
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('menuitem', { name: 'solved' }).click()
  const bar = page.getByRole('region', { name: 'Score' })
  const shown = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  await shown('second')
  await page.keyboard.press('1')
  await shown('first')
  await page.keyboard.press('2')
  await bar.getByText('2 scored').waitFor()
  await bar.getByText('failed', { exact: true }).waitFor()
  assert.deepEqual(await scored(), [first, second])

  // On a phone, only the newest message is shown, above the bar.
  const wide = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.setViewportSize({ width: 390, height: 844 })
  await message(page, '“second” scored').waitFor({ state: 'hidden' })
  const edges = async (of: Locator) => {
    const { y, height } = await placeOf(of)
    return { top: y, bottom: y + height }
  }
  await eventually('the message is above the bar', async () => {
    return (await edges(message(page, '“first” scored'))).bottom <= (await edges(bar)).top
  })
  await page.setViewportSize(wide)

  await undo(page, '“second” scored: solved passed', 'Score removed')
  await bar.getByText('1 scored').waitFor()
  assert.deepEqual(await scored(), [first])
  await undo(page, '“first” scored: solved failed', 'Score removed')
  await bar.getByText('No score yet').waitFor()
  assert.deepEqual(await scored(), [])
  await page.keyboard.press('1')
  await message(page, '“first” scored: solved passed').waitFor()
  assert.deepEqual(await scored(), [first])
  assert.deepEqual(problems, [])
})

test('a message is kept as long as it can be undone, also when there are many', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { client } = service
  const names = Array.from({ length: 7 }, (_, at) => `run ${at}`)
  const ids: string[] = []
  for (const name of names) ids.push(await create(client, name))
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const offers = page.getByRole('button', { name: 'Undo' })
  for (const [at, name] of names.entries()) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('region', { name: 'Selected traces' }).getByRole('button', { name: 'Flag' }).click()
    await offers.nth(at).waitFor()
  }
  const newest = await placeOf(offers.last())
  assert.ok(newest.y + newest.height < (page.viewportSize()?.height ?? 0))
  await offers.first().click()
  await message(page, '1 trace restored').waitFor()
  assert.equal(await offers.count(), names.length - 1)
  const states = await Promise.all(ids.map((id) => stateOf(client, id)))
  assert.deepEqual(
    states.map(({ state }) => state),
    ['committed', ...names.slice(1).map(() => 'flagged')],
  )
  assert.deepEqual(problems, [])
})
