import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import { createKey } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { openDashboard } from './lib.ts'

let browser: Browser | string
before(async () => (browser = await launchBrowser()))
after(async () => typeof browser !== 'string' && (await browser.close()))

test('keys, projects and prices are created and removed', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const { page, problems } = await openDashboard(browser, service, '/app/settings')
  const dialog = page.getByRole('dialog')
  const read = async (key: string) =>
    (await fetch(`${service.url}/v1/traces`, { headers: { 'x-api-key': key } })).status

  // A key is rejected at its field, shown once, works, and is revoked.
  await page.getByRole('button', { name: 'New key' }).click()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Name').fill('<b>reader</b>')
  await dialog.getByRole('checkbox', { name: 'ingest' }).uncheck()
  await dialog.getByRole('checkbox', { name: 'read' }).check()
  await dialog.getByLabel('Requests a second').fill('100')
  await dialog.getByLabel('Expires').selectOption('7')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const secret = (await dialog.getByLabel('API key', { exact: true }).textContent()) ?? ''
  assert.equal(await read(secret), 200)
  await dialog.getByRole('button', { name: 'Done' }).click()
  // The focus goes back to where it was, although the form took it at once.
  await page.locator(':focus', { hasText: 'New key' }).waitFor()
  const row = page.getByRole('row', { name: /<b>reader<\/b>/ })
  await row.getByText(secret.slice(-4)).waitFor()
  await row.getByText('in 6 d').waitFor()
  await row.getByText('100 requests/s').waitFor()
  await row.getByRole('button', { name: 'Limits' }).click()
  await dialog.getByLabel('Requests a second').fill('many')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Requests a second').fill('50')
  await dialog.getByLabel('Bytes a second').fill('1048576')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('50 requests/s, 1.0 MiB/s').waitFor()
  assert.equal(await page.getByText(secret).count(), 0)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal(await read(secret), 401)

  // The audit log has it all.
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('row', { name: /key\.revoked/ }).waitFor()
  await page.getByLabel('Action').selectOption('key.changed')
  await page.getByRole('row', { name: /key\.revoked/ }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /key\.changed .*bytes_per_second 1048576/ }).waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export' }).click()])
  assert.equal(file.suggestedFilename(), 'spoor-audit.jsonl')

  // A new project, and its first key.
  await page.getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('button', { name: 'New project' }).click()
  await dialog.getByLabel('Name').fill('second')
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await dialog.getByText('For project second').waitFor()
  await dialog.locator('input:focus').waitFor()
  await dialog.getByLabel('Name').fill('its first')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByLabel('API key', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: 'second', exact: true }).waitFor()

  // A project price is added, found, edited and removed.
  await page.getByRole('link', { name: 'Model prices' }).click()
  await page.getByRole('button', { name: 'Add price' }).click()
  await dialog.getByLabel('Model').fill('in house/7b')
  await dialog.getByText('No price yet').waitFor()
  await dialog.getByLabel('Input, ').fill('a little')
  await dialog.getByLabel('Output, ').fill('0.2')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('number').waitFor()
  await dialog.getByLabel('Input, ').fill('0.125')
  await dialog.getByRole('button', { name: 'Save' }).click()
  // An open dialog would take the focus back, and with it the text.
  await dialog.waitFor({ state: 'detached' })
  await page.getByLabel('Find a model').fill('7B house')
  const price = page.getByRole('row', { name: /in house\/7b/ })
  await price.getByText('$0.125').waitFor()
  await price.getByText('this project').waitFor()
  await price.getByRole('button', { name: 'Edit' }).click()
  await page.waitForURL(/model=in/)
  await dialog.getByRole('button', { name: 'Reset to built-in' }).click()
  await page.getByRole('heading', { name: 'No model matches' }).waitFor()

  await page.getByRole('link', { name: 'Limits' }).click()
  await page
    .getByText('One uploaded file')
    .or(page.getByRole('heading', { name: 'does not report its limits' }))
    .waitFor()
  await page.getByRole('link', { name: 'About' }).click()
  await page.getByText(/Spoor \d+\.\d+\.\d+/).waitFor()
  await page.getByRole('radio', { name: 'Dark' }).check()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  assert.deepEqual(problems, [])
})

test("revoking the session's own key signs out after a warning, and a read-only key offers no changes", async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const { projects } = (await service.client.get('/v1/projects')).json<{ projects: { id: string }[] }>()
  const reader = await createKey(service.client, projects[0]?.id ?? '', { scopes: ['read'] })
  const { page, problems } = await openDashboard(browser, service, '/app/settings')
  await page
    .getByRole('row', { name: /this session/ })
    .getByRole('button', { name: 'Revoke' })
    .click()
  await page.getByRole('dialog').getByText('this signs you out').waitFor()
  await page.getByRole('button', { name: 'Revoke and sign out' }).click()
  await page.getByLabel('API key', { exact: true }).fill(reader.secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: "This key can't view API keys" }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Projects' }).count(), 0)
  await page.getByRole('link', { name: 'Model prices' }).click()
  await page.getByRole('cell', { name: 'gpt-4o', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: /price/i }).count(), 0)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('Creating a webhook needs a key').waitFor()
  assert.equal(await page.getByRole('button', { name: 'New webhook' }).count(), 0)
  assert.deepEqual(problems, [])
})
