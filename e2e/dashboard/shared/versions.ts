import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, shareService } from '../lib.ts'

const share = shareService()

test('a project names its version key; the screen then shows what regressed, why, and leads to its runs', async (context) => {
  const shared = await share(context)
  if (shared === null) return
  const { browser, service } = shared
  const commit = async (release: string, failsEvery: number) => {
    for (let at = 0; at < 40; at += 1) {
      const failed = at % failsEvery === 0
      const steps = [{ name: failed ? 'pay' : 'find', type: 'tool' }]
      await service.client.postTrace({ name: 'run', status: failed ? 'error' : 'ok', metadata: { release }, steps })
    }
  }
  await commit('r7', 20)
  await commit('r8', 2)
  const { page, problems } = await openDashboard(browser, service, '/app/versions')
  await page.getByText('No versions yet').waitFor()
  await page.getByRole('link', { name: 'settings', exact: true }).click()
  await page.getByLabel('Version key').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Version key').fill('release')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Versions' }).click()
  const newest = page.getByRole('region', { name: 'r8' })
  await newest.getByText('regressed').waitFor()
  await newest.getByText('compared with r7').waitFor()
  await newest.getByText('before: 5% of 40').waitFor()
  const older = page.getByRole('region', { name: 'r7' })
  assert.equal(await older.getByText('regressed').count(), 0)
  await newest.getByRole('button', { name: 'Why' }).click()
  await page.getByRole('dialog').getByText('pay was called: 20 of 20 failed runs and 0 of 20 others.').waitFor()
  await page.keyboard.press('Escape')
  await newest.getByRole('link', { name: 'r8' }).click()
  await page.waitForURL((url) => url.pathname.endsWith('/traces') && url.search.includes('r8'))
  assert.deepEqual(problems, [])
})
