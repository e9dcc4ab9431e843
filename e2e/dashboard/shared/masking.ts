import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, shareService } from '../lib.ts'

const start = shareService()

test('rules of masking are tried, refused at their field, and saved; a trace says what was masked', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const trace = {
    name: 'booking',
    metadata: { note: 'C-123456' },
    steps: [{ name: 's', messages: [{ role: 'user', content: [{ type: 'text', text: 'I am ann@mail.example' }] }] }],
  }
  assert.equal((await service.client.postTrace(trace)).status, 202)
  const { page, problems } = await openDashboard(browser, service, '/app/settings?tab=masking')
  const preview = page.getByRole('region', { name: 'Preview' })
  const save = page.getByRole('button', { name: 'Save' })
  await page.getByRole('checkbox', { name: 'E-mail addresses' }).check()
  await page.getByRole('button', { name: 'Add a pattern' }).click()
  await page.getByLabel('Name', { exact: true }).fill('customer')
  await page.getByLabel('Pattern', { exact: true }).fill('C-[0-9')
  await save.click()
  await page.getByText(/It is no regular expression of RE2/).waitFor()
  await page.getByLabel('Pattern', { exact: true }).fill('C-[0-9]+')
  await page.getByLabel('Fields').fill('**.password\n\n user_id ')
  await preview.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText(/In the newest 1 trace with 1 step, this would be masked: /).waitFor()
  assert.deepEqual((await preview.locator('mark').allTextContents()).sort(), ['C-123456', 'ann@mail.example'])
  await save.click()
  await page.getByText('Masking saved', { exact: true }).waitFor()
  const { projects } = (await service.client.get('/v1/projects')).json<{ projects: { masking: object }[] }>()
  assert.deepEqual(projects[0]?.masking, {
    fields: ['**.password', 'user_id'],
    detectors: ['email'],
    patterns: [{ name: 'customer', pattern: 'C-[0-9]+' }],
  })
  const { id } = (await service.client.postTrace(trace)).json<{ id: string }>()
  await page.goto(`${service.url}/app/traces/${id}`)
  await page.getByText('2 masked').waitFor()
  await page.getByText('I am [masked:email]').first().waitFor()
  assert.deepEqual(problems, [])
})
