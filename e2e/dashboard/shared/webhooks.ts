import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../lib/eventually.ts'
import { placeOf } from '../../lib/place-of.ts'
import { startHookReceiver } from './hook-receiver.ts'
import { openDashboard, shareService } from '../lib.ts'

const start = shareService()

test('a webhook is created, pinged, retried after failures, redelivered, edited and deleted', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await using receiver = await startHookReceiver()
  const { page, problems } = await openDashboard(browser, service, '/app/webhooks')
  const dialog = page.getByRole('dialog')

  // A new webhook is rejected at its field, then created with a secret that is shown once.
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  await page.getByRole('button', { name: 'New webhook' }).click()
  await dialog.getByLabel('URL').fill('ftp://nowhere')
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await dialog.getByRole('alert').getByText('complete http or https URL').waitFor()
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('checkbox', { name: 'metric.event' }).uncheck()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  assert.match((await dialog.getByLabel('Signing secret').textContent()) ?? '', /^whsec_/)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: receiver.url }).waitFor()
  await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()

  // A ping opens beside the list and is followed to its end.
  await page.getByRole('button', { name: 'Ping' }).click()
  const ping = page.getByRole('dialog', { name: 'ping' })
  await ping.getByText('response 200').waitFor()
  await ping.getByText('<b>answer 200</b>').waitFor()
  assert.match(page.url(), /delivery=dlv_/)
  await page.keyboard.press('Escape')
  await ping.waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /delivery=/)

  // A failed delivery waits for its next attempt; new rows appear by themselves.
  receiver.status = 503
  const name = '<img src=x onerror=alert(1)> \u202Erun'
  const { id } = (await service.client.postTrace({ name })).json<{ id: string }>()
  const row = page.getByRole('row', { name: /trace\.committed/ })
  await row.getByText('Retrying').waitFor()
  const above = await placeOf(row)
  await page.getByRole('link', { name: 'trace.committed' }).click()
  const panel = page.getByRole('dialog', { name: 'trace.committed' })
  await panel.getByText('response 503').first().waitFor()
  assert.equal((await placeOf(row)).y, above.y, 'the panel moves no row')
  const body = panel.getByRole('tree', { name: 'Request body' })
  await body.getByRole('treeitem', { name: 'type: "trace.committed"' }).waitFor()
  await panel.getByText(/^Next attempt/).waitFor()
  const path = await panel.getByRole('link', { name: /img src=x/ }).getAttribute('href')
  assert.ok(path?.startsWith('/app/p/proj_') && path.endsWith(`/traces/${id}`), String(path))
  await panel.getByText('Request headers').first().click()
  // After two attempts of the schedule, a third one leaves minutes until the next: none comes in between.
  await panel.getByText('Attempt 2', { exact: true }).waitFor()
  // What was opened stays open when another attempt comes.
  await panel.getByText('x-service-signature').filter({ visible: true }).first().waitFor()
  await panel.getByRole('button', { name: 'Retry now' }).click()
  await page
    .getByText(/^The attempt failed: the receiver responded with 503\. Next attempt in /)
    .first()
    .waitFor()
  receiver.status = 200
  await panel.getByRole('button', { name: 'Retry now' }).click()
  await page.getByText('Delivered: the receiver responded with 200.').first().waitFor()
  await panel.getByRole('button', { name: 'Redeliver' }).waitFor()
  await row.getByText('Succeeded').waitFor()
  await panel.getByRole('button', { name: 'Close' }).click()

  // Filters are in the URL, and a failed ping is redelivered with all failures.
  receiver.status = 500
  await page.getByRole('button', { name: 'Ping' }).click()
  await ping.getByText('A ping is attempted once.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Status').selectOption({ label: 'Failed' })
  await page.waitForURL(/status=failed/)
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
  receiver.status = 200
  await page.getByRole('button', { name: 'Redeliver failed' }).click()
  await dialog.getByText('1 failed since then.').waitFor()
  await dialog.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText('1 delivery queued').first().waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'No delivery matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all deliveries' }).click()
  await page
    .getByRole('row', { name: /Succeeded/ })
    .nth(2)
    .waitFor()

  // Rows by keyboard.
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')

  // Edited, rotated, disabled, deleted.
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Description').fill('for the test')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('for the test').waitFor()
  // A response that comes late does not close what was opened since.
  const isHeld = Promise.withResolvers<void>()
  await page.route(/\/webhooks\/wh_[^/]*$/, async (held) => {
    await isHeld.promise
    await held.continue()
  })
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Description').fill('saved late')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  isHeld.resolve()
  await page.getByText('saved late').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const choose = async (item: string, confirm: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await dialog.getByRole('button', { name: confirm, exact: true }).click()
  }
  await choose('Rotate secret', 'Rotate')
  assert.match((await dialog.getByLabel('Signing secret').textContent()) ?? '', /^whsec_/)
  await dialog.getByRole('button', { name: 'Done' }).click()
  // The item of the menu is gone; its button has the focus.
  await page.locator('[aria-label=More]:focus').waitFor()
  await page.getByText('The previous secret also signs').waitFor()
  await choose('Disable', 'Disable')
  await page.getByText('Disabled by request').first().waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Ping' }).waitFor()
  await choose('Delete', 'Delete')
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  assert.deepEqual(problems, [])
})

test('Retry now is sent at once, also while deliveries are paused after repeated failures', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await using receiver = await startHookReceiver()
  const { page } = await openDashboard(browser, service, '/app/webhooks')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New webhook' }).click()
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  receiver.status = 503
  for (let run = 0; run < 14; run++) await service.client.postTrace({ name: `run ${run}` })
  await eventually('ten attempts', () => receiver.count >= 10)
  await page.reload()
  await page.getByRole('link', { name: 'trace.committed' }).first().click()
  const panel = page.getByRole('dialog', { name: 'trace.committed' })
  const attempts = panel.getByRole('region', { name: 'Attempts' }).getByRole('listitem')
  await attempts.first().waitFor()
  const made = await attempts.count()
  await panel.getByRole('button', { name: 'Retry now' }).click()
  await page
    .getByText(/^The attempt failed: the receiver responded with 503\./)
    .first()
    .waitFor()
  await attempts.nth(made).waitFor()
})
