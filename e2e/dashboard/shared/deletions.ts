import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, shareService } from '../lib.ts'

const start = shareService()

test('traces that match the filters of the list are counted, and deleted with their progress', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  for (const name of ['old', 'old', 'new']) {
    assert.equal((await service.client.postTrace({ name })).status, 202)
  }
  const { page, problems } = await openDashboard(browser, service, '/app/traces?name=old')
  const dialog = page.getByRole('dialog')
  const open = () => page.getByRole('button', { name: 'Delete all traces that match' }).click()
  await open()
  await dialog.getByText('2 traces match').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await open()
  // The job ends after the dialog is closed, and the list follows.
  let isHeld = true
  await page.route('**/v1/jobs/*', async (route) => {
    const response = await route.fetch()
    const job = (await response.json()) as object
    await route.fulfill({ response, json: isHeld ? { ...job, status: 'running' } : job })
  })
  await dialog.getByRole('button', { name: 'Delete 2 traces' }).click()
  await dialog.getByText(/^Deleting: /).waitFor()
  await dialog.getByRole('button', { name: 'Continue in the background' }).click()
  await page.getByRole('link', { name: 'old' }).first().waitFor()
  isHeld = false
  await page.getByRole('heading', { name: 'No results' }).waitFor()
  // Everything needs to be allowed.
  await page.goto(`${service.url}/app/traces`)
  await open()
  await dialog.getByText(/send "all": true/).waitFor()
  await dialog.getByRole('checkbox', { name: 'These may be all traces of the project' }).check()
  await dialog.getByRole('button', { name: 'Delete 1 trace' }).click()
  await dialog.getByText('Deleted: 1 of 1 trace.').waitFor()
  assert.deepEqual(problems, [])
})

test('a user is deleted after their id is typed, and the dialog shows the receipt', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const user = 'ann/b?c'
  for (const user_id of [user, user, 'bob']) {
    const trace = { name: 'run', user_id, steps: [{ name: 'first' }, { name: 'second' }] }
    assert.equal((await service.client.postTrace(trace)).status, 202)
  }
  const { page, problems } = await openDashboard(browser, service, `/app/users/${encodeURIComponent(user)}`)
  const dialog = page.getByRole('dialog')
  const remove = dialog.getByRole('button', { name: 'Delete the user' })
  await page.getByRole('button', { name: 'Delete the user' }).click()
  await dialog.getByText('This user has 2 traces, over all time.').waitFor()
  const typed = dialog.getByLabel('Type the id of the user to confirm')
  await typed.fill('ann')
  assert.equal(await remove.isDisabled(), true)
  await typed.fill(user)
  await remove.click()
  const receipt = dialog.getByRole('region', { name: 'Receipt' })
  await receipt.waitFor()
  assert.deepEqual((await receipt.getByRole('definition').allTextContents()).slice(0, 4), ['2', '4', '0', '0'])
  await dialog.getByRole('button', { name: /^(Continue in the background|Done)$/ }).click()
  await page.getByRole('heading', { name: 'No traces in this range' }).waitFor()
  const { traces } = (await service.client.get('/v1/traces')).json<{ traces: { user_id: string }[] }>()
  assert.deepEqual(
    traces.map(({ user_id }) => user_id),
    ['bob'],
  )
  assert.deepEqual(problems, [])
})

test('a retention is set after it says what it would delete, and bad days are refused at their field', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { page, problems } = await openDashboard(browser, service, '/app/settings?tab=retention')
  const days = page.getByLabel('Traces, days', { exact: true })
  await page.getByText('This would delete nothing now.').waitFor()
  await days.fill('0')
  await page.getByText('Days are whole numbers from 1 to 3,650.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').first().waitFor()
  // Another error says what it is.
  const detail = 'Ask someone else.'
  await page.route('**/expired?*', (route) => route.fulfill({ status: 403, json: { detail } }))
  await days.fill('29')
  await page.getByText(detail).waitFor()
  await page.unroute('**/expired?*')
  await days.fill('30')
  await page.getByLabel('Media, days', { exact: true }).fill('7')
  await page.getByText('This would delete nothing now.').waitFor()
  const read = Promise.withResolvers<void>()
  await page.route('**/v1/projects', async (route) => {
    await read.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Retention saved', { exact: true }).waitFor()
  const { projects } = (await service.client.get('/v1/projects')).json<{ projects: { retention: object }[] }>()
  assert.deepEqual(projects[0]?.retention, { days: 30, flagged_days: null, media_days: 7 })
  // What is not changed in the form is not sent. What is typed until the saved values are read stays.
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor()
  await days.fill('')
  read.resolve()
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.deepEqual((await sent).postDataJSON(), { retention: { days: null } })
  assert.deepEqual(problems, [])
})
