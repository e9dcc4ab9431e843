import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { launchBrowser } from '../lib/browser.ts'
import type { Client } from '../lib/client.ts'
import { createKey, createProject, firstProjectId } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { openDashboard } from './lib.ts'

const browser = await launchBrowser()
after(async () => typeof browser !== 'string' && (await browser.close()))

async function record(client: Client, name: string): Promise<string> {
  return (await client.postTrace({ name })).json<{ id: string }>().id
}

test('two tabs of one browser show two projects, and each stays in its own', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const { page, problems } = await openDashboard(browser, service, '/app/traces?status=error')
  await page.waitForURL(/\/app\/p\/proj_\w+\/traces\?status=error$/)
  const own = /proj_\w+/.exec(page.url())?.[0] ?? ''
  const other = await createProject(service.client, 'second')
  const there = service.client.as(other.key)
  const tracedThere = await record(there, 'a run over there')
  await record(service.client, 'a run here')

  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(`void window.open('/app/p/${other.id}/traces/${tracedThere}')`),
  ])
  await tab.getByRole('heading', { name: 'a run over there', level: 1 }).waitFor()
  await tab.getByRole('link', { name: 'Traces' }).first().click()
  await tab.getByRole('link', { name: 'a run over there' }).waitFor()
  assert.equal(new URL(tab.url()).pathname, `/app/p/${other.id}/traces`)

  // The stream of each tab is that of its project.
  await page.goto(`${service.url}/app/p/${own}/traces`)
  await page.getByRole('link', { name: 'a run here' }).waitFor()
  await record(there, 'a later run over there')
  await tab.getByRole('link', { name: 'a later run over there' }).waitFor()
  await record(service.client, 'a later run here')
  await page.getByRole('link', { name: 'a later run here' }).waitFor()
  assert.equal(await page.getByRole('link', { name: /over there/ }).count(), 0)
  assert.equal(await tab.getByRole('link', { name: /run here/ }).count(), 0)

  // The menu opens the other project in this tab and leaves the other tab alone.
  await page.getByRole('button', { name: /^Project/ }).click()
  await page.getByRole('menuitemradio', { name: 'second' }).click()
  await page.waitForURL(new RegExp(`/app/p/${other.id}/traces$`))
  await page.getByRole('link', { name: 'a later run over there' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'a later run here' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a link opens for a colleague whose key may use its project, and says so to one whose key may not', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const own = await firstProjectId(service.client)
  const id = await record(service.client, 'look at this')
  const other = await createProject(service.client, 'second')
  const [stranger, colleague] = [
    await createKey(service.client, other.id, { scopes: ['read'] }),
    await createKey(service.client, own, { scopes: ['read'] }),
  ]
  const tab = await (await browser.newContext()).newPage()
  await tab.goto(`${service.url}/app/p/${own}/traces/${id}`)
  const signIn = async (secret: string) => {
    await tab.getByLabel('API key', { exact: true }).fill(secret)
    await tab.getByRole('button', { name: 'Sign in' }).click()
  }
  await signIn(stranger.secret)
  await tab.getByRole('heading', { name: 'This project cannot be opened' }).waitFor()
  await tab.getByRole('button', { name: 'Sign in with another key' }).click()
  await tab.getByLabel('API key', { exact: true }).waitFor()
  assert.ok(tab.url().includes(`/app/p/${own}/traces/${id}`), 'the address stays for the next key')
  await signIn(colleague.secret)
  await tab.getByRole('heading', { name: 'look at this', level: 1 }).waitFor()

  await tab.getByRole('button', { name: /^Project/ }).click()
  await tab.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn(stranger.secret)
  await tab.getByRole('link', { name: 'Open your own project' }).click()
  await tab.waitForURL(new RegExp(`/app/p/${other.id}/traces`))
})
