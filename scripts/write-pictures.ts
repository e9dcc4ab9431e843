// npm run pictures: the pictures of docs/images, made in Chromium from the data of the demo.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openDashboard, settled } from '../e2e/dashboard/lib.ts'
import { launchBrowser } from '../e2e/lib/browser.ts'
import { runDemo } from '../e2e/lib/demo-agent.ts'
import { newPlace } from '../e2e/lib/projects.ts'
import { Service } from '../e2e/lib/service.ts'

const FOLDER = join(import.meta.dirname, '../docs/images')
const SIZE = { width: 1440, height: 900 }

const browser = await launchBrowser('newest')
if (typeof browser === 'string') throw new Error(browser)
await using service = await Service.start()
const place = await newPlace(service)
const began = new Date().toISOString()
const demo = await runDemo(['--pace', '1'], { SPOOR_URL: service.url, SPOOR_API_KEY: place.key })
assert.equal(demo.code, 0, demo.error)
const query = '/v1/traces?step_name=calculator&status=ok&limit=1'
const { traces } = (await place.client.get(query)).json<{ traces: { id: string }[] }>()

for (const [name, path] of [
  ['trace', `/app/traces/${traces[0]!.id}`],
  [
    'explore',
    `/app/traces?as=chart&measure=steps.count&group_by=step_name&${new URLSearchParams({ from: began, to: new Date().toISOString() }).toString()}`,
  ],
] as const) {
  const { page, problems } = await openDashboard(browser, place, path)
  await page.setViewportSize(SIZE)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await settled(page)
  if (name === 'trace') await page.getByText('write answer').first().click()
  await settled(page)
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' })
  assert.deepEqual(problems, [])
}
await browser.close()
