import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Place } from '../../lib/projects.ts'
import { openDashboard, shareService } from '../lib.ts'

const start = shareService()

const JSON_BODY = { 'content-type': 'application/json' }
const NAME = 'Too few <i>solved</i>'

/** A metric with a good hour yesterday and a bad one until now. */
async function recordTwoHours(service: Place): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await service.client.call({ method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
  }
  const trace = (await service.client.postTrace({ name: 'a run' })).json<{ id: string }>()
  await post('/v1/metrics', { name: 'solved', kind: 'boolean' })
  const events = Array.from({ length: 120 }, (_, minute) => {
    const isGood = minute >= 60
    const age = isGood ? 86_400_000 + (minute - 60) * 60_000 : minute * 60_000
    const at = new Date(Date.now() - age).toISOString()
    return { name: 'solved', trace_id: trace.id, passed: isGood, at }
  })
  await post('/v1/metrics/events', events)
}

test('a monitor is previewed over the past week, created, fires, is edited and deleted', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  await recordTwoHours(service)
  const { page, problems } = await openDashboard(browser, service, '/app/monitors')
  await page.getByRole('heading', { name: 'No monitors yet' }).waitFor()

  await page.getByRole('button', { name: 'Create monitor' }).click()
  const form = page.getByRole('dialog', { name: 'New monitor' })
  await form.getByLabel('Source').selectOption('Metric')
  await form.getByLabel('Metric', { exact: true }).selectOption('solved')
  assert.equal(await form.getByLabel('Aggregation').inputValue(), 'pass_rate')
  await form.getByLabel('Condition').selectOption('below')
  await form.getByLabel('Threshold', { exact: true }).fill('90')
  // Errors of the service are shown at their fields before anything is saved.
  await form.getByRole('alert').filter({ hasText: 'between 0 and 1' }).waitFor()
  assert.equal(await form.getByLabel('Threshold', { exact: true }).getAttribute('aria-invalid'), 'true')
  await form.getByLabel('Threshold', { exact: true }).fill('0.5')
  await form.getByText(/^Would have fired once, .* and would be firing now\.$/).waitFor()
  await form.getByRole('slider', { name: 'pass rate of solved' }).waitFor()
  await form.getByRole('button', { name: 'Create monitor' }).click()
  await form.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor()
  await form.getByLabel('Name').fill(NAME)
  await form.getByText('Nobody is notified.').waitFor()
  await form.getByRole('button', { name: 'Create monitor' }).click()

  // It fires at its next evaluation.
  await page.getByRole('heading', { name: NAME, level: 1 }).waitFor()
  await page.getByRole('slider', { name: 'pass rate of solved' }).waitFor()
  const changes = page.getByRole('region', { name: 'State changes' })
  await page.getByRole('main').getByText('Fired', { exact: true }).first().waitFor()
  assert.equal(await changes.getByText('Never fired').count(), 0, 'the history is not behind the header')

  // From its firing to the runs behind it, and to a webhook that tells of it.
  const screens = page.getByRole('navigation', { name: 'Screens' })
  await screens.getByRole('link', { name: 'Monitors 1 fired' }).waitFor()
  const behind = page.getByRole('region', { name: 'Traces behind the latest breach', exact: true })
  await behind.getByRole('link', { name: 'a run' }).waitFor()
  await changes.getByRole('link', { name: 'View traces' }).click()
  await page.waitForURL(/\/traces\?(?=.*metric=solved)(?=.*passed=false)/)
  await page.getByRole('link', { name: 'a run' }).waitFor()
  await page.goBack()
  await page.getByRole('main').getByRole('link', { name: 'Create webhook' }).click()
  const webhook = page.getByRole('dialog', { name: 'New webhook' })
  assert.ok(await webhook.getByLabel('monitor.fired').isChecked())
  assert.ok(!(await webhook.getByLabel('trace.committed').isChecked()))
  await webhook.getByLabel('URL').fill('https://hooks.example.com/spoor')
  await webhook.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('dialog', { name: 'Webhook created' }).waitFor()
  await page.goto(`${service.url}/app/monitors`)
  await page.getByRole('link', { name: NAME }).waitFor()
  // By keys, the first row is opened.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'hooks.example.com' }).waitFor()

  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Enable' }).waitFor()
  await changes.getByRole('cell', { name: 'Disabled' }).waitFor()
  assert.equal(await changes.getByRole('row').count(), 3, 'a heading, the firing and its end')

  await page.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit monitor' })
  assert.equal(await edit.getByLabel('Threshold', { exact: true }).inputValue(), '0.5')
  await edit.getByLabel('Threshold', { exact: true }).fill('0.25')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await edit.getByLabel('Resolve threshold').fill('0.1')
  await edit.getByRole('alert').filter({ hasText: 'below the threshold' }).waitFor()
  await edit.getByLabel('Resolve threshold').fill('0.4')
  // Values of too few samples change nothing, and look different.
  await edit.getByLabel('Minimum samples').fill('1000')
  await edit.getByText('fewer than 1,000 samples').waitFor()
  await edit.getByLabel('Minimum samples').fill('1')
  await edit.getByRole('button', { name: 'Save' }).click()
  await page.getByText('below 25%').waitFor()
  await page.getByText('past 40%').waitFor()

  await page.getByRole('link', { name: 'Monitors' }).first().click()
  await page.getByRole('button', { name: 'Disabled 1' }).click()
  await page.getByRole('link', { name: NAME }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No monitors yet' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a monitor of steps for each name begins with the filters of Explore, and its screen shows the steps behind the breach', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const steps = ['search', 'fly'].map((name) => ({ name, type: 'tool', status: name === 'fly' ? 'error' : 'ok' }))
  for (const user_id of ['u1', 'u1', 'u2']) await service.client.postTrace({ name: 'a run', user_id, steps })
  const { page, problems } = await openDashboard(browser, service, '/app/traces?as=steps&not_step_name=plan')
  await page.getByRole('button', { name: 'Monitor this' }).click()
  const form = page.getByRole('dialog', { name: 'New monitor' })
  await form.getByText('plan', { exact: true }).waitFor()
  assert.equal(await form.getByLabel('Source', { exact: true }).inputValue(), 'steps')
  await form.getByRole('textbox', { name: 'Name' }).fill('Failing tools')
  await form.getByLabel('Measure').selectOption('Error rate')
  await form.getByLabel('Threshold', { exact: true }).fill('0.5')
  await form.getByLabel('For each').selectOption('Step name')
  await form.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('combobox', { name: 'Filter by' }).fill('user_id=u1')
  await page.keyboard.press('Enter')
  await form.getByText('u1', { exact: true }).waitFor()
  // The last evaluation of the preview may be older than the runs.
  await form.getByText(/^Would|^No data/).waitFor()
  await form.getByRole('button', { name: 'Create monitor' }).click()

  await page.getByRole('heading', { name: 'Failing tools', level: 1 }).waitFor()
  const changes = page.getByRole('region', { name: 'State changes' })
  await changes.getByRole('cell', { name: 'fly' }).waitFor()
  const behind = page.getByRole('region', { name: 'Steps behind the latest breach' })
  await behind.getByRole('row').nth(2).waitFor()
  assert.equal(await behind.getByRole('row').count(), 3, 'a heading and the two failed steps of the user')
  assert.deepEqual(problems, [])
})
