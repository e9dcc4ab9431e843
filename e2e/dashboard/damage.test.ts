import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import { Service } from '../lib/service.ts'
import { placeOf } from '../lib/place-of.ts'
import { openDashboard } from './lib.ts'

let browser: Browser | string
before(async () => (browser = await launchBrowser('newest')))
after(async () => typeof browser !== 'string' && (await browser.close()))

const LINE = {
  time: '2026-11-22T12:00:00.000Z',
  kind: 'set_aside',
  table: 'traces',
  part: '202611_1_30_2',
  why: 'Checksum mismatch for file data.bin',
  rowsLost: 256,
  lost: [],
  unnamed: [],
  folder: 'telemetry/detached/202611_1_30_2',
}

test('lost data is described above every screen until it is accepted', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  await service.stop()
  const record = join(service.dataDir, 'damage.jsonl')
  writeFileSync(record, `${JSON.stringify(LINE)}\n`)
  await service.start()
  assert.equal((await service.client.get('/readyz')).status, 503)
  const { page } = await openDashboard(browser, service, '/app/traces')
  const banner = page.getByRole('alert').filter({ hasText: 'some of it is lost' })
  const folder = process.env['SPOOR_TEST_PICTURES']
  for (const screen of ['traces', 'metrics', 'monitors', 'clusters', 'webhooks', 'settings']) {
    await page.goto(`${service.url}/app/${screen}`)
    await banner.getByText('256 rows of traces were set aside with 1 damaged part').waitFor()
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      const box = await placeOf(banner)
      assert.ok(box.x >= 0 && box.x + box.width <= width, `${screen} ${width}`)
      const scrolls = await page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
      assert.equal(scrolls, false, `${screen} ${width}`)
      if (folder === undefined) continue
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(folder, `damage-${screen}-${width}-${colorScheme}.png`) })
      }
    }
  }
  await service.stop()
  writeFileSync(record, `${JSON.stringify({ time: LINE.time, kind: 'accepted' })}\n`, { flag: 'a' })
  await service.start()
  assert.equal((await service.client.get('/readyz')).status, 200)
  const next = await openDashboard(browser, service, '/app/traces')
  await next.page.getByRole('link', { name: 'Settings' }).first().waitFor()
  assert.equal(await next.page.getByRole('alert').count(), 0)
  assert.deepEqual(next.problems, [])
})
