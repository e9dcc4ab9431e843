import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import { Service } from '../lib/service.ts'
import { SignedInPage } from '../lib/signed-in-page.ts'

let browser: Browser | string
let service: Service
before(async () => {
  browser = await launchBrowser()
  if (typeof browser !== 'string') service = await Service.start()
})
after(async () => {
  if (typeof browser === 'string') return
  await browser.close()
  await service[Symbol.asyncDispose]()
})

/** Retries follow the page's clock, which is installed before. */
async function until(shown: Locator): Promise<void> {
  while (!(await shown.isVisible())) await shown.page().clock.runFor(5000)
}

test('a screen whose script failed to load opens when the service is back, automatically or by the button', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  const { page } = await SignedInPage.open(browser, service)
  await page.goto(`${service.url}/app/traces`)
  await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor()
  const { port } = new URL(service.url)
  const failure = page.getByRole('heading', { name: 'This screen could not be loaded' })

  await service.kill()
  await page.getByRole('link', { name: 'Settings' }).click()
  await failure.waitFor()
  assert.match(new URL(page.url()).pathname, /^\/app\/p\/proj_\w+\/settings$/, 'the address is that of the screen')
  await service.start(['--port', port])
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()

  await service.kill()
  await page.getByRole('link', { name: 'Metrics' }).click()
  await failure.waitFor()
  // The service is still down: the page stays.
  await page.getByRole('button', { name: 'Try again' }).click()
  await failure.waitFor()
  // Timers are paused, so that nothing happens automatically.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await service.start(['--port', port])
  await page.getByRole('button', { name: 'Try again' }).click()
  await failure.waitFor({ state: 'detached' })
  await page.clock.resume()
  await page.getByRole('heading', { name: 'Metrics', level: 1 }).waitFor()
})

test('a failed query is repeated when the service is back, without user action', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await service.client.postTrace({ name: 'found again' })
  const { page } = await SignedInPage.open(browser, service)
  await page.goto(`${service.url}/app/traces`)
  await page.getByRole('link', { name: 'found again' }).first().waitFor()
  const { port } = new URL(service.url)
  await service.kill()
  await page.clock.install()
  await page.getByLabel('Search text, or paste an id').fill('found')
  await until(page.getByRole('heading', { name: 'This could not be loaded' }))
  await service.start(['--port', port])
  await until(page.getByRole('link', { name: 'found again' }).first())
})

test('a trace that was opened during a long outage is shown when the service is back; a write says it is not retried', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await service.client.postTrace({ name: 'found again', steps: [{ name: 'only' }] })
  const { page } = await SignedInPage.open(browser, service)
  await page.goto(`${service.url}/app/traces`)
  const trace = page.getByRole('heading', { name: 'found again', level: 1 })
  await page.getByRole('link', { name: 'found again' }).first().click()
  await trace.waitFor()
  const { port } = new URL(service.url)
  await service.kill()
  await page.getByRole('button', { name: 'Flag' }).click()
  await page.getByText('Nothing was changed: try again.').first().waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('This may not have been saved: try again.').first().waitFor()
  await page.goBack()
  await page.clock.install()
  await page.getByRole('link', { name: 'found again' }).first().click()
  const failure = page.getByRole('heading', { name: 'This could not be loaded' })
  await until(failure)
  await service.start(['--port', port])
  await until(trace)
  assert.equal(await failure.count(), 0)
})
