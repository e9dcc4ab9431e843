import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, shareService } from './lib.ts'
import { placeOf } from '../lib/place-of.ts'

const start = shareService()

test('e shows failed steps only in the form Steps, and all again', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const steps = [{ name: 'look up' }, { name: 'pay', status: 'error' }]
  await service.client.postTrace({ name: 'refund', steps })
  const { page, problems } = await openDashboard(browser, service, '/app/traces?as=steps')
  const listed = page.getByRole('table', { name: 'Steps' }).getByRole('link')
  await listed.nth(1).waitFor()
  await page.keyboard.press('e')
  await page.waitForURL(/step_status=error/)
  await listed.filter({ hasText: 'look up' }).waitFor({ state: 'detached' })
  await listed.filter({ hasText: 'pay' }).waitFor()
  await page.keyboard.press('e')
  await listed.filter({ hasText: 'look up' }).waitFor()
  assert.doesNotMatch(page.url(), /status=/)
  assert.deepEqual(problems, [])
})

test('a tool is counted with the steps of any type that call it, and its filter lists these', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const call = { type: 'tool_use', id: 'call-1', name: 'search', input: { city: 'Lisbon' } }
  const steps = [
    { name: 'plan', type: 'llm', messages: [{ role: 'assistant', content: [call] }] },
    { name: 'search', type: 'tool' },
    { name: 'answer', type: 'llm' },
  ]
  await service.client.postTrace({ name: 'flights', steps })
  const { page, problems } = await openDashboard(browser, service, '/app/traces?as=steps')
  const listed = page.getByRole('table', { name: 'Steps' }).getByRole('link')
  await listed.nth(2).waitFor()
  await page.keyboard.press('b')
  await page.getByRole('region', { name: 'Tool' }).getByRole('button', { name: 'search 2' }).click()
  await listed.filter({ hasText: 'answer' }).waitFor({ state: 'detached' })
  assert.equal(await listed.count(), 2)
  assert.deepEqual(problems, [])
})

test('a drag over a chart zooms to its time', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await service.client.postTrace({ name: 'now' })
  const { page, problems } = await openDashboard(browser, service, '/app/traces?as=chart&range=24h')
  const plot = page.locator('.u-over')
  await plot.waitFor()
  const box = await placeOf(plot)
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + box.width / 4, y)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, y, { steps: 5 })
  await page.mouse.up()
  await page.waitForURL(/from=.+to=/)
  const { searchParams } = new URL(page.url())
  const hours = (Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')) / 3_600_000
  // A quarter of a day, up to whole buckets.
  assert.ok(hours >= 5 && hours <= 7, String(hours))
  assert.deepEqual(problems, [])
})

test('the runs like an open one are listed by a button of its header', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { id } = (await service.client.postTrace({ name: 'refund', steps: [{ name: 'pay' }] })).json<{ id: string }>()
  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}?step=none`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Similar' }).click()
  await page.getByRole('heading', { name: 'Runs like this one' }).waitFor()
  await page.keyboard.press('2')
  await page.getByRole('button', { name: 'Similar' }).waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('x exchanges the sides of a comparison, and unchanged steps are folded', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const same = ['plan', 'look up', 'check'].map((name) => ({ name }))
  const ids: string[] = []
  for (const last of ['pay', 'refuse']) {
    const trace = { name: `${last} it`, steps: [...same, { name: last }] }
    ids.push((await service.client.postTrace(trace)).json<{ id: string }>().id)
  }
  const { page, problems } = await openDashboard(browser, service, `/app/traces/compare?left=${ids[0]}&right=${ids[1]}`)
  await page.getByText('3 steps the same').waitFor()
  assert.equal(await page.getByText('look up').count(), 0)
  await page.keyboard.press('x')
  await page.waitForURL(new RegExp(`left=${ids[1]}&right=${ids[0]}`))
  const names = page.getByRole('link', { name: / it$/ })
  await page.getByRole('link', { name: 'refuse it' }).waitFor()
  assert.deepEqual(await names.allInnerTexts(), ['refuse it', 'pay it'])
  assert.deepEqual(problems, [])
})
